import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecord
import MagicalRecordTestSupport
import Synchronization
import Testing
import ToyStore

/// Stores that are no files, used by several coordinators at once and copied to and from files.
@Suite("Shared stores of registered kinds")
struct SharingTests {
    @Test(.timeLimit(.minutes(10))) func othersAreToldOfWrites() async throws {
        let url = ToyStores.url()
        let writer = try ToyStores.container(Versions.first(), at: url)
        let reader = try ToyStores.container(Versions.first(), at: url) {
            $0.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        }
        let watched = try ToyStores.container(Versions.first(), at: url) {
            $0.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        }
        let (told, teller) = AsyncStream<URL?>.makeStream()
        let token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: reader.persistentStoreCoordinator, queue: nil
        ) { teller.yield($0.userInfo?[NSPersistentStoreURLKey] as? URL) }
        defer { NotificationCenter.default.removeObserver(token) }
        try ToyStores.save("A", to: watched)
        for await found in told {
            #expect(found == url)
            break
        }
        #expect(try ToyStores.titles(reader) == ["A"])
        #expect(try ToyStores.titles(writer) == ["A"])
    }

    /// The keys that the store sets aside do not follow each other, for others take some meanwhile.
    @Test func permanentIDsAreGivenBeforeASave() throws {
        let container = try ToyStores.container(Versions.first(), at: ToyStores.url())
        let context = container.newBackgroundContext()
        try context.performAndWait { () throws in
            let titles = (0..<8).map { "Company \($0)" }
            let companies = titles.map { title in
                let company = NSEntityDescription.insertNewObject(forEntityName: "Company", into: context)
                company.setValue(title, forKey: "title")
                return company
            }
            try context.obtainPermanentIDs(for: companies)
            let identifiers = companies.map(\.objectID)
            #expect(!identifiers.contains { $0.isTemporaryID })
            #expect(Set(identifiers).count == 8)
            try ToyStores.save("Other", to: container)
            try context.save()
            #expect(companies.map(\.objectID) == identifiers)
            context.reset()
            let found = try identifiers.map { try context.existingObject(with: $0).value(forKey: "title") as? String }
            #expect(found == titles)
        }
        #expect(try ToyStores.titles(container).count == 9)
    }

    @Test func laterSavesMeetWhatOthersHaveWritten() throws {
        let url = ToyStores.url()
        let containers = try (0..<2).map { _ in try ToyStores.container(Versions.first(), at: url) }
        try ToyStores.save("A", to: containers[0])
        let contexts = containers.map { $0.newBackgroundContext() }
        let objects = try contexts.map { context in
            try context.performAndWait { () throws in
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Company"))[0]
            }
        }
        for (context, object) in zip(contexts, objects) {
            context.performAndWait { _ = object.value(forKey: "title") }
        }
        try contexts[0].performAndWait { () throws in
            objects[0].setValue("B", forKey: "title")
            try contexts[0].save()
        }
        let error = contexts[1].performAndWait { () -> NSError? in
            objects[1].setValue("C", forKey: "title")
            do {
                try contexts[1].save()
                return nil
            } catch {
                return error as NSError
            }
        }
        #expect(error?.code == NSManagedObjectMergeError)
        #expect(try ToyStores.titles(containers[0]) == ["B"])
    }

    @Test func storesAreCopiedToFilesAndBack() throws {
        let folder = try TemporaryFolder()
        let (toy, file, again) = (ToyStores.url(), folder.url.appendingPathComponent("a.sqlite"), ToyStores.url())
        let container = try ToyStores.container(Versions.first(), at: toy)
        try ToyStores.save("A", to: container)
        let coordinator = container.persistentStoreCoordinator
        let inFile = try coordinator.migratePersistentStore(
            coordinator.persistentStores[0], to: file, withType: NSSQLiteStoreType)
        #expect(inFile.url == file)
        #expect(try ToyStores.titles(container) == ["A"])
        try ToyStores.save("B", to: container)
        _ = try coordinator.migratePersistentStore(inFile, to: again, withType: "Toy")
        #expect(try ToyStores.titles(container) == ["A", "B"])
        #expect(try ToyStores.titles(ToyStores.container(Versions.first(), at: again)) == ["A", "B"])
        // The first one is as it was left.
        #expect(try ToyStores.titles(ToyStores.container(Versions.first(), at: toy)) == ["A"])
        // Where there is one already, nothing is copied to.
        #expect(throws: NSError.self) {
            try coordinator.migratePersistentStore(coordinator.persistentStores[0], to: toy, withType: "Toy")
        }
        #expect(try ToyStores.titles(ToyStores.container(Versions.first(), at: toy)) == ["A"])
    }

    @Test func aCopyTakesThePlaceOfAnother() throws {
        let (one, other) = (ToyStores.url(), ToyStores.url())
        try ToyStores.save("A", to: ToyStores.container(Versions.first(), at: one))
        let container = try ToyStores.container(Versions.first(), at: other)
        try ToyStores.save("B", to: container)
        let coordinator = container.persistentStoreCoordinator
        try coordinator.remove(coordinator.persistentStores[0])
        try coordinator.replacePersistentStore(at: other, withPersistentStoreFrom: one, ofType: "Toy")
        #expect(try ToyStores.titles(ToyStores.container(Versions.first(), at: other)) == ["A"])
    }
}
