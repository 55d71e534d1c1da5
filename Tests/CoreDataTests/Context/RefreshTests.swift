import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Refreshing, staleness, rows that are gone, and changes merged from elsewhere.
@Suite("Refreshing and merging")
struct RefreshTests {
    let library: SQLiteLibrary
    let other: NSManagedObjectContext
    var context: NSManagedObjectContext { library.context }

    init() throws {
        library = try SQLiteLibrary()
        other = library.makeContext()
    }

    /// A saved book, and the same in another context on the same coordinator.
    private func book() throws -> (here: NSManagedObject, there: NSManagedObject, other: NSManagedObjectContext) {
        let book = context.insert("Book", ["title": "one", "pages": 1])
        try context.save()
        let same = try other.performAndWait { try other.existingObject(with: book.objectID) }
        return (book, same, other)
    }

    private func save(_ other: NSManagedObjectContext) throws -> Notification {
        nonisolated(unsafe) var note: Notification?
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { note = $0 }
        defer { NotificationCenter.default.removeObserver(token) }
        try other.performAndWait { try other.save() }
        return try #require(note)
    }

    private func changeThere(_ there: NSManagedObject, _ values: [String: Any]) throws -> Notification {
        let other = try #require(there.managedObjectContext)
        nonisolated(unsafe) let (object, values) = (there, values)
        other.performAndWait { object.setValuesForKeys(values) }
        return try save(other)
    }

    // MARK: Refreshing

    @Test func realisedValuesStayUntilRefreshed() throws {
        let (here, there, _) = try book()
        _ = try changeThere(there, ["title": "two"])
        try context.performAndWait {
            #expect(here.value(forKey: "title") as? String == "one")
            let fetched = try context.fetchAll("Book").first
            #expect(fetched === here && here.value(forKey: "title") as? String == "one")
            context.refresh(here, mergeChanges: true)
            #expect(here.value(forKey: "title") as? String == "two" && !context.hasChanges)
        }
    }

    @Test func refreshingKeepsOrDropsUnsavedChanges() throws {
        let (here, there, _) = try book()
        _ = try changeThere(there, ["title": "two", "pages": 2])
        context.performAndWait {
            here.setValue(9, forKey: "pages")
            context.refresh(here, mergeChanges: true)
            #expect(here.value(forKey: "title") as? String == "two" && here.value(forKey: "pages") as? Int == 9)
            #expect(here.isUpdated && here.changedValues().keys.sorted() == ["pages"])
            #expect(here.committedValues(forKeys: ["pages"])["pages"] as? Int == 2)
            context.refresh(here, mergeChanges: false)
            #expect(here.isFault && !here.hasChanges && !context.hasChanges)
            #expect(here.value(forKey: "pages") as? Int == 2)
            let new = context.insert("Book", ["title": "new"])
            context.refresh(new, mergeChanges: false)
            #expect(new.isFault && !new.isInserted && !context.hasChanges)
            context.delete(here)
            context.refresh(here, mergeChanges: false)
            #expect(here.isDeleted)
        }
    }

