import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Prefetching takes one query for each step in contexts that have parents, as it does without.
@Suite("Prefetching through parents")
struct ChildPrefetchTests {
    /// Forty books, each with a writer of its own, who lives in a town of his own, and two pages with printers of their own.
    private let library: Library
    /// The context of the store, its child and its grandchild.
    private let contexts: [NSManagedObjectContext]

    private static let model: NSManagedObjectModel = {
        let names = ["Book", "Page", "Writer", "Town"]
        let entities = names.map { LibraryModel.entity($0) }
        for entity in entities { entity.properties = [LibraryModel.attribute("number", .integer64AttributeType)] }
        LibraryModel.relate(entities[2], "books", many: true, entities[0], "writer", many: false)
        LibraryModel.relate(entities[3], "writers", many: true, entities[2], "town", many: false)
        LibraryModel.relate(entities[0], "pages", many: true, entities[1], "book", many: false)
        LibraryModel.relate(entities[2], "printed", many: true, entities[1], "printer", many: false)
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }()

    init() throws {
        library = try Library(Self.model, store: .sqlite)
        let top = library.context
        try top.performAndWait {
            for number in 0..<40 {
                let town = top.insert("Town", ["number": number])
                let writer = top.insert("Writer", ["number": number, "town": town])
                let book = top.insert("Book", ["number": number, "writer": writer])
                for _ in 0..<2 {
                    let printer = top.insert("Writer", ["number": number])
                    top.insert("Page", ["number": number, "book": book, "printer": printer])
                }
            }
            try top.save()
            top.reset()
            // Opens the connection for reading, which is an event itself.
            _ = try top.count(for: NSFetchRequest<NSManagedObject>(entityName: "Town"))
        }
        let child = library.makeChild(of: top)
        contexts = [top, child, library.makeChild(of: child)]
    }

