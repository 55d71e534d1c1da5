import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Contexts go on when the store under them is migrated: their objects get the IDs of the copies, faults fire from the new
/// store, and unsaved changes are saved there.
@Suite("Migrating a store under contexts")
struct StoreMoveTests {
    static let types = [NSSQLiteStoreType, NSBinaryStoreType, NSXMLStoreType, NSInMemoryStoreType]
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func migrate(_ library: Library, to type: String) throws -> NSPersistentStore {
        try library.coordinator.migratePersistentStore(
            library.coordinator.persistentStores[0], to: folder.file("to"), withType: type)
    }

    /// Keys of the copies differ from those of the originals: rows of several entities, with gaps.
    private func fill(_ library: Library) throws -> (
        author: NSManagedObject, books: [NSManagedObject], tag: NSManagedObject
    ) {
        let context = library.context
        let spare = (0..<3).map { context.insert("Book", ["title": "spare \($0)"]) }
        let other = context.insert("Author", ["name": "spare"])
        try context.save()
        let author = context.insert("Author", ["name": "Austen"])
        let books = ["Emma", "Sense", "Pride"].map { context.insert("Book", ["title": $0, "author": author]) }
        let tag = context.insert("Tag", ["word": "novel", "books": Set(books)])
        context.insert("Shelf", ["label": "A", "books": NSOrderedSet(array: [books[2], books[0]])])
        try context.save()
        for object in spare { context.delete(object) }
        context.delete(other)
        try context.save()
        return (author, books, tag)
    }

    private func titles(_ objects: Any?) -> [String] {
        ((objects as? Set<NSManagedObject>) ?? []).compactMap { $0.value(forKey: "title") as? String }.sorted()
    }

