import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A context pinned to a query generation keeps seeing one state of the stores while others write.
@Suite("Query generations")
struct QueryGenerationTests {
    private let library: SQLiteLibrary
    private let writer: NSManagedObjectContext

    init() throws {
        library = try SQLiteLibrary()
        writer = library.makeContext()
        try write(["a", "b"])
    }

    private func write(_ words: [String]) throws {
        try writer.performAndWait {
            for word in words { writer.insert("Tag", ["word": word]) }
            try writer.save()
        }
    }

    private func words(_ context: NSManagedObjectContext) throws -> [String] {
        try context.performAndWait {
            try context.fetchAll("Tag").compactMap { $0.value(forKey: "word") as? String }.sorted()
        }
    }

    private func pin(
        _ context: NSManagedObjectContext, _ token: NSQueryGenerationToken? = .current
    ) throws {
        try context.performAndWait { try context.setQueryGenerationFrom(token) }
    }

    private func token(_ context: NSManagedObjectContext) -> NSQueryGenerationToken? {
        context.performAndWait { context.queryGenerationToken }
    }

    @Test("Fetches, counts, faults and relationships show the pinned state")
    func pinned() throws {
        let context = library.context
        #expect(token(context) == nil)
        try pin(context)
        #expect(token(context) == .current)
        // The state is chosen by the first read.
        try write(["c"])
        #expect(try words(context) == ["a", "b", "c"])
        #expect(token(context) != .current)
        let book = try context.performAndWait { try context.fetchAll("Tag").first }
        try writer.performAndWait {
            let tags = try writer.fetchAll("Tag")
            for tag in tags { tag.setValue("new", forKey: "word") }
            tags[0].setValue(Set([writer.insert("Book")]), forKey: "books")
            try writer.save()
        }
        try write(["d"])
        #expect(try words(context) == ["a", "b", "c"])
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            request.predicate = NSPredicate(format: "word == 'new'")
            let count = try context.count(for: request)
            #expect(count == 0)
            context.refreshAllObjects()
            #expect(["a", "b", "c"].contains(book?.value(forKey: "word") as? String))
            #expect((book?.value(forKey: "books") as? Set<NSManagedObject>)?.isEmpty == true)
        }
        try pin(context, nil)
        context.performAndWait { context.refreshAllObjects() }
        #expect(try words(context) == ["d", "new", "new", "new"])
    }

    @Test("Another context's token shares its state")
    func shared() throws {
        let context = library.context, second = library.makeContext()
        try pin(context)
        #expect(try words(context) == ["a", "b"])
        try write(["c"])
        let token = try #require(self.token(context))
        try pin(second, token)
        #expect(try words(second) == ["a", "b"])
        #expect(self.token(second) == token)
        #expect(try words(library.makeContext()) == ["a", "b", "c"])
    }

    @Test("Saving, merging and resetting move on")
    func movingOn() throws {
        let context = library.context
        try pin(context)
        #expect(try words(context) == ["a", "b"])
        try write(["c"])
        try context.performAndWait {
            context.insert("Tag", ["word": "mine"])
            try context.save()
        }
        #expect(try words(context) == ["a", "b", "c", "mine"])
        try write(["d"])
        #expect(try words(context) == ["a", "b", "c", "mine"])
        context.performAndWait { context.reset() }
        #expect(try words(context).contains("d"))
        nonisolated(unsafe) var saved: Notification?
        let observer = NotificationCenter.default.addObserver(
            forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: writer, queue: nil
        ) { saved = $0 }
        defer { NotificationCenter.default.removeObserver(observer) }
        try write(["e"])
        #expect(try !words(context).contains("e"))
        context.performAndWait { context.mergeChanges(fromContextDidSave: saved!) }
        #expect(try words(context).contains("e"))
    }

    @Test("A conflict with what was written meanwhile is found")
    func conflicts() throws {
        let context = library.context
        try pin(context)
        try context.performAndWait {
            let tag = try #require(try context.fetchAll("Tag").first)
            let id = tag.objectID
            try writer.performAndWait {
                try writer.existingObject(with: id).setValue("theirs", forKey: "word")
                try writer.save()
            }
            tag.setValue("mine", forKey: "word")
            #expect(throws: CocoaError.self) { try context.save() }
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            #expect(tag.value(forKey: "word") as? String == "mine")
        }
    }

    @Test("A child cannot be pinned, a state that is gone cannot be pinned to")
    func refusals() throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = library.context
        #expect(throws: CocoaError.self) { try pin(child) }
        #expect(token(child) == nil)
        try pin(library.context)
        _ = try words(library.context)
        let live = try #require(self.token(library.context))
        let archive = try NSKeyedArchiver.archivedData(withRootObject: live, requiringSecureCoding: true)
        let copy = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: NSQueryGenerationToken.self, from: archive))
        #expect(copy == live)
        #expect(throws: CocoaError.self) { try pin(library.context, copy) }
        let elsewhere = try SQLiteLibrary()
        #expect(throws: CocoaError.self) { try pin(elsewhere.context, live) }
    }

    private func pinnedWords(_ coordinator: NSPersistentStoreCoordinator) throws -> [[String]] {
        let contexts = (0..<2).map { _ in NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType) }
        for context in contexts { context.persistentStoreCoordinator = coordinator }
        let (context, other) = (contexts[0], contexts[1])
        func add() throws {
            try other.performAndWait { () throws in
                other.insert("Tag", ["word": "x"])
                try other.save()
            }
        }
        try add()
        try pin(context)
        var found = [try words(context)]
        try add()
        found.append(try words(context))
        try pin(context, nil)
        found.append(try words(context))
        return found
    }

    /// Apple's framework reads stores in memory as they are.
    @Test("Stores in memory keep generations")
    func memory() throws {
        let memory = try Library(store: .memory)
        #expect(try pinnedWords(memory.coordinator) == [["x"], ["x"], ["x", "x"]])
    }

    /// An open reader would keep all others from writing.
    @Test("Stores in rollback mode are read as they are")
    func rollbackMode() throws {
        let folder = try TemporaryFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("Store.sqlite"),
            options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
        #expect(try pinnedWords(coordinator) == [["x"], ["x", "x"], ["x", "x"]])
    }
}
