import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// One class for objects of two entities.
final class SharedByTwo: NSManagedObject {}

@Suite("Classes that several entities claim")
struct SharedClassTests {
    /// Apple's framework logs the same and goes on.
    @Test("Making an object by its class alone is warned of, once")
    func warning() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let model = makeModel([("A", "name: string?"), ("B", "name: string?")])
            for entity in model.entities { entity.managedObjectClassName = "CoreDataTests.SharedByTwo" }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            context.performAndWait {
                for _ in 1...3 { _ = SharedByTwo(context: context) }
                _ = SharedByTwo.entity()
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let warnings = text.split(separator: "\n").filter { $0.contains("Multiple NSEntityDescriptions claim") }
        #expect(warnings.count == 1, "\(text)")
        #expect(warnings.first?.contains("A, B") == true)
    }

    /// Generated code makes classes known under the names that models give them, which may be others than their own.
    @Test("An entity whose class was registered under another name is warned of as well")
    func registeredName() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            ManagedObjectClassRegistry.register(SharedByTwo.self, named: "LegacyShared")
            let model = makeModel([("A", "name: string?"), ("B", "name: string?"), ("C", "name: string?")])
            for (entity, name) in zip(model.entities, ["CoreDataTests.SharedByTwo", "LegacyShared", "Nowhere"]) {
                entity.managedObjectClassName = name
            }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            context.performAndWait { _ = SharedByTwo(context: context) }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let warnings = text.split(separator: "\n").filter { $0.contains("Multiple NSEntityDescriptions claim") }
        #expect(warnings.count == 1, "\(text)")
        #expect(warnings.first?.contains("A, B") == true)
    }
}
