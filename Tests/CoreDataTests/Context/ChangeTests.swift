import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// When changes are processed, what notifications say of them, and what delete rules do.
@Suite("Changes of contexts")
struct ChangeTests {
    let library: Library
    var context: NSManagedObjectContext { library.context }

    init() throws { library = try Library() }

    /// The notifications of a context while something runs: name and sets of objects.
    private func notes(
        _ name: Notification.Name = .NSManagedObjectContextObjectsDidChange, _ body: () throws -> Void
    ) rethrows -> [[String: Set<NSManagedObject>]] {
        let box = Box()
        let token = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { note in
            var sets: [String: Set<NSManagedObject>] = [:]
            for (key, value) in note.userInfo ?? [:] {
                if let key = key as? String, let set = value as? Set<NSManagedObject> { sets[key] = set }
            }
            box.notes.append(sets)
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try body()
        return box.notes
    }

    private final class Box: @unchecked Sendable {
        var notes: [[String: Set<NSManagedObject>]] = []
    }

    // MARK: Moments

    @Test func anEventIsWhatHappensBetweenTwoProcessings() throws {
        try context.performAndWait {
            let book = context.insert("Book"), tag = context.insert("Tag")
            let first = notes { context.processPendingChanges() }
            #expect(first == [["inserted": [book, tag]]])
            #expect(notes { context.processPendingChanges() } == [])
            let second = notes {
                book.setValue("a", forKey: "title")
                book.setValue("b", forKey: "title")
                context.delete(tag)
                context.insert("Shelf").setValue("x", forKey: "label")
                context.processPendingChanges()
            }
            #expect(second.count == 1 && second[0]["updated"] == [book] && second[0]["deleted"] == [tag])
            #expect(second[0]["inserted"]?.count == 1 && second[0]["refreshed"] == nil)
            // Inserted and deleted in one event: reported as deleted only, as at Apple.
            let brief = context.insert("Tag")
            let third = notes {
                context.delete(brief)
                context.processPendingChanges()
            }
            #expect(third == [["deleted": [brief]]])
            #expect(brief.managedObjectContext == nil && !context.deletedObjects.contains(brief))
            let last = try notes { _ = try context.fetchAll("Tag") }
            #expect(last == [])
        }
    }

    @Test func fetchesSavesAndBlocksProcessChanges() async throws {
        let context = context
        try context.performAndWait {
            let fetched = try notes {
                context.insert("Tag")
                _ = try context.fetchAll("Tag")
            }
            let saved = try notes {
                context.insert("Tag")
                try context.save()
            }
            #expect(fetched.count == 1 && saved.count == 1)
        }
        let box = Box()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { _ in box.notes.append([:]) }
        defer { NotificationCenter.default.removeObserver(token) }
        await context.perform { _ = context.insert("Tag") }
        #expect(box.notes.count == 1)
    }

    @Test func savesTellOfAllThreeSets() throws {
        try context.performAndWait {
            let old = context.insert("Tag"), gone = context.insert("Tag")
            try context.save()
            let new = context.insert("Tag")
            old.setValue("x", forKey: "word")
            context.delete(gone)
            let saved = try notes(.NSManagedObjectContextDidSave) { try context.save() }
            #expect(saved == [["inserted": [new], "updated": [old], "deleted": [gone]]])
            old.setValue("y", forKey: "word")
            let again = try notes(.NSManagedObjectContextDidSave) { try context.save() }
            #expect(again == [["inserted": [], "updated": [old], "deleted": []]])
            let idle = try notes(.NSManagedObjectContextDidSave) { try context.save() }
            #expect(idle == [["inserted": [], "updated": [], "deleted": []]])
        }
    }

    @Test func observersMayChangeThings() throws {
        try context.performAndWait {
            let book = context.insert("Book")
            try context.save()
            nonisolated(unsafe) let observed = book
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { _ in
                if observed.value(forKey: "pages") as? Int == 1 { observed.setValue(2, forKey: "pages") }
            }
            defer { NotificationCenter.default.removeObserver(token) }
            book.setValue(1, forKey: "pages")
            context.processPendingChanges()
            try context.save()
            #expect(book.value(forKey: "pages") as? Int == 2 && !context.hasChanges)
        }
    }

    // MARK: Sets

    @Test func anObjectIsInOneSetOnly() throws {
        try context.performAndWait {
            let tag = context.insert("Tag")
            tag.setValue("x", forKey: "word")
            #expect(context.insertedObjects == [tag] && context.updatedObjects.isEmpty)
            try context.save()
            #expect(!context.hasChanges)
            tag.setValue("y", forKey: "word")
            context.delete(tag)
            context.processPendingChanges()
            #expect(context.updatedObjects.isEmpty && context.deletedObjects == [tag])
            #expect(context.registeredObjects == [tag])
            context.rollback()
            #expect(!context.hasChanges && tag.value(forKey: "word") as? String == "x")
        }
    }

    @Test func resettingForgetsEverything() throws {
        try context.performAndWait {
            let tag = context.insert("Tag", ["word": "x"])
            try context.save()
            context.insert("Tag")
            context.undoManager = UndoManager()
            nonisolated(unsafe) var ids: [NSManagedObjectID] = []
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { ids = $0.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID] ?? ids }
            defer { NotificationCenter.default.removeObserver(token) }
            let id = tag.objectID
            context.reset()
            #expect(ids.contains(id))
            #expect(context.registeredObjects.isEmpty && !context.hasChanges && tag.managedObjectContext == nil)
            #expect(tag.value(forKey: "word") == nil && tag.objectID == id)
        }
    }

