import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// What a save posts and when, IDs after the saves of nested contexts, and objects that were never saved.
@Suite("Details of saving")
struct SavingDetailsTests {
    private final class Posts: @unchecked Sendable {
        var all: [Notification] = []
        private var tokens: [any NSObjectProtocol] = []

        init(_ context: NSManagedObjectContext, _ names: [Notification.Name]) {
            tokens = names.map { name in
                NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { [unowned self] in
                    all.append($0)
                }
            }
        }

        deinit { tokens.forEach { NotificationCenter.default.removeObserver($0) } }
    }

    private static let saving: [Notification.Name] = [
        .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs,
    ]

    /// As at Apple: programs that want silence ask `hasChanges` first.
    @Test(arguments: [false, true]) func aSaveWithoutChangesIsPosted(inChild: Bool) throws {
        let library = try Library(store: .sqlite)
        let context = inChild ? library.makeChild() : library.context
        try context.performAndWait {
            let posts = Posts(context, Self.saving)
            try context.save()
            #expect(posts.all.map(\.name) == Self.saving)
            for key in ["inserted", "updated", "deleted"] {
                #expect(posts.all[1].userInfo?[key] as? Set<NSManagedObject> == [])
                #expect(posts.all[2].userInfo?[key + "_objectIDs"] as? Set<NSManagedObjectID> == [])
            }
            context.insert("Author", ["name": "Ann"])
            try context.save()
            #expect(posts.all.count == 6)
            // What was inserted and deleted since leaves nothing to save.
            context.delete(context.insert("Author"))
            try context.save()
            #expect(posts.all.count == 9 && posts.all[7].userInfo?["deleted"] as? Set<NSManagedObject> == [])
        }
    }