    private func request(_ paths: String..., batch: Int = 0) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.relationshipKeyPathsForPrefetching = paths
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        request.fetchBatchSize = batch
        return request
    }

    /// Reads all that a key path leads to; the numbers, in order.
    @discardableResult
    private static func follow(_ path: String, from objects: [NSManagedObject]) -> [Int] {
        objects.flatMap { object in
            var ends = [object]
            for key in path.split(separator: ".") {
                ends = ends.flatMap { end -> [NSManagedObject] in
                    switch end.value(forKey: String(key)) {
                    case let one as NSManagedObject: [one]
                    case let many as Set<NSManagedObject>: Array(many)
                    default: []
                    }
                }
            }
            return ends.compactMap { $0.value(forKey: "number") as? Int }
        }
    }

    private func record(
        at depth: Int, _ body: (NSManagedObjectContext) throws -> Void
    ) rethrows -> Instruments.Recording {
        try Instruments.record { try contexts[depth].performAndWait { try body(contexts[depth]) } }
    }

    @Test(
        arguments: [0, 1, 2],
        [("writer", 2), ("writer.town", 3), ("pages", 2), ("pages.printer", 3), ("pages.printer.books", 4)])
    func takesOneQueryForEachStep(_ depth: Int, _ path: (String, queries: Int)) throws {
        let recording = try record(at: depth) { context in
            let numbers = Self.follow(path.0, from: try context.fetch(request(path.0)))
            // Printers have written nothing.
            let expected = path.0.hasSuffix("books") ? [] : Set(0..<40)
            #expect(Set(numbers) == expected)
        }
        #expect(recording.totals.queries == path.queries)
        #expect(recording.findings == [])
    }

    @Test(arguments: [0, 1, 2]) func takesTwoQueriesForEachBatch(_ depth: Int) throws {
        let recording = try record(at: depth) { context in
            let numbers = Self.follow("writer", from: try context.fetch(request("writer", batch: 10)))
            #expect(numbers == Array(0..<40))
        }
        #expect(recording.totals.queries == 9)
        #expect(recording.findings == [])
    }

    @Test(arguments: [0, 1, 2], [0, 10]) func servesResultsControllers(_ depth: Int, _ batch: Int) throws {
        let recording = try record(at: depth) { context in
            let controller = NSFetchedResultsController(
                fetchRequest: request("writer.town", batch: batch), managedObjectContext: context,
                sectionNameKeyPath: nil, cacheName: nil)
            try controller.performFetch()
            #expect(Self.follow("writer.town", from: controller.fetchedObjects ?? []) == Array(0..<40))
        }
        #expect(recording.totals.queries <= (batch == 0 ? 3 : 13))
        #expect(recording.findings == [])
    }

    @Test(arguments: [0, 1, 2]) func identitiesAreRealisedTogether(_ depth: Int) throws {
        let recording = try record(at: depth) { context in
            let request = request()
            request.includesPropertyValues = false
            request.returnsObjectsAsFaults = false
            let books = try context.fetch(request)
            #expect(books.allSatisfy { !$0.isFault })
        }
        #expect(recording.totals.queries == 2)
    }

    @Test(arguments: [0, 1, 2]) func membersComeWithTheirRows(_ depth: Int) throws {
        let recording = try record(at: depth) { context in
            Self.follow("pages", from: try context.fetch(request()))
        }
        // One for the books, and one for the pages of each.
        #expect(recording.totals.queries <= 41)
    }

    @Test(arguments: [0, 1, 2]) func deletingReadsWhatTheRulesNeedTogether(_ depth: Int) throws {
        let recording = try record(at: depth) { context in
            for book in try context.fetch(request()) { context.delete(book) }
            context.processPendingChanges()
            let pages = try context.fetchAll("Page")
            #expect(pages.count == 80)
        }
        #expect(recording.totals.queries <= 5)
    }

    // MARK: Unsaved changes

    @Test(arguments: [1, 2]) func unsavedValuesOfTheParentWin(_ depth: Int) throws {
        let top = contexts[0]
        try top.performAndWait {
            let books = try top.fetch(request())
            books[0].setValue(top.insert("Writer", ["number": 999]), forKey: "writer")
            (books[1].value(forKey: "writer") as? NSManagedObject)?.setValue(500, forKey: "number")
            books[2].setValue(books[3].value(forKey: "writer"), forKey: "writer")
            top.insert("Page", ["number": 77, "book": books[4]])
        }
        let recording = try record(at: depth) { context in
            let books = try context.fetch(request("writer", "pages"))
            #expect(Self.follow("writer", from: books) == [999, 500, 3] + Array(3..<40))
            #expect(Self.follow("pages", from: [books[4]]).sorted() == [4, 4, 77])
        }
        #expect(recording.totals.queries <= 3)
        #expect(recording.findings == [])
    }

    @Test(arguments: [0, 1, 2]) func unsavedObjectsLeadToSavedOnes(_ depth: Int) throws {
        let top = contexts[0]
        let count = try top.performAndWait {
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "Writer")
            request.resultType = .managedObjectIDResultType
            let ids = try top.fetch(request)
            for id in ids { top.insert("Book", ["number": 1000, "writer": top.object(with: id)]) }
            try top.obtainPermanentIDs(for: Array(top.insertedObjects.prefix(10)))
            top.refreshAllObjects()
            return ids.count
        }
        let recording = try record(at: depth) { context in
            let request = request("writer.town")
            request.predicate = NSPredicate(format: "number == 1000")
            let books = try context.fetch(request)
            #expect(Self.follow("writer", from: books).count == count)
        }
        #expect(recording.totals.queries <= 3)
        #expect(recording.findings == [])
    }

    @Test(arguments: [1, 2]) func changesOfTheChildAreFollowed(_ depth: Int) throws {
        let recording = try record(at: depth) { context in
            let writers = NSFetchRequest<NSManagedObject>(entityName: "Writer")
            writers.predicate = NSPredicate(format: "town.number == 7")
            let writer = try #require(try context.fetch(writers).first)
            for book in try context.fetch(request()) { book.setValue(writer, forKey: "writer") }
            let numbers = Self.follow("writer.town", from: try context.fetch(request("writer.town")))
            #expect(numbers == Array(repeating: 7, count: 40))
        }
        #expect(recording.events(of: .fault).filter { $0.entity == "Town" && $0.source == .parent }.isEmpty)
    }

    @Test(arguments: [1, 2]) func whatTheParentHasDeletedIsNotThere(_ depth: Int) throws {
        let top = contexts[0]
        try top.performAndWait {
            let books = try top.fetch(request())
            for book in books.prefix(10) {
                top.delete(try #require(book.value(forKey: "writer") as? NSManagedObject))
            }
            top.delete(try #require((books[10].value(forKey: "pages") as? Set<NSManagedObject>)?.first))
            top.delete(books[39])
            top.processPendingChanges()
        }
        let recording = try record(at: depth) { context in
            let books = try context.fetch(request("writer.town", "pages.printer"))
            #expect(Self.follow("writer.town", from: books) == Array(10..<39))
            #expect(Self.follow("pages.printer", from: [books[10]]) == [10])
        }
        #expect(recording.totals.queries <= 6)
        #expect(recording.findings == [])
    }

    /// A row that is gone has no value, and costs no more than one look.
    @Test(arguments: [0, 1, 2]) func whatTheStoreHasLostIsMetWhenItIsTouched(_ depth: Int) throws {
        let context = contexts[depth]
        let books = try context.performAndWait { try context.fetch(request()) }
        let other = library.makeContext()
        try other.performAndWait {
            for book in try other.fetch(request()).prefix(5) {
                if let writer = book.value(forKey: "writer") as? NSManagedObject { other.delete(writer) }
            }
            try other.save()
        }
        try context.performAndWait {
            _ = try context.fetch(request("writer"))
            // The objects at hand still lead to the writers that are gone.
            #expect(Self.follow("writer", from: books) == Array(5..<40))
        }
    }

    @Test func aPrefetchThatIsThereIsNotAdvised() throws {
        for depth in 0...2 {
            let recording = try record(at: depth) { context in
                let books = try context.fetch(request("pages"))
                Self.follow("pages", from: books)
                for book in books { context.refresh(book, mergeChanges: false) }
                for book in books { _ = (book.value(forKey: "pages") as? NSSet)?.count }
            }
            let finding = try #require(recording.findings.first { $0.kind == .repeatedRelationshipFault })
            #expect(finding.keyPath == "pages")
            #expect(!finding.remedy.contains("relationshipKeyPathsForPrefetching"))
            #expect(finding.remedy.hasPrefix("A fetch prefetches Book.pages, but "))
        }
    }
}