    /// What Apple does is not documented; the deviations page has the rule. Nothing stops the program, nothing is saved.
    @Test(arguments: [true, false], [true, false])
    func aRefreshedNewObjectReadsAsDeleted(_ deletesInaccessible: Bool, _ isInChild: Bool) throws {
        let context = isInChild ? NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType) : other
        if isInChild { context.parent = other }
        context.shouldDeleteInaccessibleFaults = deletesInaccessible
        try context.performAndWait {
            let new = context.insert("Book", ["title": "new", "pages": 9])
            context.refresh(new, mergeChanges: false)
            new.willAccessValue(forKey: nil)
            new.didAccessValue(forKey: nil)
            #expect(!new.isFault && new.isDeleted && !new.isInserted && new.managedObjectContext === context)
            #expect(new.value(forKey: "title") == nil && new.value(forKey: "pages") == nil)
            #expect(new.changedValues().isEmpty && new.committedValues(forKeys: nil).isEmpty)
            new.setValue("again", forKey: "title")
            context.refresh(new, mergeChanges: false)
            context.refresh(new, mergeChanges: true)
            #expect(new.value(forKey: "title") == nil && !context.hasChanges)
            #expect(throws: CocoaError.self) { try context.existingObject(with: new.objectID) }
            context.delete(new)
            #expect(!context.hasChanges && context.deletedObjects.isEmpty)
            try context.save()
            #expect(try context.fetchAll("Book").isEmpty)
            context.refreshAllObjects()
            #expect(new.value(forKey: "title") == nil && new.isDeleted)
        }
    }

    @Test func anEqualValueSetHereDoesNotHideANewerOne() throws {
        let (here, there, _) = try book()
        context.performAndWait { here.setValue("one", forKey: "title") }
        let note = try changeThere(there, ["title": "two"])
        context.performAndWait {
            context.mergeChanges(fromContextDidSave: note)
            #expect(here.value(forKey: "title") as? String == "two")
            #expect(here.changedValues().isEmpty)
        }
    }

    @Test func refreshingAllKeepsChanges() throws {
        let (here, there, _) = try book()
        _ = try changeThere(there, ["title": "two"])
        context.performAndWait {
            here.setValue(9, forKey: "pages")
            context.refreshAllObjects()
            #expect(here.value(forKey: "title") as? String == "two" && here.value(forKey: "pages") as? Int == 9)
        }
    }

    // MARK: Staleness

    @Test func faultsMayDemandFreshRows() throws {
        let (_, there, other) = try book()
        try other.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            other.refresh(there, mergeChanges: false)
            other.stalenessInterval = 0
            let fetched = try other.fetch(request).first
            #expect(fetched === there && there.isFault)
        }
        try context.performAndWait {
            let here = try #require(try context.fetchAll("Book").first)
            here.setValue("two", forKey: "title")
            try context.save()
        }
        // The row that came with the fetch is too old now.
        other.performAndWait { #expect(there.value(forKey: "title") as? String == "two") }
    }

    // MARK: Rows that are gone

    @Test func inaccessibleFaultsReadAsDeleted() throws {
        let (here, there, other) = try book()
        other.performAndWait { other.refresh(there, mergeChanges: false) }
        try context.performAndWait {
            context.delete(here)
            try context.save()
        }
        try other.performAndWait {
            #expect(!there.isDeleted)
            #expect(there.isFault)
            #expect(there.value(forKey: "title") == nil && there.isDeleted && !there.isFault)
            let error = try #require(throws: NSError.self) { try other.existingObject(with: there.objectID) }
            #expect(error.code == NSManagedObjectReferentialIntegrityError)
        }
    }

    @Test func inaccessibleFaultsMayStopTheProgram() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = try Library()
            let book = library.context.insert("Book")
            try library.context.save()
            let other = library.makeContext()
            other.shouldDeleteInaccessibleFaults = false
            let fault = other.object(with: book.objectID)
            library.context.delete(book)
            try library.context.save()
            _ = fault.value(forKey: "title")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("CoreData could not fulfill a fault for"))
    }

    // MARK: Merging

    @Test func mergingFollowsTheTable() throws {
        let (here, there, other) = try book()
        let doomed = try context.performAndWait {
            let doomed = context.insert("Book", ["title": "doomed"])
            try context.save()
            return doomed
        }
        nonisolated(unsafe) let a = there
        let b = doomed.objectID
        let new = other.performAndWait {
            a.setValue("two", forKey: "title")
            other.delete(other.object(with: b))
            return other.insert("Book", ["title": "new"])
        }
        let note = try save(other)
        nonisolated(unsafe) var seen: [String: Set<NSManagedObject>] = [:]
        nonisolated(unsafe) var merged: [AnyHashable: Any] = [:]
        let center = NotificationCenter.default
        let tokens = [
            center.addObserver(forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil) { note in
                for (key, value) in note.userInfo ?? [:] { seen[key as! String] = value as? Set<NSManagedObject> }
            },
            center.addObserver(
                forName: .NSManagedObjectContextDidMergeChangesObjectIDs, object: context, queue: nil
            ) { merged = $0.userInfo ?? [:] },
        ]
        defer { tokens.forEach(center.removeObserver) }
        let newID = new.objectID
        context.performAndWait {
            context.mergeChanges(fromContextDidSave: note)
            #expect(seen["inserted"]?.map(\.objectID) == [newID])
            #expect(seen["refreshed"]?.contains(here) == true && seen["deleted"] == [doomed])
            #expect(!context.hasChanges && here.value(forKey: "title") as? String == "two")
            #expect(doomed.managedObjectContext == nil)
            #expect(merged[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID> == [b])
            #expect(merged[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> == [newID])
            // What another context updated is refreshed here.
            #expect(merged[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == [here.objectID])
            #expect(merged[NSRefreshedObjectIDsKey] as? Set<NSManagedObjectID> == [here.objectID])
        }
        // A context's own save is nothing new to it.
        other.performAndWait {
            seen = [:]
            other.mergeChanges(fromContextDidSave: note)
        }
    }

    @Test func toOnesChangedOnBothSidesAgreeAtBothEnds() throws {
        let (here, there, other) = try book()
        let authors = try context.performAndWait {
            let authors = ["A", "B"].map { context.insert("Author", ["name": $0]) }
            try context.save()
            return authors
        }
        nonisolated(unsafe) let object = there
        let id = authors[1].objectID
        other.performAndWait { object.setValue(other.object(with: id), forKey: "author") }
        context.performAndWait { here.setValue(authors[0], forKey: "author") }
        let note = try save(other)
        try context.performAndWait {
            _ = authors[1].value(forKey: "books")
            context.mergeChanges(fromContextDidSave: note)
            #expect(here.value(forKey: "author") as? NSManagedObject === authors[0])
            #expect(authors[0].value(forKey: "books") as? Set<NSManagedObject> == [here])
            #expect(authors[1].value(forKey: "books") as? Set<NSManagedObject> == [])
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            context.reset()
            let saved = try #require(try context.fetchAll("Book").first)
            #expect(saved.value(forKeyPath: "author.name") as? String == "A")
        }
    }

    @Test func pendingDeletionsReachWhatAMergeRelates() throws {
        let author = try context.performAndWait {
            let author = context.insert("Author", ["name": "A"])
            try context.save()
            return author
        }
        let other = library.makeContext()
        let id = author.objectID
        other.performAndWait { _ = other.insert("Award", ["year": 1, "winner": other.object(with: id)]) }
        context.performAndWait {
            context.delete(author)
            context.processPendingChanges()
        }
        let note = try save(other)
        try context.performAndWait {
            context.mergeChanges(fromContextDidSave: note)
            #expect(context.deletedObjects.count == 2)
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            #expect(try context.fetchAll("Award").isEmpty)
        }
    }

    @Test func remoteChangesComeAsIDsOrURIs() throws {
        let (here, _, other) = try book()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = other
        let id = here.objectID
        let below = try child.performAndWait { try child.existingObject(with: id) }
        try context.performAndWait {
            here.setValue("two", forKey: "title")
            try context.save()
        }
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: [id.uriRepresentation()]], into: [child])
        nonisolated(unsafe) let object = below
        child.performAndWait { #expect(object.value(forKey: "title") as? String == "two") }
        try context.performAndWait {
            context.delete(here)
            try context.save()
        }
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectIDsKey: Set([id])], into: [child, other])
        child.performAndWait { #expect(object.managedObjectContext == nil) }
        other.performAndWait { #expect(other.registeredObject(for: id) == nil) }
    }
}

