import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// `mutableOrderedSetValue(forKey:)`: every way to edit an ordered set edits the relationship, and its inverse.
struct OrderedRelationshipTests {
    private let context: NSManagedObjectContext
    private let shelf: NSManagedObject
    private let books: [NSManagedObject]

    init() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        self.context = context
        (shelf, books) = context.performAndWait {
            let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
            let books = ["a", "b", "c", "d", "e"].map { title in
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue(title, forKey: "title")
                return book
            }
            return (shelf, books)
        }
    }

    /// Starts with `abc`, edits, and compares.
    private func expect(
        _ titles: String, _ location: SourceLocation = #_sourceLocation, _ edit: (NSMutableOrderedSet) -> Void
    ) {
        context.performAndWait {
            shelf.setValue(NSOrderedSet(array: Array(books[0...2])), forKey: "books")
            let set = shelf.mutableOrderedSetValue(forKey: "books")
            edit(set)
            func text(_ objects: [Any]) -> String {
                objects.map { ($0 as? NSManagedObject)?.value(forKey: "title") as? String ?? "?" }.joined()
            }
            #expect(text((0..<set.count).map { set.object(at: $0) }) == titles, sourceLocation: location)
            let value = shelf.value(forKey: "books") as? NSOrderedSet
            #expect(text(value?.array ?? []) == titles, sourceLocation: location)
            for book in books {
                let isThere = titles.contains(text([book]))
                #expect((book.value(forKey: "shelf") != nil) == isThere, sourceLocation: location)
                #expect(set.contains(book) == isThere, sourceLocation: location)
            }
        }
    }

    @Test func adding() {
        expect("abcd") { $0.add(books[3]) }
        expect("abc") { $0.add(books[0]) }
        expect("dabc") { $0.insert(books[3], at: 0) }
        expect("adbec") { $0.insert([books[3], books[4]], at: [1, 3]) }
        expect("abcde") { $0.addObjects(from: [books[3], books[4]]) }
        expect("abcd") { $0.union(NSOrderedSet(array: [books[1], books[3]])) }
        expect("abcd") { $0.unionSet([AnyHashable(books[3])]) }
        expect("abcd") { $0.setObject(books[3], at: 3) }
    }

    @Test func removing() {
        expect("bc") { $0.remove(books[0]) }
        expect("ac") { $0.removeObject(at: 1) }
        expect("") { $0.removeAllObjects() }
        expect("b") { $0.removeObjects(at: [0, 2]) }
        expect("c") { $0.removeObjects(in: NSRange(location: 0, length: 2)) }
        expect("b") { $0.removeObjects(in: [books[0], books[2], books[4]]) }
        expect("ac") { $0.minus(NSOrderedSet(array: [books[1], books[4]])) }
        expect("ac") { $0.minusSet([AnyHashable(books[1])]) }
        expect("b") { $0.intersect(NSOrderedSet(array: [books[1], books[4]])) }
        expect("b") { $0.intersectSet([AnyHashable(books[1])]) }
    }

    @Test func changing() {
        expect("adc") { $0.replaceObject(at: 1, with: books[3]) }
        expect("dbe") { $0.replaceObjects(at: [0, 2], with: [books[3], books[4]]) }
        expect("dbc") { $0.setObject(books[3], at: 0) }
        expect("cba") { $0.exchangeObject(at: 0, withObjectAt: 2) }
        expect("bca") { $0.moveObjects(at: [0], to: 2) }
        expect("cba") { set in
            set.sort { a, b in
                let (a, b) = (a as? NSManagedObject, b as? NSManagedObject)
                let (one, other) = (a?.value(forKey: "title") as? String, b?.value(forKey: "title") as? String)
                return (other ?? "").compare(one ?? "")
            }
        }
    }

    @Test func reading() {
        expect("abc") { set in
            #expect(set.count == 3)
            #expect(set.index(of: books[2]) == 2)
            #expect(set.index(of: books[4]) == NSNotFound)
        }
    }

    /// Of two objects with the same unique value the one that stays gets what both had.
    @Test func membersOfAnObjectThatGoes() throws {
        let folder = try TemporaryFolder()
        let model = LibraryModel.make()
        model.entitiesByName["Shelf"]?.uniquenessConstraints = [["label"]]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("Shelves.sqlite"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.performAndWait {
            for title in ["a", "b"] {
                let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
                shelf.setValue("only", forKey: "label")
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue(title, forKey: "title")
                shelf.setValue(NSOrderedSet(object: book), forKey: "books")
            }
            try context.save()
            let shelves = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf"))
            #expect(shelves.count == 1)
            let books = (shelves.first?.value(forKey: "books") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
            #expect(Set(books.compactMap { $0.value(forKey: "title") as? String }) == ["a", "b"])
        }
    }
}
