import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Saving to a store that was opened for reading only is refused with the file system's code for that.
@Suite("Read-only stores")
struct ReadOnlyStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ type: String, _ options: [AnyHashable: Any] = [:]) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        _ = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: folder.file("a"), options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func close(_ context: NSManagedObjectContext) throws {
        for store in context.persistentStoreCoordinator?.persistentStores ?? [] {
            try context.persistentStoreCoordinator?.remove(store)
        }
    }

    private func check(_ error: NSError?) {
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == 513)
        #expect(error?.userInfo[NSURLErrorKey] as? URL == folder.file("a"))
        #expect(error?.userInfo[NSFilePathErrorKey] as? String == folder.file("a").path)
        #expect(error?.localizedFailureReason?.contains(folder.file("a").path) == true)
    }

    @Test(arguments: [NSSQLiteStoreType, NSBinaryStoreType, NSXMLStoreType])
    func changesOfEveryKindAreRefused(type: String) throws {
        let writing = try open(type)
        writing.insert("Tag", ["word": "w"])
        try writing.save()
        try close(writing)
        let before = try Data(contentsOf: folder.file("a"))

        let context = try open(type, [NSReadOnlyPersistentStoreOption: true])
        let tag = try #require(try context.fetchAll("Tag").first)
        tag.setValue("x", forKey: "word")
        check(#expect(throws: NSError.self) { try context.save() })
        #expect(context.hasChanges)
        context.rollback()
        context.delete(tag)
        check(#expect(throws: NSError.self) { try context.save() })
        context.rollback()
        #expect(tag.value(forKey: "word") as? String == "w")
        let new = context.insert("Tag", ["word": "n"])
        check(#expect(throws: NSError.self) { try context.save() })
        #expect(new.isInserted && context.hasChanges)
        check(#expect(throws: NSError.self) { try context.obtainPermanentIDs(for: [new]) })
        context.rollback()
        // A child's object comes to the same store.
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        try child.performAndWait {
            child.insert("Tag", ["word": "c"])
            try child.save()
        }
        check(#expect(throws: NSError.self) { try context.save() })
        context.rollback()
        try close(context)
        #expect(try Data(contentsOf: folder.file("a")) == before)
    }

    @Test func batchRequestsAreRefused() throws {
        try close(try open(NSSQLiteStoreType))
        let context = try open(NSSQLiteStoreType, [NSReadOnlyPersistentStoreOption: true])
        let insert = NSBatchInsertRequest(entityName: "Tag", objects: [["word": "w"]])
        check(#expect(throws: NSError.self) { try context.execute(insert) })
        let all = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
        check(#expect(throws: NSError.self) { try context.execute(NSBatchDeleteRequest(fetchRequest: all)) })
    }
}