    @Test(arguments: types, types)
    func objectsGoOn(from: String, to: String) throws {
        let library = try Library(type: from, at: folder.file("from"))
        let context = library.context
        try context.performAndWait {
            let (author, books, tag) = try fill(library)
            let shelf = try #require(try context.fetchAll("Shelf").first)
            context.refresh(books[1], mergeChanges: false)
            // Changed, deleted and new, with relationships in all directions.
            books[0].setValue("Emma, edited", forKey: "title")
            books[2].setValue(nil, forKey: "author")
            shelf.mutableOrderedSetValue(forKey: "books").insert(books[1], at: 0)
            let newAuthor = context.insert("Author", ["name": "Woolf"])
            let newBook = context.insert("Book", ["title": "Orlando", "author": newAuthor])
            let newTag = context.insert("Tag", ["word": "new", "books": Set([newBook, books[0]])])
            let ids = [newBook, newTag]
            try context.obtainPermanentIDs(for: [newBook])
            newBook.setValue(author, forKey: "author")
            context.delete(tag)
            let oldIDs = books.map(\.objectID)

            let store = try migrate(library, to: to)

            #expect(books[0].value(forKey: "title") as? String == "Emma, edited" && books[0].hasChanges)
            #expect(books[1].value(forKey: "title") as? String == "Sense" && !books[1].isDeleted)
            #expect(author.value(forKey: "name") as? String == "Austen" && !author.isDeleted)
            #expect(titles(author.value(forKey: "books")) == ["Emma, edited", "Orlando", "Sense"])
            for (object, old) in zip(books, oldIDs) {
                #expect(object.objectID.persistentStore === store && object.objectID != old)
                #expect(context.registeredObject(for: object.objectID) === object)
            }
            #expect(newBook.objectID.persistentStore === store && newTag.objectID.isTemporaryID)
            #expect(ids.allSatisfy { $0.isInserted } && tag.isDeleted)
            #expect(try context.fetchAll("Author").contains(author))
            try context.save()
            #expect(!context.hasChanges)
            books[1].setValue("Sense, edited", forKey: "title")
            try context.save()
        }
        let reader = library.makeContext()
        try reader.performAndWait {
            let books = try reader.fetchAll("Book")
            let all = ["Emma, edited", "Orlando", "Pride", "Sense, edited"]
            #expect(books.compactMap { $0.value(forKey: "title") as? String }.sorted() == all)
            let austen = try #require(
                try reader.fetchAll("Author").first { $0.value(forKey: "name") as? String == "Austen" })
            #expect(titles(austen.value(forKey: "books")) == ["Emma, edited", "Orlando", "Sense, edited"])
            let tags = try reader.fetchAll("Tag")
            #expect(tags.map { $0.value(forKey: "word") as? String } == ["new"])
            #expect(titles(tags.first?.value(forKey: "books")) == ["Emma, edited", "Orlando"])
            let shelf = try #require(try reader.fetchAll("Shelf").first)
            let order = (shelf.value(forKey: "books") as? NSOrderedSet)?.array as? [NSManagedObject]
            #expect(
                order?.map { $0.value(forKey: "title") as? String } == ["Sense, edited", "Pride", "Emma, edited"])
        }
    }

    @Test(arguments: types) func otherContextsAndChildrenGoOn(to: String) throws {
        let library = try Library(type: NSSQLiteStoreType, at: folder.file("from"))
        let (author, books, _) = try fill(library)
        let other = library.makeContext(), child = library.makeChild(), grandchild = library.makeChild(of: child)
        let contexts = [other, child, grandchild]
        let theirs = contexts.map { context in
            context.performAndWait {
                let object = context.object(with: books[0].objectID)
                _ = object.value(forKeyPath: "author.name")
                return object
            }
        }
        grandchild.performAndWait {
            theirs[2].setValue("by the grandchild", forKey: "title")
            theirs[2].setValue(grandchild.insert("Author", ["name": "new"]), forKey: "author")
        }
        _ = author
        let store = try migrate(library, to: to)
        for (context, object) in zip(contexts, theirs) {
            context.performAndWait {
                #expect(object.objectID.persistentStore === store)
                if context === grandchild { return }
                #expect(object.value(forKey: "title") as? String == "Emma")
                #expect(object.value(forKeyPath: "author.name") as? String == "Austen")
            }
        }
        try grandchild.performAndWait { try grandchild.save() }
        try child.performAndWait { try child.save() }
        try library.context.performAndWait { try library.context.save() }
        let reader = library.makeContext()
        try reader.performAndWait {
            let book = try #require(
                try reader.fetchAll("Book").first { $0.value(forKey: "title") as? String == "by the grandchild" })
            #expect(book.value(forKeyPath: "author.name") as? String == "new")
        }
    }

    /// What another context changed before the migration is a conflict after it.
    @Test(arguments: types) func conflictsAreNoticedAllTheSame(to: String) throws {
        let library = try Library(type: NSSQLiteStoreType, at: folder.file("from"))
        let (_, books, _) = try fill(library)
        let other = library.makeContext()
        let theirs = other.performAndWait {
            let theirs = other.object(with: books[0].objectID)
            theirs.setValue("there", forKey: "title")
            return theirs
        }
        books[0].setValue("here", forKey: "title")
        try library.context.save()
        _ = try migrate(library, to: to)
        let error = other.performAndWait { () -> NSError? in
            do {
                try other.save()
                return nil
            } catch {
                return error as NSError
            }
        }
        #expect(error?.code == NSManagedObjectMergeError)
        let ours = library.context.performAndWait { books[0].objectID }
        #expect(other.performAndWait { theirs.objectID } == ours)
    }

    @Test func theMigrationIsAnnounced() throws {
        let library = try Library(type: NSSQLiteStoreType, at: folder.file("from"))
        let (author, _, _) = try fill(library)
        let old = library.coordinator.persistentStores[0]
        nonisolated(unsafe) var changes: [[AnyHashable: Any]] = []
        nonisolated(unsafe) var refreshed: Set<NSManagedObject> = []
        let tokens = [
            NotificationCenter.default.addObserver(
                forName: .NSPersistentStoreCoordinatorStoresDidChange, object: library.coordinator, queue: nil
            ) { changes.append($0.userInfo ?? [:]) },
            NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: library.context, queue: nil
            ) { refreshed.formUnion($0.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> ?? []) },
        ]
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        let new = try library.context.performAndWait { try migrate(library, to: NSXMLStoreType) }
        library.context.performAndWait { library.context.processPendingChanges() }
        #expect(changes.count == 1)
        #expect(changes.first?[NSUUIDChangedPersistentStoresKey] as? [NSPersistentStore] == [old, new])
        #expect(changes.first?[NSAddedPersistentStoresKey] as? [NSPersistentStore] == [new])
        #expect(changes.first?[NSRemovedPersistentStoresKey] as? [NSPersistentStore] == [old])
        #expect(refreshed.contains(author))
    }

    /// Whatever another thread saves while the store is copied is in the new one, or its save was an error.
    @Test(.timeLimit(.minutes(5)), arguments: types) func nothingAcknowledgedIsLost(from: String) throws {
        for round in 0..<5 {
            let library = try Library(type: from, at: folder.file("from \(round)"))
            let (_, _, _) = try fill(library)
            let context = library.makeContext()
            let group = DispatchGroup()
            nonisolated(unsafe) var acknowledged: [String] = []
            nonisolated(unsafe) var isDone = false
            let lock = NSLock()
            DispatchQueue.global().async(group: group) {
                for index in 0... {
                    context.performAndWait {
                        let title = "saved \(index)"
                        context.insert("Book", ["title": title])
                        do {
                            try context.save()
                            acknowledged.append(title)
                        } catch {
                            context.rollback()
                        }
                    }
                    if lock.withLock({ isDone }) { break }
                }
            }
            usleep(UInt32(round) * 3000)
            _ = try library.coordinator.migratePersistentStore(
                library.coordinator.persistentStores[0], to: folder.file("to \(round)"), withType: NSSQLiteStoreType)
            lock.withLock { isDone = true }
            group.wait()
            let reader = library.makeContext()
            let found = try reader.performAndWait {
                Set(try reader.fetchAll("Book").compactMap { $0.value(forKey: "title") as? String })
            }
            #expect(acknowledged.allSatisfy(found.contains), "\(acknowledged.filter { !found.contains($0) })")
        }
    }
}
