@testable import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// What objects of batches left behind keep: everything that cannot be read again, or that somebody relies on.
@Suite("Batches left behind")
struct BatchKeepingTests {
    private let store: BatchLibrary
    private var context: NSManagedObjectContext { store.context }

    init() throws { store = try BatchLibrary() }

    /// Walks over everything but the first books.
    private func leave(_ books: [NSManagedObject], after count: Int = 10) {
        #expect(BatchLibrary.walk(books[count...]))
        #expect(books[count].isFault)
    }

    @Test func edits() throws {
        let books = try context.fetch(BatchLibrary.books())
        books[0].setValue("edited", forKey: "title")
        books[1].setPrimitiveValue("primitive", forKey: "title")
        let tag = try context.fetchAll("Tag")[0]
        tag.mutableSetValue(forKey: "books").add(books[2])
        context.delete(books[3])
        leave(books)
        #expect(BatchLibrary.title(books[0]) == "edited" && books[0].hasChanges)
        #expect(BatchLibrary.title(books[1]) == "primitive")
        #expect(books[2].value(forKey: "tags") as? Set<NSManagedObject> == [tag])
        #expect(books[3].isDeleted)
        try context.save()
        context.reset()
        let saved = try context.fetch(FetchLibrary.books("pages <= 4"))
        #expect(saved.map { BatchLibrary.title($0) } == ["edited", "Book 2", "Book 3"])
        #expect((saved[2].value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1)
    }

    /// A walk that changes and saves as it goes needs no more memory than one that reads.
    @Test func savedObjectsAreLeftLikeOthers() throws {
        let books = try context.fetch(BatchLibrary.books())
        for (index, book) in books.enumerated() {
            book.setValue("new \(index)", forKey: "title")
            if index % 400 == 399 { try context.save() }
        }
        #expect(books[..<1_200].allSatisfy { $0.isFault })
        #expect(books.enumerated().allSatisfy { BatchLibrary.title($1) == "new \($0)" })
    }

    @Test func objectsTheProgramHolds() throws {
        let books = try context.fetch(BatchLibrary.books())
        let held = books[5]
        #expect(BatchLibrary.walk(books[..<10]))
        leave(books)
        try store.retitle(6, "elsewhere")
        try store.retitle(7, "elsewhere")
        #expect(!held.isFault && BatchLibrary.title(held) == "Book 6")
        #expect(books[6].isFault && BatchLibrary.title(books[6]) == "elsewhere")
    }

    @Test func objectsInTwoResults() throws {
        let books = try context.fetch(BatchLibrary.books())
        let others = try context.fetch(BatchLibrary.books("pages <= 1000", by: 50))
        #expect(BatchLibrary.walk(books) && BatchLibrary.walk(others))
        #expect(books[..<1_000].allSatisfy { !$0.isFault })
        #expect(others.elementsEqual(books[..<1_000], by: ===))
        #expect(BatchLibrary.walk(others.reversed()))
    }

    @Test func contextsThatRetainTheirObjects() throws {
        context.retainsRegisteredObjects = true
        let books = try context.fetch(BatchLibrary.books())
        #expect(BatchLibrary.walk(books))
        #expect(books.allSatisfy { !$0.isFault })
    }

    @Test func relationshipsAreReadAgain() throws {
        let books = try context.fetch(BatchLibrary.books())
        for _ in 0..<2 {
            for (index, book) in books.enumerated() {
                #expect((book.value(forKey: "author") != nil) == ((index + 1) % 3 == 0))
            }
            #expect(books[0].isFault && books[2].isFault)
        }
        let tags = books[4].value(forKey: "tags") as? Set<NSManagedObject>
        leave(books)
        #expect(books[4].isFault && tags?.count == 1)
        #expect(books[4].value(forKey: "tags") as? Set<NSManagedObject> == tags)
    }

    @Test func transientValues() throws {
        let zoo = try Zoo(store: .sqlite)
        for number in 0..<2_000 { zoo.context.insert("Creature", ["name": "\(number)", "age": number]) }
        try zoo.context.save()
        zoo.context.reset()
        let request = NSFetchRequest<Creature>(entityName: "Creature")
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
        request.fetchBatchSize = 400
        let creatures = try zoo.context.fetch(request)
        creatures[0].setValue("grim", forKey: "mood")
        creatures[1].setValue("glad", forKey: "mood")
        creatures[1].setValue("renamed", forKey: "name")
        try zoo.context.save()
        for creature in creatures.dropFirst(2) { _ = creature.value(forKey: "name") }
        #expect(creatures[2].isFault)
        #expect(creatures[0].value(forKey: "mood") as? String == "grim")
        #expect(creatures[1].value(forKey: "mood") as? String == "glad")
    }

    @Test func pinnedContexts() throws {
        try context.setQueryGenerationFrom(.current)
        let books = try context.fetch(BatchLibrary.books())
        #expect(BatchLibrary.walk(books[..<10]))
        leave(books)
        try store.retitle(7, "elsewhere")
        #expect(books[6].isFault && BatchLibrary.title(books[6]) == "Book 7")
        try context.setQueryGenerationFrom(nil)
        context.refresh(books[6], mergeChanges: false)
        #expect(BatchLibrary.title(books[6]) == "elsewhere")
    }

    @Test func undoing() throws {
        context.undoManager = UndoManager()
        let books = try context.fetch(BatchLibrary.books())
        books[0].setValue("edited", forKey: "title")
        context.processPendingChanges()
        try context.save()
        leave(books)
        context.undoManager?.undo()
        #expect(BatchLibrary.title(books[0]) == "Book 1")
    }

    @Test func refetching() throws {
        let books = try context.fetch(BatchLibrary.books())
        #expect(BatchLibrary.walk(books[..<20]))
        books[1].setValue("mine", forKey: "title")
        try store.retitle(1, "elsewhere")
        let request = BatchLibrary.books()
        _ = try context.fetch(request)
        #expect(BatchLibrary.title(books[0]) == "Book 1")
        request.shouldRefreshRefetchedObjects = true
        _ = try context.fetch(request)
        #expect(BatchLibrary.title(books[0]) == "elsewhere")
        #expect(BatchLibrary.title(books[1]) == "mine")
    }

    @Test func resettingInTheMiddle() throws {
        let books = try context.fetch(BatchLibrary.books())
        #expect(BatchLibrary.walk(books[..<900]))
        context.reset()
        #expect(books.allSatisfy { $0.managedObjectContext == nil })
        #expect(BatchLibrary.walk(try context.fetch(BatchLibrary.books())))
    }

    /// What is known of a result goes with its objects.
    @Test func resultsNobodyHas() throws {
        for size in 10..<40 {
            let books = try context.fetch(BatchLibrary.books(by: size))
            #expect(BatchLibrary.walk(books[..<50]))
        }
        #expect(context.batches.count <= 2)
        let last = try #require(try context.fetch(BatchLibrary.books()).last)
        context.processPendingChanges()
        #expect(context.batches.count == 1)
        #expect(BatchLibrary.walk([last]))
        withExtendedLifetime(last) {}
    }

    @Test func resultsNobodyHasAreForgottenBySaves() throws {
        _ = try context.fetch(BatchLibrary.books())
        try context.save()
        #expect(context.batches.isEmpty)
    }
}
