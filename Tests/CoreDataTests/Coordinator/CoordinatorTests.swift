import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Coordinators")
struct CoordinatorTests {
    @Test func blocksArePerformedOneAtATime() async throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    for _ in 0..<50 { await coordinator.perform { counter.value += 1 } }
                }
            }
        }
        #expect(coordinator.performAndWait { counter.value } == 1000)
        let nested = coordinator.performAndWait { coordinator.performAndWait { 7 } }
        #expect(nested == 7)
    }

    @Test func errorsOfBlocksAreThrown() async throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        await #expect(throws: CocoaError.self) {
            try await coordinator.perform { throw CocoaError(.fileNoSuchFile) }
        }
        #expect(throws: CocoaError.self) { try coordinator.performAndWait { throw CocoaError(.fileNoSuchFile) } }
    }

    @Test func storesOfSeveralConfigurationsShareACoordinator() throws {
        let model = LibraryModel.make()
        let people = ["Author", "Award"].compactMap { model.entitiesByName[$0] }
        let things = ["Book", "Tag", "Shelf"].compactMap { model.entitiesByName[$0] }
        model.entitiesByName["Author"]?.properties.removeAll { $0.name == "books" }
        model.entitiesByName["Book"]?.properties.removeAll { $0.name == "author" }
        model.setEntities(people, forConfigurationName: "People")
        model.setEntities(things, forConfigurationName: "Things")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let first = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: "People", at: nil)
        let second = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: "Things", at: nil)
        #expect(first.configurationName == "People")
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let author = context.insert("Author", ["name": "Austen"])
            let book = context.insert("Book", ["title": "Emma"])
            try context.save()
            #expect(author.objectID.persistentStore === first)
            #expect(book.objectID.persistentStore === second)
            #expect(author.objectID != book.objectID)
            #expect(try context.fetchAll("Book") == [book])
        }
    }

    @Test func requestsGoThroughTheCoordinatorToo() throws {
        let library = try Library()
        try library.perform { context in
            context.insert("Tag", ["word": "x"])
            let save = NSSaveChangesRequest(inserted: nil, updated: nil, deleted: nil, locked: nil)
            let saved = try library.coordinator.execute(save, with: context)
            #expect((saved as? [Any])?.isEmpty == true)
            let fetch = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            let fetched = try library.coordinator.execute(fetch, with: context)
            #expect((fetched as? [NSManagedObject])?.count == 1)
        }
    }

    @Test func storesWithoutHistoryHaveNoToken() throws {
        #expect(try Library().coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
    }

    // MARK: Containers

    @Test func aContainerLoadsItsStores() throws {
        let folder = try TemporaryFolder()
        let container = NSPersistentContainer(name: "Library", managedObjectModel: LibraryModel.make())
        #expect(container.name == "Library")
        #expect(container.viewContext.concurrencyType == .mainQueueConcurrencyType)
        #expect(container.viewContext.persistentStoreCoordinator === container.persistentStoreCoordinator)
        #expect(container.viewContext.undoManager == nil)
        #expect(container.persistentStoreDescriptions.map(\.type) == [NSSQLiteStoreType])
        let standard = NSPersistentContainer.defaultDirectoryURL().appendingPathComponent("Library.sqlite")
        #expect(container.persistentStoreDescriptions.first?.url == standard)

        let description = NSPersistentStoreDescription(url: folder.file("a/b/Library.binary"))
        description.type = NSBinaryStoreType
        container.persistentStoreDescriptions = [description]
        var loaded = 0
        container.loadPersistentStores { given, error in
            #expect(given === description)
            #expect(error == nil)
            loaded += 1
        }
        #expect(loaded == 1)
        #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
        // What is loaded is not loaded again.
        container.loadPersistentStores { _, _ in loaded += 1 }
        #expect(loaded == 1)
    }

    /// Programs that empty their store do so, and go on in the handler.
    @Test(arguments: [NSSQLiteStoreType, NSBinaryStoreType, NSInMemoryStoreType], [true, false])
    func storesThatAreGoneAreLoadedAgain(_ type: String, isDestroyed: Bool) throws {
        let folder = try TemporaryFolder()
        let container = NSPersistentContainer(name: "Library", managedObjectModel: LibraryModel.make())
        let description = NSPersistentStoreDescription(url: folder.file("Again"))
        description.type = type
        container.persistentStoreDescriptions = [description]
        let coordinator = container.persistentStoreCoordinator
        var loads = 0
        for round in 1...3 {
            container.loadPersistentStores { given, error in
                #expect(given === description)
                #expect(error == nil)
                loads += 1
            }
            #expect(loads == round)
            let store = try #require(coordinator.persistentStores.first)
            #expect(coordinator.persistentStores.count == 1)
            let context = container.newBackgroundContext()
            try context.performAndWait {
                context.insert("Tag", ["word": "x"])
                try context.save()
                let isKept = !isDestroyed && type != NSInMemoryStoreType
                #expect(try context.fetchAll("Tag").count == (isKept ? round : 1))
            }
            if isDestroyed, type != NSInMemoryStoreType {
                try coordinator.destroyPersistentStore(at: folder.file("Again"), ofType: type)
            } else {
                try coordinator.remove(store)
            }
        }
    }

    /// Programs of both worlds declare one, and ask containers whether they are one.
    @Test func containersOfCloudKitHoldLocalStoresOnly() throws {
        let folder = try TemporaryFolder()
        let container = NSPersistentCloudKitContainer(name: "Library", managedObjectModel: LibraryModel.make())
        #expect(container as NSPersistentContainer is NSPersistentCloudKitContainer)
        let description = NSPersistentStoreDescription(url: folder.file("Local.sqlite"))
        description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
            containerIdentifier: "iCloud.org.example")
        container.persistentStoreDescriptions = [description]
        var failure: NSError?
        container.loadPersistentStores { failure = $1 as NSError? }
        #expect(failure?.code == NSPersistentStoreOperationError)
        #expect(!FileManager.default.fileExists(atPath: folder.file("Local.sqlite").path))
        #expect(throws: NSError.self) { try container.initializeCloudKitSchema() }
        description.cloudKitContainerOptions = nil
        container.loadPersistentStores { failure = $1 as NSError? }
        #expect(failure == nil)
        let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
        #expect(container.canModifyManagedObjects(in: store))
    }

    @Test func backgroundTasksHaveContextsOfTheirOwn() async throws {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: LibraryModel.make())
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        let count = try await container.performBackgroundTask { context in
            context.insert("Tag", ["word": "x"])
            try context.save()
            return try context.fetchAll("Tag").count
        }
        #expect(count == 1)
        await #expect(throws: CocoaError.self) {
            try await container.performBackgroundTask { _ in throw CocoaError(.fileNoSuchFile) }
        }
    }
}

private final class Counter: @unchecked Sendable {
    var value = 0
}
