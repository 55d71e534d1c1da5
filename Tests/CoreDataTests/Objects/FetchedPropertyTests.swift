import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Fetched properties: fetched when first asked for, kept until the object becomes a fault, in every kind of context.
@Suite("Fetched properties")
struct FetchedPropertyTests {
    let library: SQLiteLibrary
    var context: NSManagedObjectContext { library.context }

    /// Books with `samePages` (other books with as many pages, by title) and `all` (every book, told by the property's name).
    init() throws {
        let model = LibraryModel.make()
        let book = try #require(model.entitiesByName["Book"])
        book.properties += [
            Self.property("samePages", "pages == $FETCH_SOURCE.pages AND SELF != $FETCH_SOURCE"),
            Self.property("named", "title == $FETCHED_PROPERTY.name"),
        ]
        let author = try #require(model.entitiesByName["Author"])
        author.properties.append(Self.property("written", "author == $FETCH_SOURCE"))
        library = try SQLiteLibrary(model)
    }

    private static func property(_ name: String, _ format: String) -> NSFetchedPropertyDescription {
        let property = NSFetchedPropertyDescription()
        property.name = name
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
        request.predicate = NSPredicate(format: format)
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        property.fetchRequest = request
        return property
    }

    private func titles(_ object: NSManagedObject, _ key: String = "samePages") -> [String] {
        (object.value(forKey: key) as? [NSManagedObject] ?? []).map { $0.value(forKey: "title") as? String ?? "nil" }
    }

    private func books(_ titles: String..., pages: Int = 100) throws -> [NSManagedObject] {
        let books = titles.map { context.insert("Book", ["title": $0, "pages": pages]) }
        try context.save()
        return books
    }

    @Test func theResultIsInOrderAndKept() throws {
        try context.performAndWait {
            let emma = try books("Emma", "Ulysses", "Dune")[0]
            _ = try books("Brief", pages: 5)
            #expect(titles(emma) == ["Dune", "Ulysses"])
            // Later changes are not seen before the object is refreshed.
            _ = try books("Alice")
            #expect(titles(emma) == ["Dune", "Ulysses"])
            context.refresh(emma, mergeChanges: false)
            #expect(titles(emma) == ["Alice", "Dune", "Ulysses"])
        }
    }

    @Test func aChangedObjectIsAskedAnewWhenItIsRefreshed() throws {
        try context.performAndWait {
            let emma = try books("Emma", "Dune")[0]
            emma.setValue("Emma II", forKey: "title")
            #expect(titles(emma) == ["Dune"])
            _ = try books("Alice")
            emma.setValue("Emma III", forKey: "title")
            context.refresh(emma, mergeChanges: true)
            #expect(emma.value(forKey: "title") as? String == "Emma III" && emma.isUpdated)
            #expect(titles(emma) == ["Alice", "Dune"])
            context.insert("Book", ["title": "Beloved"])
            context.refreshAllObjects()
            #expect(titles(emma) == ["Alice", "Beloved", "Dune"])
        }
    }

    @Test func unsavedChangesCount() throws {
        try context.performAndWait {
            let saved = try books("Emma", "Dune")
            let (emma, dune) = (saved[0], saved[1])
            dune.setValue(1, forKey: "pages")
            context.insert("Book", ["title": "Alice"])
            #expect(titles(emma) == ["Alice"])
            // The source's own unsaved values, too.
            context.refresh(emma, mergeChanges: false)
            emma.setValue(1, forKey: "pages")
            #expect(titles(emma) == ["Dune"])
        }
    }

    @Test func anObjectNeverSavedHasOne() throws {
        try context.performAndWait {
            _ = try books("Emma", "Dune")
            let new = context.insert("Book", ["title": "New"])
            #expect(titles(new) == ["Dune", "Emma"])
            let author = context.insert("Author", ["name": "Frank"])
            #expect(titles(author, "written") == [])
            let other = context.insert("Author", ["name": "Jane"])
            new.setValue(other, forKey: "author")
            #expect(titles(other, "written") == ["New"])
            try context.save()
            context.refresh(author, mergeChanges: false)
            context.refresh(other, mergeChanges: false)
            #expect(titles(author, "written") == [] && titles(other, "written") == ["New"])
        }
    }

    @Test func thePropertyItselfMayBeAskedFor() throws {
        try context.performAndWait {
            let emma = try books("Emma", "named")[0]
            #expect(titles(emma, "named") == ["named"])
        }
    }

