import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecord
import Testing

/// Stores in a PostgreSQL server as programs open them, by containers and stacks.
@Suite("Stores in servers", .enabled(if: StoreKind.hasServer, StoreKind.needsServer))
struct ServerStoreTests {
    private func withURL(_ body: (URL) throws -> Void) throws {
        let place = try StoreKind.postgreSQL.makePlace()
        defer { place.remove() }
        try body(#require(place.url))
    }

    @Test func aContainerOpensTheStoreByItsURL() throws {
        try withURL { url in
            let model = Versions.first()
            let container = try ToyStores.container(model, at: url)
            let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
            #expect(store.type == CoreDataPostgreSQLStoreType)
            #expect(store.url == url)
            #expect(store.metadata[NSStoreTypeKey] as? String == "PostgreSQL")
            try ToyStores.save("A", to: container)
            let again = try ToyStores.container(model, at: url)
            #expect(again.persistentStoreCoordinator.persistentStores.first?.identifier == store.identifier)
            #expect(try ToyStores.titles(again) == ["A"])
        }
    }

    @Test func theDescriptionOfAStoreLeavesOutThePassword() throws {
        try withURL { url in
            let container = try ToyStores.container(Versions.first(), at: url)
            let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
            let user = try #require(url.user)
            #expect(store.description.contains("//\(user):***@"), "\(store.description)")
        }
    }

    @Test func metadataAndModelAreReadWithoutOpening() throws {
        try withURL { url in
            let model = Versions.first()
            _ = try ToyStores.container(model, at: url)
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(with: url)
            #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
            let type = CoreDataPostgreSQLStoreType
            try NSPersistentStoreCoordinator.setMetadata(["mine": 1], forPersistentStoreOfType: type, at: url)
            let changed = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
            #expect(changed["mine"] as? Int == 1)
            #expect(changed[NSStoreUUIDKey] as? String == metadata[NSStoreUUIDKey] as? String)
            let stored = try NSManagedObjectModel(cachedInStoreAt: url)
            #expect(stored.entityVersionHashesByName == model.entityVersionHashesByName)
        }
    }

    @Test func destroyedStoresAreGone() throws {
        try withURL { url in
            let container = try ToyStores.container(Versions.first(), at: url)
            try ToyStores.save("A", to: container)
            try container.persistentStoreCoordinator.destroyPersistentStore(
                at: url, ofType: CoreDataPostgreSQLStoreType)
            #expect(throws: NSError.self) {
                try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: CoreDataPostgreSQLStoreType, at: url)
            }
            #expect(try ToyStores.titles(ToyStores.container(Versions.first(), at: url)) == [])
        }
    }

    @Test(arguments: ["server", "rootSaving", "siblings"])
    func aStackSavesAndFinds(_ name: String) throws {
        let shapes: [String: MagicalRecord.Shape] = [
            "server": .server, "rootSaving": .rootSaving, "siblings": .siblings,
        ]
        let shape = try #require(shapes[name])
        try withURL { url in
            let open = {
                try MagicalRecord.Stack(
                    [.postgreSQL(url.absoluteString)], shape: shape, model: .model(Versions.first()))
            }
            let stack = try open()
            try stack.saveAndWait { context in
                let company = NSEntityDescription.insertNewObject(forEntityName: "Company", into: context)
                company.setValue("A", forKey: "title")
            }
            // Another stack is as another process.
            let context = try open().newContext()
            let titles = try context.performAndWait { () throws in
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Company"))
                    .map { $0.value(forKey: "title") as? String }
            }
            #expect(titles == ["A"])
            try stack.tearDownAndWait()
        }
    }
}