extension RefreshTests {
    /// Setting a value back leaves no change: what another context saved meanwhile shows, at both ends.
    @Test func aMemberTakenOutElsewhereIsNotBroughtBackByLeavingAndReturning() throws {
        let book = context.insert("Book", ["title": "one"])
        let shelf = context.insert("Shelf", ["label": "old"])
        book.setValue(shelf, forKey: "shelf")
        try context.save()
        let other = other
        let (bookID, shelfID) = (book.objectID, shelf.objectID)
        try other.performAndWait {
            // The old shelf's books are not loaded here.
            let book = try other.existingObject(with: bookID)
            book.setValue(other.insert("Shelf", ["label": "new"]), forKey: "shelf")
            book.setValue(other.object(with: shelfID), forKey: "shelf")
            other.processPendingChanges()
        }
        book.setValue(nil, forKey: "shelf")
        let note = try save(context)
        nonisolated(unsafe) let message = note
        other.performAndWait {
            other.mergeChanges(fromContextDidSave: message)
            let (book, shelf) = (other.object(with: bookID), other.object(with: shelfID))
            #expect(book.value(forKey: "shelf") == nil)
            #expect((shelf.value(forKey: "books") as? NSOrderedSet)?.count == 0)
            #expect(book.changedValues().isEmpty && shelf.changedValues().isEmpty)
        }
    }

    /// What joins an ordered relationship keeps the order it was given, whatever becomes of the others.
    @Test func anOrderSetHereOutlivesADeletionElsewhere() throws {
        let library = try SQLiteLibrary()
        let (context, other) = (library.context, library.makeContext())
        let shelf = context.insert("Shelf")
        let books = ["a", "b", "c", "d"].map { context.insert("Book", ["title": $0]) }
        try context.save()
        shelf.setValue(NSOrderedSet(array: books), forKey: "books")
        context.processPendingChanges()
        try other.performAndWait {
            other.delete(try other.existingObject(with: books[0].objectID))
            try other.save()
        }
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectsKey: [books[0].objectID]], into: [context])
        context.refreshAllObjects()
        func titles() -> [String] {
            (shelf.value(forKey: "books") as? NSOrderedSet)?.array.compactMap {
                ($0 as? NSManagedObject)?.value(forKey: "title") as? String
            } ?? []
        }
        #expect(titles() == ["b", "c", "d"])
        try context.save()
        context.refresh(shelf, mergeChanges: false)
        #expect(titles() == ["b", "c", "d"])
    }
}

extension RefreshTests {
    /// An object that was never saved comes back as what it was, with the ID it had obtained.
    @Test func anObtainedIDOutlivesUndo() throws {
        let library = try SQLiteLibrary()
        let context = library.context
        context.undoManager = UndoManager()
        let shelf = context.insert("Shelf", ["label": "a"])
        let book = context.insert("Book", ["title": "Emma", "shelf": shelf])
        try context.obtainPermanentIDs(for: [shelf])
        context.processPendingChanges()
        let id = shelf.objectID
        context.delete(shelf)
        context.processPendingChanges()
        #expect(book.value(forKey: "shelf") == nil)
        context.undo()
        #expect(shelf.objectID == id)
        #expect(!id.isTemporaryID && shelf.isInserted && book.value(forKey: "shelf") as? NSManagedObject === shelf)
        try context.save()
        #expect(try library.makeContext().existingObject(with: id).value(forKey: "label") as? String == "a")
    }
}
