import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecord
import Testing
import ToyStore

/// Migrations of stores that are no files.
@Suite("Migrations of registered kinds")
struct MigratingTests {
    private let first = Versions.first()
    private let second = Versions.changed { entities, _ in
        entities["Company"]?.properties.append(LibraryModel.attribute("motto", .stringAttributeType, default: "none"))
    }

    private func filled() throws -> URL {
        let url = ToyStores.url()
        let container = try ToyStores.container(first, at: url)
        try ToyStores.save("A", to: container)
        let coordinator = container.persistentStoreCoordinator
        coordinator.persistentStores[0].metadata["mine"] = 1
        try ToyStores.save("B", to: container)
        try coordinator.remove(coordinator.persistentStores[0])
        return url
    }

    /// Everything that lies beside the store, which is nothing after a migration.
    private func leftovers(of url: URL) -> Set<String> {
        ToyDatabase.names.filter { $0.hasPrefix(url.absoluteString) && $0 != url.absoluteString }
    }

    @Test func aStoreIsMigratedWhenItIsAdded() throws {
        let url = try filled()
        let container = try ToyStores.container(second, at: url)
        #expect(try ToyStores.titles(container) == ["A", "B"])
        let context = container.newBackgroundContext()
        try context.performAndWait { () throws in
            let employees = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Employee"))
            #expect(
                employees.map { ($0.value(forKey: "company") as? NSManagedObject)?.value(forKey: "motto") as? String }
                    == ["none", "none"])
        }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: "Toy", at: url)
        #expect(metadata["mine"] as? Int == 1)
        #expect(second.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        #expect(leftovers(of: url) == [])
    }

    @Test func withoutMigrationTheStoreIsRefused() throws {
        let url = try filled()
        var found: NSError?
        do {
            _ = try ToyStores.container(second, at: url) { $0.shouldMigrateStoreAutomatically = false }
        } catch {
            found = error as NSError
        }
        #expect(found?.code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(try ToyStores.titles(ToyStores.container(first, at: url)) == ["A", "B"])
    }

    @Test func aMigrationThatFailsLeavesTheStoreAsItWas() throws {
        let url = try filled()
        // The destination demands a value that no object has.
        let strict = Versions.changed { entities, _ in
            entities["Company"]?.properties.append(
                LibraryModel.attribute("motto", .stringAttributeType, optional: false))
        }
        #expect(throws: NSError.self) { _ = try ToyStores.container(strict, at: url) }
        #expect(leftovers(of: url) == [])
        #expect(try ToyStores.titles(ToyStores.container(first, at: url)) == ["A", "B"])
    }

    @Test func magicalRecordSetsUpAndMigratesThroughVersions() async throws {
        let url = try filled()
        let third = Versions.changed(from: second) { entities, _ in
            entities["Company"]?.properties.append(LibraryModel.attribute("size", .integer16AttributeType))
        }
        let versions = MagicalRecord.ModelVersions([first, second, third])
        #expect(try MagicalRecord.rehearseMigration(of: .at(url), through: versions).steps.count >= 1)
        #expect(leftovers(of: url) == [])
        let report = try MagicalRecord.migrate(.at(url), through: versions)
        #expect(report.steps.last?.to == 3)
        #expect(leftovers(of: url) == [])
        let stack = try MagicalRecord.Stack([.at(url)], migration: .none, model: .model(third))
        #expect(try await stack.read { try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Company")) } == 2)
        try await stack.tearDown(deletingStores: true)
        #expect(ToyDatabase.named(url) == nil)
    }

    @Test func aStoreThatIsNotThereIsNotMigrated() throws {
        let report = try MagicalRecord.migrate(
            .at(ToyStores.url()), through: MagicalRecord.ModelVersions([first, second]))
        #expect(report.steps.isEmpty)
    }
}
