import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// What objects say of their changes: new ones, and those that observers are told of.
@Suite("Changed values")
struct ChangedValueTests {
    let library: Library
    var context: NSManagedObjectContext { library.context }

    init() throws { library = try Library() }

    // MARK: New objects

    @Test func aNewObjectLeavesOutWhatItHadAtInsertion() throws {
        try context.performAndWait {
            let book = context.insert("Book", ["pages": 100, "inPrint": true])
            book.setValue(nil, forKey: "title")
            book.setValue(nil, forKey: "author")
            #expect(book.changedValues().isEmpty && book.isInserted)
            book.setValue(7, forKey: "pages")
            book.setValue(nil, forKey: "inPrint")
            book.setValue("T", forKey: "title")
            let author = context.insert("Author", ["name": "Ann"])
            book.setValue(author, forKey: "author")
            let changed = book.changedValues()
            #expect(changed.keys.sorted() == ["author", "inPrint", "pages", "title"])
            #expect(
                changed["pages"] as? Int == 7 && changed["inPrint"] is NSNull
                    && changed["author"] as? NSObject === author)
            #expect(author.changedValues().keys.sorted() == ["books", "name"])
            for (key, value) in ["pages": 100, "inPrint": true, "title": nil, "author": nil] as [String: Any?] {
                book.setValue(value, forKey: key)
            }
            #expect(book.changedValues().isEmpty)
            // What was set is saved all the same.
            author.setValue("Bob", forKey: "name")
            try context.save()
            #expect(book.changedValues().isEmpty && book.value(forKey: "pages") as? Int == 100)
        }
    }

    /// Defaults of every kind of storage: numbers, text, empty text, transformed and composite values.
    @Test func defaultsOfEveryKindAreNoChanges() throws {
        let model = NSManagedObjectModel()
        let entity = LibraryModel.entity("Thing")
        let words = LibraryModel.attribute("words", .transformableAttributeType, default: ["sea", "salt"])
        words.valueTransformerName = "NSSecureUnarchiveFromData"
        let day = Date(timeIntervalSinceReferenceDate: 86_400)
        let defaults: [String: Any] = [
            "number": 5, "name": "thing", "blank": "", "bytes": Data([1, 2]), "day": day, "words": ["sea", "salt"],
            "note": "n",
        ]
        entity.properties = [
            LibraryModel.attribute("number", .integer64AttributeType, default: 5),
            LibraryModel.attribute("name", .stringAttributeType, default: "thing"),
            LibraryModel.attribute("blank", .stringAttributeType, default: ""),
            LibraryModel.attribute("bytes", .binaryDataAttributeType, default: Data([1, 2])),
            LibraryModel.attribute("day", .dateAttributeType, default: day), words,
            LibraryModel.attribute("note", .stringAttributeType, transient: true, default: "n"),
        ]
        model.entities = [entity]
        let library = try Library(model, store: .memory)
        library.context.performAndWait {
            let thing = library.context.insert("Thing", defaults)
            #expect(thing.changedValues().isEmpty)
            let others: [String: Any] = [
                "number": 6, "name": "", "blank": "x", "bytes": Data([1, 3]), "day": day + 1, "words": ["sea"],
                "note": "m",
            ]
            thing.setValuesForKeys(others)
            #expect(thing.changedValues().keys.sorted() == defaults.keys.sorted())
            thing.setValuesForKeys(defaults)
            #expect(thing.changedValues().isEmpty)
        }
    }

    @Test func anObjectThatHadValuesBeforeIsToldFromThose() throws {
        try context.performAndWait {
            let entity = try #require(NSEntityDescription.entity(forEntityName: "Book", in: context))
            let book = NSManagedObject(entity: entity, insertInto: nil)
            book.setValue("T", forKey: "title")
            book.setValue(7, forKey: "pages")
            context.insert(book)
            #expect(book.changedValues().isEmpty)
            book.setValue("T", forKey: "title")
            book.setValue(100, forKey: "pages")
            #expect(book.changedValues().keys.sorted() == ["pages"])
            try context.save()
            #expect(book.value(forKey: "title") as? String == "T" && book.changedValues().isEmpty)
            book.setValue(7, forKey: "pages")
            #expect(book.changedValues().keys.sorted() == ["pages"])
        }
    }

    /// A policy in favor of objects gives the stored row what was set, also to a value that is the default.
    @Test func aDefaultThatWasSetWinsAConflict() throws {
        let model = LibraryModel.make()
        let tag = try #require(model.entitiesByName["Tag"])
        tag.properties += [LibraryModel.attribute("uses", .integer16AttributeType, default: 0)]
        tag.uniquenessConstraints = [["word"]]
        let library = try Library(model, store: .sqlite)
        let context = library.context
        context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        try context.performAndWait {
            context.insert("Tag", ["word": "w", "uses": 5])
            try context.save()
            context.insert("Tag", ["word": "w", "uses": 0])
            try context.save()
            #expect(try context.fetchAll("Tag").map { $0.value(forKey: "uses") as? Int } == [0])
        }
    }

    // MARK: In objects-did-change

    /// What objects give for the current event while the next objects-did-change is posted, and right after it.
    private func eventValues(
        of object: NSManagedObject, _ change: () throws -> Void
    ) rethrows -> (during: [String: Any], after: [String: Any]) {
        nonisolated(unsafe) var during: [String: Any] = [:]
        nonisolated(unsafe) let asked = object
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { _ in during = asked.changedValuesForCurrentEvent() }
        defer { NotificationCenter.default.removeObserver(token) }
        try change()
        context.processPendingChanges()
        return (during, object.changedValuesForCurrentEvent())
    }

    @Test func aDeletedObjectTellsItsOwner() throws {
        try context.performAndWait {
            let author = context.insert("Author", ["name": "Ann"])
            let book = context.insert("Book", ["title": "T", "author": author]), tag = context.insert("Tag")
            book.setValue(Set([tag]), forKey: "tags")
            try context.save()
            context.refreshAllObjects()
            let values = eventValues(of: book) { context.delete(book) }
            #expect(values.during.keys.sorted() == ["author", "tags"])
            #expect(values.during["author"] as? NSManagedObject === author)
            #expect(values.during["tags"] as? Set<NSManagedObject> == [tag])
            #expect(values.after.isEmpty)
        }
    }

    @Test func anObjectDeletedWithItsOwnerTellsIt() throws {
        try context.performAndWait {
            let author = context.insert("Author", ["name": "Ann"])
            let awards = (2000..<2003).map { context.insert("Award", ["year": $0, "winner": author]) }
            try context.save()
            context.refreshAllObjects()
            for award in awards.prefix(1) {
                let values = eventValues(of: award) { context.delete(author) }
                #expect(values.during.keys.sorted() == ["winner"])
                #expect(values.during["winner"] as? NSManagedObject === author)
            }
        }
    }

    @Test func aDeletedObjectTellsTheValuesBeforeTheEvent() throws {
        try context.performAndWait {
            let ann = context.insert("Author", ["name": "Ann"]), bob = context.insert("Author", ["name": "Bob"])
            let book = context.insert("Book", ["title": "T", "author": ann])
            try context.save()
            let values = eventValues(of: book) {
                book.setValue("U", forKey: "title")
                book.setValue(bob, forKey: "author")
                context.delete(book)
            }
            #expect(values.during.keys.sorted() == ["author", "title"])
            #expect(values.during["author"] as? NSManagedObject === ann && values.during["title"] as? String == "T")
            // The deletion has been reported: a later change is another event.
            let author = eventValues(of: ann) { ann.setValue("Cid", forKey: "name") }
            #expect(author.during.keys.sorted() == ["name"])
        }
    }

    @Test func changedObjectsTellTheValuesBeforeTheEvent() throws {
        try context.performAndWait {
            let author = context.insert("Author", ["name": "Ann"]), book = context.insert("Book", ["title": "T"])
            try context.save()
            let first = eventValues(of: book) { book.setValue("U", forKey: "title") }
            #expect(first.during.keys.sorted() == ["title"] && first.during["title"] as? String == "T")
            #expect(first.after.isEmpty)
            // The second change since the save: what it changed is not what is saved.
            let second = eventValues(of: book) {
                book.setValue("V", forKey: "title")
                book.setValue(author, forKey: "author")
            }
            #expect(second.during["title"] as? String == "U" && second.during["author"] is NSNull)
            #expect(author.value(forKey: "books") as? Set<NSManagedObject> == [book])
            let owner = eventValues(of: author) { context.insert("Book", ["author": author]) }
            #expect(owner.during["books"] as? Set<NSManagedObject> == [book])
            #expect(owner.during.keys.sorted() == ["books"] && owner.after.isEmpty)
            let unrelated = eventValues(of: book) { author.setValue("Bob", forKey: "name") }
            #expect(unrelated.during.isEmpty)
        }
    }

    @Test func observersThatChangeObjectsBeginAnotherEvent() throws {
        try context.performAndWait {
            let book = context.insert("Book", ["title": "T"])
            try context.save()
            nonisolated(unsafe) var seen: [String?] = []
            nonisolated(unsafe) let asked = book
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { _ in
                seen.append(asked.changedValuesForCurrentEvent()["title"] as? String)
                if seen.count == 1 { asked.setValue("V", forKey: "title") }
            }
            defer { NotificationCenter.default.removeObserver(token) }
            book.setValue("U", forKey: "title")
            context.processPendingChanges()
            context.processPendingChanges()
            #expect(seen == ["T", "U"])
        }
    }
}