    // MARK: Registration

    @Test func cleanObjectsAreHeldWeaklyUnlessRetained() throws {
        try context.performAndWait {
            var tag: NSManagedObject? = context.insert("Tag", ["word": "x"])
            weak var seen = tag
            tag = nil
            #expect(seen != nil)
            try context.save()
            #expect(seen == nil)
            context.retainsRegisteredObjects = true
            seen = try context.fetchAll("Tag").first
            #expect(seen != nil)
            context.retainsRegisteredObjects = false
            #expect(seen == nil)
        }
    }

    // MARK: Delete rules

    @Test(arguments: [NSDeleteRule.nullifyDeleteRule, .cascadeDeleteRule, .denyDeleteRule, .noActionDeleteRule])
    func rulesOfDeletion(_ rule: NSDeleteRule) throws {
        let box = LibraryModel.entity("Box"), item = LibraryModel.entity("Item")
        LibraryModel.relate(box, "items", many: true, item, "box", many: false, rule: rule)
        let model = NSManagedObjectModel()
        model.entities = [box, item]
        let library = try Library(model)
        let context = library.context
        try context.performAndWait {
            let box = context.insert("Box"), item = context.insert("Item")
            item.setValue(box, forKey: "box")
            try context.save()
            context.delete(box)
            #expect(context.deletedObjects == [box])
            context.processPendingChanges()
            switch rule {
            case .cascadeDeleteRule: #expect(context.deletedObjects == [box, item])
            case .nullifyDeleteRule:
                #expect(context.updatedObjects == [item] && item.value(forKey: "box") == nil)
            default:
                #expect(context.deletedObjects == [box] && context.updatedObjects.isEmpty)
                #expect(item.value(forKey: "box") as? NSManagedObject === box)
            }
            if rule == .denyDeleteRule {
                let error = try #require(throws: NSError.self) { try context.save() }
                #expect(error.code == NSValidationRelationshipDeniedDeleteError)
                item.setValue(nil, forKey: "box")
            }
            try context.save()
            #expect(try context.fetchAll("Box").isEmpty)
            #expect(try context.fetchAll("Item").count == (rule == .cascadeDeleteRule ? 0 : 1))
            if rule == .noActionDeleteRule {
                // What was left behind leads to a row that is gone.
                context.reset()
                let item = try #require(try context.fetchAll("Item").first)
                let dangling = item.value(forKey: "box") as? NSManagedObject
                #expect(dangling?.value(forKey: "items") as? Set<NSManagedObject> ?? [] == [])
                #expect(dangling?.isDeleted ?? true)
            }
        }
    }

    @Test func rulesMayWaitForTheSave() throws {
        try context.performAndWait {
            let author = context.insert("Author", ["name": "Austen"])
            let award = context.insert("Award", ["winner": author])
            try context.save()
            context.propagatesDeletesAtEndOfEvent = false
            context.delete(author)
            context.processPendingChanges()
            #expect(context.deletedObjects == [author] && !award.isDeleted)
            try context.save()
            #expect(try context.fetchAll("Award").isEmpty && award.managedObjectContext == nil)
        }
    }

    @Test func cascadesInCirclesEnd() throws {
        let node = LibraryModel.entity("Node")
        LibraryModel.relate(node, "next", many: false, node, "previous", many: false, rule: .cascadeDeleteRule)
        let model = NSManagedObjectModel()
        model.entities = [node]
        let library = try Library(model)
        defer { withExtendedLifetime(library) {} }
        let context = library.context
        try context.performAndWait {
            let nodes = (0..<5).map { _ in context.insert("Node") }
            for (index, node) in nodes.enumerated() { node.setValue(nodes[(index + 1) % 5], forKey: "next") }
            try context.save()
            context.delete(nodes[2])
            context.processPendingChanges()
            #expect(context.deletedObjects == Set(nodes))
            try context.save()
            #expect(try context.fetchAll("Node").isEmpty)
        }
    }

    // MARK: Undo

    @Test func undoAndRedoGoThroughSaves() throws {
        try context.performAndWait {
            context.undoManager = UndoManager()
            let book = context.insert("Book", ["title": "one"])
            try context.save()
            book.setValue("two", forKey: "title")
            try context.save()
            context.undo()
            #expect(book.value(forKey: "title") as? String == "one" && context.hasChanges)
            try context.save()
            context.redo()
            #expect(book.value(forKey: "title") as? String == "two")
            context.rollback()
            #expect(context.undoManager?.canUndo == false && book.value(forKey: "title") as? String == "one")
        }
    }

