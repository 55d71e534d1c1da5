import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Chains of contexts: saves go up one level, fetches come down through all, IDs become permanent on the way back.
@Suite("Parents and children")
struct ParentTests {
    let library: SQLiteLibrary
    let middle: NSManagedObjectContext
    let leaf: NSManagedObjectContext
    var root: NSManagedObjectContext { library.context }

    init() throws {
        library = try SQLiteLibrary()
        middle = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        middle.parent = library.context
        leaf = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        leaf.parent = middle
    }

    private func saveAll() throws {
        for context in [leaf, middle, root] { try context.performAndWait { try context.save() } }
    }

    private func count() throws -> Int {
        let other = library.makeContext()
        return try other.performAndWait { try other.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) }
    }

    @Test func aSaveGoesUpOneLevel() throws {
        #expect(leaf.persistentStoreCoordinator === library.coordinator)
        try leaf.performAndWait {
            leaf.insert("Book", ["title": "Emma"])
            try leaf.save()
            #expect(!leaf.hasChanges)
        }
        middle.performAndWait { #expect(middle.insertedObjects.count == 1) }
        root.performAndWait { #expect(root.insertedObjects.isEmpty) }
        try middle.performAndWait { try middle.save() }
        root.performAndWait { #expect(root.insertedObjects.count == 1) }
        #expect(try count() == 0)
        try root.performAndWait { try root.save() }
        #expect(try count() == 1)
    }

    @Test func idsBecomePermanentOnTheWayBack() throws {
        let book = try leaf.performAndWait {
            let book = leaf.insert("Book", ["title": "Emma"])
            try leaf.save()
            #expect(book.objectID.isTemporaryID)
            return book
        }
        try saveAll()
        try leaf.performAndWait {
            let fetched = try leaf.fetchAll("Book")
            #expect(fetched == [book])
            #expect(!book.objectID.isTemporaryID)
            book.setValue("Persuasion", forKey: "title")
        }
        try saveAll()
        #expect(try count() == 1)
    }

    @Test func permanentIDsCanBeHadBefore() throws {
        let id = try leaf.performAndWait {
            let book = leaf.insert("Book", ["title": "Emma"])
            try leaf.obtainPermanentIDs(for: [book])
            #expect(!book.objectID.isTemporaryID && book.isInserted)
            return book.objectID
        }
        try saveAll()
        let other = library.makeContext()
        try other.performAndWait {
            let book = try other.existingObject(with: id)
            #expect(book.value(forKey: "title") as? String == "Emma")
        }
    }

    @Test func fetchesSeeWhatIsUnsavedAbove() throws {
        try root.performAndWait {
            root.insert("Book", ["title": "saved", "pages": 1])
            try root.save()
            for book in try root.fetchAll("Book") { book.setValue(2, forKey: "pages") }
            root.insert("Book", ["title": "unsaved", "pages": 2])
        }
        try leaf.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "pages == 2")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            #expect(try leaf.fetch(request).map { $0.value(forKey: "title") as? String } == ["saved", "unsaved"])
            #expect(try leaf.count(for: request) == 2)
            let fresh = try #require(try leaf.fetch(request).first)
            fresh.setValue(3, forKey: "pages")
            #expect(try leaf.count(for: request) == 1)
        }
        root.performAndWait { #expect(root.updatedObjects.first?.value(forKey: "pages") as? Int == 2) }
    }

    @Test func theChildsValuesWinOverUnsavedOnesAbove() throws {
        let id = try root.performAndWait {
            let book = root.insert("Book", ["title": "one", "pages": 1])
            try root.save()
            return book.objectID
        }
        try middle.performAndWait {
            middle.object(with: id).setValue("child", forKey: "title")
            root.performAndWait { root.object(with: id).setValuesForKeys(["title": "parent", "pages": 5]) }
            try middle.save()
        }
        root.performAndWait {
            let book = root.object(with: id)
            #expect(book.value(forKey: "title") as? String == "child" && book.value(forKey: "pages") as? Int == 5)
        }
    }

    @Test func deletionsGoUpAndApplyThere() throws {
        let ids = try root.performAndWait {
            let author = root.insert("Author", ["name": "Austen"])
            let award = root.insert("Award", ["winner": author])
            let book = root.insert("Book", ["author": author])
            try root.save()
            return [author, award, book].map(\.objectID)
        }
        try leaf.performAndWait {
            leaf.delete(leaf.object(with: ids[0]))
            try leaf.save()
        }
        try middle.performAndWait {
            #expect(middle.deletedObjects.count == 2)
            try middle.save()
        }
        try root.performAndWait {
            #expect(root.deletedObjects.count == 2)
            try root.save()
            #expect(try root.fetchAll("Award").isEmpty)
            #expect(try root.fetchAll("Book").first?.value(forKey: "author") == nil)
        }
    }

    /// The row it was lent may still name the other by the temporary ID, of which a context made later has never heard.
    @Test(arguments: [false, true])
    func aRelationshipThatIsSetBackHasNotChanged(afterReset: Bool) throws {
        middle.performAndWait {
            let shelf = middle.insert("Shelf", ["label": "old"])
            middle.insert("Book", ["title": "one", "shelf": shelf])
        }
        if afterReset { _ = try leaf.performAndWait { try leaf.fetchAll("Book") } }
        for context in [middle, root] { try context.performAndWait { try context.save() } }
        let latest = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        latest.parent = middle
        let context = afterReset ? leaf : latest
        try context.performAndWait {
            if afterReset {
                context.processPendingChanges()
                _ = try context.fetchAll("Shelf")
                context.reset()
            }
            let book = try #require(try context.fetchAll("Book").first)
            let shelf = try #require(try context.fetchAll("Shelf").first)
            book.setValue(nil, forKey: "shelf")
            #expect(book.changedValues().keys.sorted() == ["shelf"])
            book.setValue(shelf, forKey: "shelf")
            #expect(book.changedValues().isEmpty && !book.hasPersistentChangedValues)
            book.setValue(context.insert("Shelf"), forKey: "shelf")
            #expect(book.changedValues().keys.sorted() == ["shelf"])
        }
    }

    @Test func childrenFollowOnRequest() async throws {
        let id = try root.performAndWait {
            let book = root.insert("Book", ["title": "one"])
            try root.save()
            return book.objectID
        }
        leaf.automaticallyMergesChangesFromParent = true
        middle.automaticallyMergesChangesFromParent = true
        let leaf = leaf, middle = middle
        try leaf.performAndWait { _ = try leaf.existingObject(with: id) }
        try root.performAndWait {
            root.object(with: id).setValue("two", forKey: "title")
            try root.save()
        }
        // Merges are enqueued: first in the middle, then below.
        await middle.perform {}
        let title = await leaf.perform { leaf.object(with: id).value(forKey: "title") as? String }
        #expect(title == "two")
    }

    @Test func failedValidationLeavesTheParentAlone() throws {
        try leaf.performAndWait {
            leaf.insert("Author")
            let error = try #require(throws: NSError.self) { try leaf.save() }
            #expect(error.code == NSValidationMissingMandatoryPropertyError && leaf.hasChanges)
        }
        middle.performAndWait { #expect(!middle.hasChanges) }
    }

    @Test func awakeningFromInsertIsNotRepeatedAbove() throws {
        let zoo = try Zoo()
        let child = zoo.library.makeChild()
        let journal = Journal()
        child.userInfo["journal"] = journal
        try child.performAndWait {
            child.insert("Creature", ["name": "cat"])
            try child.save()
        }
        #expect(journal.lines.filter { $0.hasPrefix("awakeFromInsert") }.count == 1)
        #expect(zoo.journal.take() == [])
        // Values came along; they were not made anew.
        zoo.context.performAndWait {
            #expect(zoo.context.insertedObjects.first?.value(forKey: "name") as? String == "cat")
        }
    }
}
