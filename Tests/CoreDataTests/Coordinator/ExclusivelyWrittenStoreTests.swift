import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// What a thread does to a store that it writes to exclusively. It would wait for its own transaction, until the store's timeout
/// (240 seconds) has passed.
@Suite("Stores that are being written exclusively")
struct ExclusivelyWrittenStoreTests {
    private let library: SQLiteLibrary
    private let folder: TemporaryFolder

    init() throws {
        library = try SQLiteLibrary()
        folder = try TemporaryFolder()
        try library.context.performAndWait {
            library.context.insert("Author", ["name": "Ann"])
            try library.context.save()
        }
    }

    /// Does what must not be done inside a write, which goes on and is saved.
    private func refused(_ description: String, _ body: (NSPersistentStoreCoordinator) throws -> Void) throws {
        let other = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let context = library.context
        let before = try library.makeContext().fetchAll("Author").count
        try context.performAndWait {
            try library.coordinator.writingExclusively {
                context.insert("Author", ["name": "Bob"])
                for coordinator in [library.coordinator, other] {
                    let error = #expect(throws: NSError.self) { try body(coordinator) }
                    #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSPersistentStoreOperationError)
                    #expect(
                        error?.localizedDescription == "The store at \(library.url.path) could not be \(description).")
                    #expect(
                        error?.localizedFailureReason
                            == "This thread is writing to it exclusively, and would wait for itself.")
                    #expect(
                        error?.localizedRecoverySuggestion == "Do it when the exclusive write has returned.")
                    #expect(error?.userInfo[NSFilePathErrorKey] as? String == library.url.path)
                }
                #expect(library.coordinator.persistentStores.count == 1)
                try context.save()
                // The transaction is over, the exclusive write is not.
                #expect(throws: NSError.self) { try body(library.coordinator) }
            }
        }
        #expect(try library.makeContext().fetchAll("Author").count == before + 1)
    }

    @Test func destroying() throws {
        let link = folder.file("Link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: library.url)
        try refused("destroyed") { try $0.destroyPersistentStore(at: library.url, ofType: NSSQLiteStoreType) }
        let force = [NSPersistentStoreForceDestroyOption: true]
        try refused("destroyed") {
            try $0.destroyPersistentStore(at: library.url, ofType: NSSQLiteStoreType, options: force)
        }
        try library.coordinator.writingExclusively {
            let error = #expect(throws: NSError.self) {
                try library.coordinator.destroyPersistentStore(at: link, ofType: NSSQLiteStoreType)
            }
            #expect(error?.localizedDescription == "The store at \(link.path) could not be destroyed.")
        }
        try library.coordinator.destroyPersistentStore(at: link, ofType: NSSQLiteStoreType)
        #expect(library.coordinator.persistentStores.isEmpty)
    }

    @Test func replacing() throws {
        let source = try SQLiteLibrary()
        try refused("replaced") {
            try $0.replacePersistentStore(
                at: library.url, withPersistentStoreFrom: source.url, sourceOptions: nil, ofType: NSSQLiteStoreType)
        }
    }

    @Test func movingAndMigrating() throws {
        let copy = folder.file("Copy")
        try library.context.performAndWait {
            try library.coordinator.writingExclusively {
                let error = #expect(throws: NSError.self) {
                    try library.coordinator.migratePersistentStore(
                        library.store, to: copy, options: nil, withType: NSSQLiteStoreType)
                }
                #expect(
                    error?.localizedDescription
                        == "The store at \(library.url.path) could not be moved to \(copy.path).")
                #expect(!library.coordinator.setURL(copy, for: library.store))
            }
        }
        let model = LibraryModel.make()
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: model)
        try refused("migrated") { _ in
            try NSMigrationManager(sourceModel: model, destinationModel: model).migrateStore(
                from: library.url, sourceType: NSSQLiteStoreType, options: nil, with: mapping, toDestinationURL: copy,
                destinationType: NSSQLiteStoreType, destinationOptions: nil)
        }
        #expect(!FileManager.default.fileExists(atPath: copy.path))
    }

    @Test func writingByAnotherCoordinator() throws {
        let second = try library.makeSecondContext()
        try library.context.performAndWait {
            try library.coordinator.writingExclusively {
                let error = #expect(throws: NSError.self) {
                    try second.performAndWait {
                        second.insert("Author", ["name": "Cleo"])
                        try second.save()
                    }
                }
                #expect(error?.localizedDescription == "The store at \(library.url.path) could not be written to.")
                #expect(throws: NSError.self) {
                    try NSPersistentStoreCoordinator.setMetadata(
                        ["key": "value"], forPersistentStoreOfType: NSSQLiteStoreType, at: library.url)
                }
                library.context.insert("Author", ["name": "Bob"])
                try library.context.save()
                // Nobody is kept out any more.
                try second.performAndWait { try second.save() }
            }
        }
        #expect(try library.makeContext().fetchAll("Author").count == 3)
    }

    /// A copy of what is committed needs nobody's turn.
    @Test func copyingIsPossible() throws {
        let copy = folder.file("Copy.sqlite")
        let data = Data(repeating: 7, count: 200_000)
        try library.context.performAndWait {
            library.context.insert("Book", ["title": "Emma", "cover": data])
            try library.context.save()
            try library.coordinator.writingExclusively {
                library.context.insert("Author", ["name": "Bob"])
                try library.coordinator.replacePersistentStore(
                    at: copy, withPersistentStoreFrom: library.url, sourceOptions: nil, ofType: NSSQLiteStoreType)
                try library.context.save()
            }
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: copy)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let (authors, books) = (try context.fetchAll("Author"), try context.fetchAll("Book"))
            #expect(authors.count == 1)
            #expect(books.first?.value(forKey: "cover") as? Data == data)
        }
    }
}