    @Test func changesMayBeKeptOutOfUndo() throws {
        context.performAndWait {
            let manager = UndoManager()
            context.undoManager = manager
            let book = context.insert("Book", ["title": "one"])
            context.processPendingChanges()
            manager.disableUndoRegistration()
            book.setValue(7, forKey: "pages")
            context.processPendingChanges()
            manager.enableUndoRegistration()
            book.setValue("two", forKey: "title")
            context.undo()
            #expect(book.value(forKey: "title") as? String == "one" && book.value(forKey: "pages") as? Int == 7)
        }
    }

    /// What is changed while an event is registered is an event of its own, be the object part of the first one or not.
    @Test func whatObserversOfTheUndoManagerChangeIsUndoneToo() throws {
        try context.performAndWait {
            let book = context.insert("Book", ["title": "one", "pages": 1])
            let tag = context.insert("Tag", ["word": "a"])
            try context.save()
            let manager = UndoManager()
            context.undoManager = manager
            nonisolated(unsafe) let observed = (book: book, tag: tag)
            nonisolated(unsafe) var isAnswered = false
            let token = NotificationCenter.default.addObserver(
                forName: .NSUndoManagerDidCloseUndoGroup, object: manager, queue: nil
            ) { _ in
                guard !isAnswered else { return }
                isAnswered = true
                observed.tag.setValue("b", forKey: "word")
                observed.book.setValue(2, forKey: "pages")
            }
            defer { NotificationCenter.default.removeObserver(token) }
            func values() -> [String] {
                [(book, "title"), (book, "pages"), (tag, "word")].map { "\($0.0.value(forKey: $0.1) ?? "nil")" }
            }
            let reported = notes {
                book.setValue("two", forKey: "title")
                context.processPendingChanges()
                context.processPendingChanges()
            }
            #expect(reported == [["updated": [book]], ["updated": [book, tag]]])
            #expect(values() == ["two", "2", "b"])
            context.undo()
            #expect(values() == ["two", "1", "a"])
            context.undo()
            #expect(values() == ["one", "1", "a"])
            context.redo()
            context.redo()
            #expect(values() == ["two", "2", "b"])
        }
    }

    @Test func undoingADeletionBringsBackTheSameObjectAndItsRelations() throws {
        try context.performAndWait {
            context.undoManager = UndoManager()
            let author = context.insert("Author", ["name": "Austen"])
            let book = context.insert("Book", ["title": "Emma", "author": author])
            let award = context.insert("Award", ["year": 1816, "winner": author])
            try context.save()
            let id = author.objectID
            context.delete(author)
            context.processPendingChanges()
            context.undo()
            #expect(!author.isDeleted && author.objectID == id && !award.isDeleted)
            #expect(book.value(forKey: "author") as? NSManagedObject === author)
            #expect(author.value(forKey: "awards") as? Set<NSManagedObject> == [award])
            try context.save()
            #expect(try context.fetchAll("Award") == [award])
        }
    }
}

/// What notifications carry belongs to whoever keeps it.
@Suite
struct KeptNotificationTests {
    @Test func keptNotificationsDoNotChange() throws {
        let library = try SQLiteLibrary()
        nonisolated(unsafe) var kept: [Notification] = []
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: library.context, queue: nil
        ) { kept.append($0) }
        defer { NotificationCenter.default.removeObserver(token) }
        for number in 0..<4 {
            let tag = library.context.insert("Tag", ["word": "\(number)"])
            try library.context.save()
            #expect(kept.last?.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> == [tag])
            tag.setValue("new \(number)", forKey: "word")
            try library.context.save()
            #expect(kept.last?.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [tag])
        }
        for (number, note) in kept.enumerated() {
            let sets = [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey].map {
                (note.userInfo?[$0] as? Set<NSManagedObject>)?.count
            }
            #expect(sets == (number % 2 == 0 ? [1, 0, 0] : [0, 1, 0]))
        }
    }

    @Test func observersMaySaveInTurn() throws {
        let library = try SQLiteLibrary()
        let context = library.context
        nonisolated(unsafe) var counts: [Int?] = []
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { note in
            if counts.count < 3 {
                context.insert("Tag", ["word": "answer"])
                context.insert("Tag", ["word": "second answer"])
                counts.append((note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count)
                try? context.save()
            }
            let inserted = note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
            #expect(inserted?.isEmpty == false)
        }
        defer { NotificationCenter.default.removeObserver(token) }
        context.insert("Tag", ["word": "first"])
        try context.save()
        #expect(counts == [1, 2, 2])
    }

    @Test func savedObjectsAreLetGo() throws {
        let library = try SQLiteLibrary()
        weak var tag: NSManagedObject?
        do {
            let new = library.context.insert("Tag", ["word": "short-lived"])
            tag = new
            try library.context.save()
        }
        #expect(tag == nil)
    }
}