    @Test func childrenHaveTheirOwn() throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        let id = try context.performAndWait {
            let emma = try books("Emma", "Dune")[0]
            // Unsaved in the parent.
            context.insert("Book", ["title": "Alice"])
            #expect(titles(emma) == ["Alice", "Dune"])
            return emma.objectID
        }
        try child.performAndWait {
            let emma = try child.existingObject(with: id)
            let inserted = child.insert("Book", ["title": "Beloved"])
            #expect(titles(emma) == ["Alice", "Beloved", "Dune"])
            let members = emma.value(forKey: "samePages") as? [NSManagedObject] ?? []
            #expect(members.allSatisfy { $0.managedObjectContext === child } && members.contains { $0 === inserted })
            child.delete(members[0])
            child.refresh(emma, mergeChanges: false)
            #expect(titles(emma) == ["Beloved", "Dune"])
            try child.save()
            #expect(titles(emma) == ["Beloved", "Dune"])
        }
        try context.performAndWait {
            let emma = try context.existingObject(with: id)
            // What was fetched before stays; the object deleted meanwhile is on its way out.
            context.refresh(emma, mergeChanges: true)
            #expect(titles(emma) == ["Beloved", "Dune"])
            try context.save()
            #expect(titles(emma) == ["Beloved", "Dune"])
        }
    }

    @Test func mergedObjectsAreAskedAnew() throws {
        let other = library.makeContext()
        other.automaticallyMergesChangesFromParent = true
        let id = try context.performAndWait { try books("Emma", "Dune")[0].objectID }
        let emma = try other.performAndWait {
            let emma = try other.existingObject(with: id)
            #expect(titles(emma) == ["Dune"])
            return emma
        }
        try context.performAndWait {
            let emma = try context.existingObject(with: id)
            emma.setValue(7, forKey: "pages")
            context.insert("Book", ["title": "Seven", "pages": 7])
            try context.save()
        }
        other.performAndWait { #expect(titles(emma) == ["Seven"]) }
    }

    @Test func itIsNoChangeAndNotSaved() throws {
        try context.performAndWait {
            let emma = try books("Emma", "Dune")[0]
            _ = titles(emma)
            #expect(!emma.hasChanges && emma.changedValues().isEmpty)
            #expect(emma.committedValues(forKeys: nil)["samePages"] == nil)
            #expect(emma.committedValues(forKeys: ["samePages", "title"]).keys.sorted() == ["title"])
            emma.setValue("x", forKey: "title")
            try context.save()
            #expect(titles(emma) == ["Dune"])
        }
    }

    @Test func keyPathsAndPredicatesLeadThroughIt() throws {
        try context.performAndWait {
            let emma = try books("Emma", "Dune", "Alice")[0]
            #expect(emma.value(forKeyPath: "samePages.title") as? [String] == ["Alice", "Dune"])
            #expect(emma.value(forKeyPath: "samePages.@count") as? Int == 2)
            #expect(NSPredicate(format: "ANY samePages.title == 'Dune'").evaluate(with: emma))
            #expect(NSPredicate(format: "samePages.@count == 2").evaluate(with: emma))
            #expect((emma.dictionaryWithValues(forKeys: ["samePages"])["samePages"] as? [NSManagedObject])?.count == 2)
        }
    }

    @Test func rollingBackForgetsWhatWasFetchedWithTheChanges() throws {
        try context.performAndWait {
            let emma = try books("Emma", "Dune")[0]
            emma.setValue(3, forKey: "pages")
            context.insert("Book", ["title": "New", "pages": 3])
            #expect(titles(emma) == ["New"])
            context.rollback()
            #expect(titles(emma) == ["Dune"])
        }
    }

    @Test func objectsThatFetchedEachOtherAreLetGo() throws {
        weak var first: NSManagedObject?
        weak var second: NSManagedObject?
        try context.performAndWait {
            let books = try books("Emma", "Dune")
            (first, second) = (books[0], books[1])
            #expect(titles(books[0]) == ["Dune"] && titles(books[1]) == ["Emma"])
            context.refreshAllObjects()
        }
        #expect(first == nil && second == nil)
        try context.performAndWait {
            let books = try context.fetchAll("Book")
            (first, second) = (books[0], books[1])
            _ = books.map { titles($0) }
            context.reset()
            #expect(titles(books[0]) == [])
        }
        #expect(first == nil && second == nil)
    }
}