    @Test func whatAnObserverChangesBeforeASaveWithoutChangesIsSaved() throws {
        let library = try Library(store: .sqlite)
        let context = library.context
        try context.performAndWait {
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextWillSave, object: context, queue: nil
            ) { _ in context.insert("Author", ["name": "Ann"]) }
            defer { NotificationCenter.default.removeObserver(token) }
            try context.save()
            #expect(!context.hasChanges)
            #expect(try library.makeContext().count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 1)
        }
    }

    @Test func aSaveWithoutChangesMergesNothing() throws {
        let library = try Library(store: .sqlite)
        let other = library.makeContext()
        other.automaticallyMergesChangesFromParent = true
        let posts = Posts(other, [.NSManagedObjectContextDidMergeChangesObjectIDs])
        try library.context.performAndWait { try library.context.save() }
        other.performAndWait {}
        #expect(posts.all.isEmpty)
    }

    /// Observers may keep what they are told; later merges must not change it, nor repeat it.
    @Test func eachMergeReportsItsOwnObjects() throws {
        let library = try Library(store: .sqlite)
        let (context, other) = (library.context, library.makeContext())
        other.automaticallyMergesChangesFromParent = true
        let posts = Posts(other, [.NSManagedObjectContextDidMergeChangesObjectIDs])
        func save(_ change: () throws -> Void) throws {
            try context.performAndWait {
                try change()
                try context.save()
            }
            other.performAndWait {}
        }
        var book: NSManagedObject?
        try save { book = context.insert("Book", ["title": "Emma"]) }
        let id = try #require(book?.objectID)
        try save { book?.setValue("Persuasion", forKey: "title") }
        try save { book.map(context.delete) }
        let reported = posts.all.map { post in
            ["inserted", "updated", "deleted", "refreshed"].map {
                post.userInfo?[$0 + "_objectIDs"] as? Set<NSManagedObjectID>
            }
        }
        #expect(reported == [[[id], [], [], []], [[], [id], [], [id]], [[], [], [id], []]])
    }

    /// Programs that wait for a save and then read the view context on its queue expect it to have merged the save.
    @Test func theAutomaticMergeComesBeforeWhatObserversQueue() throws {
        let library = try Library(store: .sqlite)
        let view = library.makeContext(), child = library.makeChild(of: view)
        for context in [view, child] { context.automaticallyMergesChangesFromParent = true }
        let (book, childsBook) = try library.context.performAndWait {
            let book = library.context.insert("Book", ["title": "old"])
            try library.context.save()
            let id = book.objectID
            return try (
                view.performAndWait { try view.existingObject(with: id) },
                child.performAndWait { try child.existingObject(with: id) }
            )
        }
        nonisolated(unsafe) let (here, below) = (book, childsBook)
        nonisolated(unsafe) var titles: [String?] = []
        for name in [Notification.Name.NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs] {
            let queued = DispatchSemaphore(value: 0)
            let token = NotificationCenter.default.addObserver(forName: name, object: library.context, queue: nil) {
                _ in
                view.perform {
                    titles.append(here.value(forKey: "title") as? String)
                    queued.signal()
                }
            }
            let merged = DispatchSemaphore(value: 0)
            let other = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidMergeChangesObjectIDs, object: view, queue: nil
            ) { _ in
                child.perform {
                    titles.append(below.value(forKey: "title") as? String)
                    merged.signal()
                }
            }
            defer { [token, other].forEach(NotificationCenter.default.removeObserver) }
            try library.context.performAndWait {
                try library.context.fetchAll("Book").first?.setValue(name.rawValue, forKey: "title")
                try library.context.save()
            }
            queued.wait()
            merged.wait()
            #expect(titles == [name.rawValue, name.rawValue])
            titles = []
        }
    }

    @Test func theDidSaveNotificationCarriesTheChangeToken() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Token-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let library = try Library(
            type: NSSQLiteStoreType, at: folder.appendingPathComponent("Store.sqlite"),
            options: [NSPersistentHistoryTrackingKey: true as NSNumber], removing: folder)
        let context = library.context
        try context.performAndWait {
            let posts = Posts(context, [.NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs])
            var tokens: [NSPersistentHistoryToken] = []
            for name in ["Ann", "Bob"] {
                context.insert("Author", ["name": name])
                posts.all = []
                try context.save()
                for post in posts.all {
                    let token = try #require(post.userInfo?["newChangeToken"] as? NSPersistentHistoryToken)
                    #expect(token == library.coordinator.currentPersistentHistoryToken(fromStores: nil))
                    tokens.append(token)
                }
            }
            #expect(tokens.count == 4 && tokens[0] == tokens[1] && tokens[0] != tokens[2])
            // What was saved after the first token is the second transaction.
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: tokens[0])
            let result = try #require(try context.execute(request) as? NSPersistentHistoryResult)
            #expect((result.result as? [NSPersistentHistoryTransaction])?.count == 1)
        }
    }

    @Test func withoutHistoryThereIsNoToken() throws {
        let library = try Library(store: .sqlite)
        try library.context.performAndWait {
            let posts = Posts(library.context, [.NSManagedObjectContextDidSave])
            library.context.insert("Author", ["name": "Ann"])
            try library.context.save()
            #expect(posts.all.count == 1 && posts.all[0].userInfo?["newChangeToken"] == nil)
        }
    }

    @Test func theRootContextIsTheAuthorOfABatchRequest() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Author-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let library = try Library(
            type: NSSQLiteStoreType, at: folder.appendingPathComponent("Store.sqlite"),
            options: [NSPersistentHistoryTrackingKey: true as NSNumber], removing: folder)
        let root = library.context, child = library.makeChild()
        root.transactionAuthor = "root"
        root.name = "root context"
        child.transactionAuthor = "child"
        try child.performAndWait {
            _ = try child.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["word": "x"]]))
        }
        try root.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try root.execute(request) as? NSPersistentHistoryResult
            let transaction = try #require((result?.result as? [NSPersistentHistoryTransaction])?.last)
            #expect(transaction.author == "root" && transaction.contextName == "root context")
        }
    }

    @Test(arguments: [1, 2]) func aChildObtainsTheIDsOfWhatWasSavedAbove(_ depth: Int) throws {
        let library = try Library(store: .sqlite)
        var contexts = [library.context]
        for _ in 0..<depth { contexts.append(library.makeChild(of: contexts.last)) }
        let child = contexts[depth]
        let author = try child.performAndWait {
            let author = child.insert("Author", ["name": "Ann"])
            try child.save()
            return author
        }
        for context in contexts.dropLast().reversed() { try context.performAndWait { try context.save() } }
        try child.performAndWait {
            try child.obtainPermanentIDs(for: [author])
            #expect(!author.objectID.isTemporaryID)
            #expect(
                try library.makeContext().existingObject(with: author.objectID).value(forKey: "name") as? String
                    == "Ann")
        }
    }

    @Test func aChildObtainsIDsBeforeItsParentSaves() throws {
        let library = try Library(store: .sqlite)
        let child = library.makeChild()
        let id = try child.performAndWait {
            let author = child.insert("Author", ["name": "Ann"])
            try child.save()
            try child.obtainPermanentIDs(for: [author])
            return author.objectID
        }
        #expect(!id.isTemporaryID)
        try library.context.performAndWait {
            try library.context.save()
            #expect(try library.makeContext().existingObject(with: id).value(forKey: "name") as? String == "Ann")
        }
    }

    @Test func nothingIsCommittedOfAnObjectNeverSaved() throws {
        let library = try Library(store: .sqlite)
        try library.context.performAndWait {
            let book = library.context.insert("Book", ["title": "Emma"])
            #expect(book.committedValues(forKeys: nil).isEmpty)
            #expect(book.committedValues(forKeys: ["title", "tags"]).isEmpty)
            try library.context.save()
            #expect(book.committedValues(forKeys: ["title"])["title"] as? String == "Emma")
        }
    }

    @Test func refreshingAnObjectNeverSavedMakesItAFault() throws {
        let library = try Library(store: .sqlite)
        try library.context.performAndWait {
            let author = library.context.insert("Author", ["name": "Ann"])
            try library.context.save()
            let book = library.context.insert("Book", ["title": "Emma", "author": author])
            library.context.processPendingChanges()
            library.context.refresh(book, mergeChanges: true)
            #expect(!book.isFault && book.isInserted)
            library.context.refresh(book, mergeChanges: false)
            #expect(book.isFault && !book.isInserted)
            #expect((author.value(forKey: "books") as? NSSet)?.count == 0)
            #expect(book.value(forKey: "title") == nil)
            try library.context.save()
            #expect(try library.makeContext().fetchAll("Book").isEmpty)
        }
    }
}
