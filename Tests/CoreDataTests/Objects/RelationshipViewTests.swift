import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// The live collections of relationships: whoever holds one reads the present members in every way there is, whatever
/// changed them.
struct RelationshipViewTests {
    private let folder: TemporaryFolder
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext
    private let shelf: NSManagedObject
    private let books: [NSManagedObject]

    init() throws {
        folder = try TemporaryFolder()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("Views.sqlite"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.undoManager = UndoManager()
        context.undoManager?.groupsByEvent = false
        self.context = context
        (shelf, books) = try context.performAndWait {
            context.undoManager?.disableUndoRegistration()
            let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
            let books = ["a", "b", "c", "d", "e"].map { title in
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue(title, forKey: "title")
                return book
            }
            shelf.setValue(NSOrderedSet(array: Array(books[0...2])), forKey: "books")
            try context.save()
            context.undoManager?.enableUndoRegistration()
            return (shelf, books)
        }
    }

    private func text(_ objects: some Sequence<Any>) -> String {
        objects.map { ($0 as? NSManagedObject)?.value(forKey: "title") as? String ?? "?" }.joined()
    }

    /// Every way to read an ordered set. None asks first for the count, which would let a set catch up.
    private func expect(_ set: NSOrderedSet, _ titles: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(text(set.array) == titles, sourceLocation: location)
        #expect(text([set.firstObject].compactMap(\.self)) == titles.prefix(1), sourceLocation: location)
        #expect(text([set.lastObject].compactMap(\.self)) == titles.suffix(1), sourceLocation: location)
        #expect(text(set.reversed.array) == String(titles.reversed()), sourceLocation: location)
        var found: [Any] = []
        for object in set { found.append(object) }
        #expect(text(found) == titles, sourceLocation: location)
        #expect(text(set.objectEnumerator().allObjects) == titles, sourceLocation: location)
        #expect(text(set.reverseObjectEnumerator().allObjects) == String(titles.reversed()), sourceLocation: location)
        #expect(text(set.set.map(\.base)).sorted() == titles.sorted(), sourceLocation: location)
        found = []
        set.enumerateObjects { object, _, _ in found.append(object) }
        #expect(text(found) == titles, sourceLocation: location)
        #expect(text((set.copy() as? NSOrderedSet)?.array ?? []) == titles, sourceLocation: location)
        #expect(text((set.mutableCopy() as? NSOrderedSet)?.array ?? []) == titles, sourceLocation: location)
        let byTitle = [NSSortDescriptor(key: "title", ascending: false)]
        #expect(text(set.sortedArray(using: byTitle)) == String(titles.sorted().reversed()), sourceLocation: location)
        #expect(set.description == NSOrderedSet(array: set.array).description, sourceLocation: location)
        #expect(set.count == titles.count, sourceLocation: location)
        #expect(text((0..<set.count).map { set.object(at: $0) }) == titles, sourceLocation: location)
        #expect(set.isEqual(NSOrderedSet(array: set.array)), sourceLocation: location)
        for book in books where !book.isDeleted && book.managedObjectContext != nil {
            let position = Array(titles).firstIndex(of: Character(text([book])))
            #expect(set.index(of: book) == position ?? NSNotFound, sourceLocation: location)
            #expect(set.contains(book) == (position != nil), sourceLocation: location)
        }
    }

    /// Starts with `abc` in the store, changes, and reads the view, another one, and what the getter gives.
    private func expect(
        _ titles: String, after change: (NSMutableOrderedSet) throws -> Void,
        _ location: SourceLocation = #_sourceLocation
    ) rethrows {
        try context.performAndWait {
            let view = shelf.mutableOrderedSetValue(forKey: "books")
            expect(view, "abc", location)
            try change(view)
            expect(view, titles, location)
            expect(shelf.mutableOrderedSetValue(forKey: "books"), titles, location)
            expect(shelf.value(forKey: "books") as? NSOrderedSet ?? [], titles, location)
        }
    }

    @Test(arguments: 0..<18) func throughTheView(_ number: Int) {
        let edits: [(String, (NSMutableOrderedSet) -> Void)] = [
            ("abcd", { $0.add(books[3]) }),
            ("dabc", { $0.insert(books[3], at: 0) }),
            ("abcde", { $0.addObjects(from: [books[3], books[4]]) }),
            ("abcd", { set in [books[3] as AnyObject].withUnsafeBufferPointer { set.add($0.baseAddress, count: 1) } }),
            ("abcd", { $0.union(NSOrderedSet(array: [books[1], books[3]])) }),
            ("bc", { $0.remove(books[0]) }),
            ("ac", { $0.removeObject(at: 1) }),
            ("", { $0.removeAllObjects() }),
            ("b", { $0.removeObjects(at: [0, 2]) }),
            ("b", { $0.intersect(NSOrderedSet(array: [books[1], books[4]])) }),
            ("adc", { $0.replaceObject(at: 1, with: books[3]) }),
            ("adc", { $0[1] = books[3] }),
            ("cba", { $0.exchangeObject(at: 0, withObjectAt: 2) }),
            ("bca", { $0.moveObjects(at: [0], to: 2) }),
            ("cba", { $0.sort(using: [NSSortDescriptor(key: "title", ascending: false)]) }),
            ("cba", { $0.sort { a, b in text([b]).compare(text([a])) } }),
            ("cba", { $0.sort(options: []) { a, b in text([b]).compare(text([a])) } }),
            (
                "acb",
                { set in
                    set.sortRange(NSRange(location: 1, length: 2), options: []) { a, b in
                        text([b]).compare(text([a]))
                    }
                }
            ),
        ]
        expect(edits[number].0, after: edits[number].1)
    }

    @Test(arguments: 0..<7) func throughObjects(_ number: Int) throws {
        let edits: [(String, () throws -> Void)] = [
            ("eb", { shelf.setValue(NSOrderedSet(array: [books[4], books[1]]), forKey: "books") }),
            ("", { shelf.setValue(nil, forKey: "books") }),
            ("abcd", { books[3].setValue(shelf, forKey: "shelf") }),
            ("ac", { books[1].setValue(nil, forKey: "shelf") }),
            (
                "bc",
                {
                    context.delete(books[0])
                    try context.save()
                }
            ),
            ("abcd", { shelf.mutableOrderedSetValue(forKey: "books").add(books[3]) }),
            (
                "c",
                {
                    let other = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
                    other.mutableOrderedSetValue(forKey: "books").addObjects(from: [books[0], books[1]])
                }
            ),
        ]
        try expect(edits[number].0, after: { _ in try edits[number].1() })
    }

    @Test func takenBack() throws {
        expect("abc") { view in
            view.add(books[3])
            view.remove(books[0])
            context.rollback()
        }
        expect("abc") { view in
            context.undoManager?.beginUndoGrouping()
            view.add(books[3])
            view.remove(books[1])
            context.processPendingChanges()
            context.undoManager?.endUndoGrouping()
            expect(view, "acd")
            context.undoManager?.undo()
        }
    }

    @Test func refreshedAndFaulted() throws {
        try expect("abcd") { view in
            view.add(books[3])
            try context.save()
            context.refresh(shelf, mergeChanges: false)
            #expect(shelf.isFault)
        }
        context.performAndWait {
            let view = shelf.mutableOrderedSetValue(forKey: "books")
            context.refreshAllObjects()
            expect(view, "abcd")
            books[4].setValue(shelf, forKey: "shelf")
            expect(view, "abcde")
        }
    }

    @Test func savedElsewhere() throws {
        let id = shelf.objectID, new = books[3].objectID, gone = books[0].objectID
        try expect("dbc") { _ in
            let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            other.persistentStoreCoordinator = coordinator
            try other.performAndWait {
                other.object(with: id).mutableOrderedSetValue(forKey: "books")
                    .replaceObject(at: 0, with: other.object(with: new))
                try other.save()
            }
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSUpdatedObjectsKey: [id, new, gone]], into: [context])
        }
    }

    /// What is gone has no members.
    @Test func reset() {
        context.performAndWait {
            let view = shelf.mutableOrderedSetValue(forKey: "books")
            context.reset()
            #expect(view.array.isEmpty)
            #expect(view.firstObject == nil)
            #expect(view.count == 0)
        }
    }

    /// Many changes with a view about cost no more for every member there is.
    @Test func many() {
        context.performAndWait {
            let new = (0..<5000).map { _ in NSEntityDescription.insertNewObject(forEntityName: "Book", into: context) }
            let view = shelf.mutableOrderedSetValue(forKey: "books")
            view.addObjects(from: new)
            #expect(view.array.count == 5003)
            #expect(view.lastObject as? NSManagedObject === new.last)
            for book in new { view.remove(book) }
            expect(view, "abc")
        }
    }

    /// The unordered kind: what Foundation cannot be told to read elsewhere is read from there all the same.
    @Test func sets() {
        context.performAndWait {
            let owner = books[0]
            let members = (0..<3).map { _ in NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context) }
            let view = owner.mutableSetValue(forKey: "tags")
            func check(_ expected: Set<NSManagedObject>, _ location: SourceLocation = #_sourceLocation) {
                #expect(Set(view.allObjects as? [NSManagedObject] ?? []) == expected, sourceLocation: location)
                var found: Set<NSManagedObject> = []
                for case let object as NSManagedObject in view { found.insert(object) }
                #expect(found == expected, sourceLocation: location)
                #expect(view.count == expected.count, sourceLocation: location)
                #expect((view.anyObject() == nil) == expected.isEmpty, sourceLocation: location)
                #expect((view.copy() as? NSSet)?.count == expected.count, sourceLocation: location)
                #expect((view.mutableCopy() as? NSSet)?.count == expected.count, sourceLocation: location)
                #expect(view.isEqual(NSSet(array: Array(expected))), sourceLocation: location)
                #expect(NSSet(array: Array(expected)).isEqual(view), sourceLocation: location)
                let lines = view.description.split(separator: "\n").count
                let plain = NSSet(array: Array(expected)).description.split(separator: "\n").count
                #expect(lines == plain, sourceLocation: location)
                for member in members {
                    #expect(view.contains(member) == expected.contains(member), sourceLocation: location)
                    #expect((view.member(member) != nil) == expected.contains(member), sourceLocation: location)
                }
            }
            check([])
            view.addObjects(from: members)
            check(Set(members))
            owner.setValue(Set(members[..<1]), forKey: "tags")
            check([members[0]])
            #expect(!view.description.isEmpty)
            view.union([members[1]])
            check(Set(members[..<2]))
            view.minus([members[0]])
            check([members[1]])
            view.setSet(Set(members.map(AnyHashable.init)))
            check(Set(members))
            view.intersect([members[2]])
            check([members[2]])
            view.removeAllObjects()
            check([])
        }
    }
}
