import CoreData
import CoreDataTestSupport
import Testing

/// Walks over results in batches: what is read how often, and what stays in memory.
@Suite("Walking by batches")
struct BatchWalkTests {
    private let store: BatchLibrary
    private var context: NSManagedObjectContext { store.context }
    private let batches = BatchLibrary.count / BatchLibrary.size

    init() throws { store = try BatchLibrary() }

    /// Where the objects are that are no faults, if all of them are side by side.
    private func loaded(_ books: [NSManagedObject]) -> Range<Int>? {
        let places = books.indices.filter { !books[$0].isFault }
        guard let first = places.first, let last = places.last, last - first == places.count - 1 else { return nil }
        return first..<last + 1
    }

    @Test func batchesLeftBehindAreFaults() throws {
        let books = try context.fetch(BatchLibrary.books())
        #expect(books.count == BatchLibrary.count && store.queries() == 1)
        #expect(BatchLibrary.walk(books))
        #expect(store.queries() == batches)
        #expect(loaded(books) == 1_200..<2_400)
        #expect(FetchLibrary.pages(books) == Array(1...2_400))
    }

    @Test func walkingAgainReadsAgainBatchByBatch() throws {
        let books = try context.fetch(BatchLibrary.books())
        for _ in 0..<4 {
            _ = store.queries()
            #expect(BatchLibrary.walk(books))
            #expect(store.queries() <= batches)
        }
        #expect(books.contains { $0.isFault })
    }

    @Test func backwards() throws {
        let books = try context.fetch(BatchLibrary.books())
        _ = store.queries()
        #expect(BatchLibrary.walk(books.reversed()))
        #expect(store.queries() == batches)
        #expect(!books[0].isFault)
    }

    @Test func backwardsByIndex() throws {
        let books = try context.fetch(BatchLibrary.books())
        _ = store.queries()
        for index in books.indices.reversed() { #expect(BatchLibrary.walk([books[index]])) }
        #expect(store.queries() == batches)
        #expect(loaded(books) == 0..<1_200)
    }

    /// Were batches to come and go for single objects, each would cost a query.
    @Test func hereAndThere() throws {
        let books = try context.fetch(BatchLibrary.books())
        var random = SeededGenerator(seed: 7)
        _ = store.queries()
        for _ in 0..<2_000 {
            let index = Int.random(in: books.indices, using: &random)
            #expect(books[index].value(forKey: "pages") as? Int == index + 1)
        }
        #expect(store.queries() < 40)
    }

    @Test func byTwenties() throws {
        let books = try context.fetch(BatchLibrary.books(by: 20))
        _ = store.queries()
        // A walk that goes on reads several small batches at once.
        #expect(BatchLibrary.walk(books[..<80]))
        #expect(store.queries() == 4)
        #expect(BatchLibrary.walk(books[80...]))
        #expect(store.queries() < 20)
        // A thousand rows stay.
        #expect(loaded(books) == 1_400..<2_400)
    }

    @Test func copiesOfTheArray() throws {
        let walked = try context.fetch(BatchLibrary.books()).map { $0 }
        _ = store.queries()
        #expect(BatchLibrary.walk(walked))
        #expect(store.queries() == batches)
        #expect(loaded(walked) == 1_200..<2_400)
    }

    /// Where rows lie together they are read from the first to the last, whatever lies between.
    @Test(arguments: [true, false])
    func gapsBetweenRows(isAscending: Bool) throws {
        let request = BatchLibrary.books("inPrint == YES", by: 200)
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: isAscending)]
        let books = try context.fetch(request)
        _ = store.queries()
        let expected = Array(stride(from: 2, through: 2_400, by: 2))
        #expect(FetchLibrary.pages(books) == (isAscending ? expected : expected.reversed()))
        let queries = store.library.log.selections()
        #expect(queries.count == 6)
        #expect(queries.allSatisfy { $0.contains("BETWEEN") })
    }

    @Test func rowsFarApart() throws {
        let books = try context.fetch(BatchLibrary.books("author != nil AND tags.@count > 0", by: 40))
        _ = store.queries()
        #expect(FetchLibrary.pages(books) == Array(stride(from: 15, through: 2_400, by: 15)))
        let queries = store.library.log.selections()
        #expect(queries.count == 4)
        #expect(queries.allSatisfy { !$0.contains("BETWEEN") })
    }

    @Test func inAnotherOrderThanThatOfTheRows() throws {
        let request = BatchLibrary.books()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let books = try context.fetch(request)
        _ = store.queries()
        #expect(books.map { BatchLibrary.title($0) ?? "" } == (1...2_400).map { "Book \($0)" }.sorted())
        #expect(store.queries() == batches)
        #expect(BatchLibrary.walk([books[10], books[2_000], books[10]]))
        #expect(store.queries() == 1)
    }

    @Test func realisedObjectsComeInBatchesToo() throws {
        let request = BatchLibrary.books()
        request.returnsObjectsAsFaults = false
        let books = try context.fetch(request)
        #expect(store.queries() == 1, "Only the IDs are read at first.")
        #expect(BatchLibrary.walk(books))
        #expect(store.queries() == batches)
    }

    @Test func aResultOfOneBatchIsReadAtOnce() throws {
        let request = BatchLibrary.books()
        request.fetchLimit = 400
        let books = try context.fetch(request)
        #expect(BatchLibrary.walk(books) && books.count == 400)
        #expect(store.queries() == 1)
    }

    @Test func prefetchingComesWithEachBatch() throws {
        let request = BatchLibrary.books()
        request.relationshipKeyPathsForPrefetching = ["author", "tags"]
        let books = try context.fetch(request)
        #expect(store.queries() == 1)
        var (authors, tags) = (0, 0)
        for book in books {
            if (book.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") != nil { authors += 1 }
            let words = book.value(forKey: "tags") as? Set<NSManagedObject>
            tags += words?.count { $0.value(forKey: "word") != nil } ?? 0
        }
        #expect(authors == 800 && tags == 480)
        #expect(store.queries() <= 4 * batches)
        #expect(books[0].isFault)
        request.relationshipKeyPathsForPrefetching = ["author.nothing"]
        #expect(throws: (any Error).self) { try context.fetch(request) }
    }

    @Test func prefetchingThroughAParent() throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        let request = BatchLibrary.books()
        request.relationshipKeyPathsForPrefetching = ["tags"]
        let books = try child.fetch(request)
        #expect(store.queries() == 1)
        #expect(books.count { (($0.value(forKey: "tags") as? Set<NSManagedObject>)?.count ?? 0) > 0 } == 480)
        #expect(store.queries() <= 3 * batches)
        request.relationshipKeyPathsForPrefetching = ["nothing"]
        #expect(throws: (any Error).self) { try child.fetch(request) }
    }

    @Test func throughAParent() throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        let parents = try context.fetch(FetchLibrary.books("pages == 5"))
        parents[0].setValue("unsaved", forKey: "title")
        _ = store.queries()
        let books = try child.fetch(BatchLibrary.books())
        // Where the book with changes belongs has to be looked up.
        #expect(store.queries() <= 1 + batches)
        #expect(books[4].value(forKey: "title") as? String == "unsaved")
        #expect(BatchLibrary.walk(books[..<4]) && BatchLibrary.walk(books[5...]))
        #expect(store.queries() == batches)
        #expect(loaded(books) == 1_200..<2_400)
    }

    /// Creatures that write down their hooks, fetched in batches of 200.
    private func creatures(_ count: Int, in kind: StoreKind) throws -> (zoo: Zoo, creatures: [Creature]) {
        let zoo = try Zoo(store: kind)
        for number in 0..<count { zoo.context.insert("Creature", ["name": "\(number)", "age": number]) }
        try zoo.context.save()
        zoo.context.reset()
        let request = NSFetchRequest<Creature>(entityName: "Creature")
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
        request.fetchBatchSize = 200
        let creatures = try zoo.context.fetch(request)
        _ = zoo.journal.take()
        return (zoo, creatures)
    }

    @Test(arguments: StoreKind.allCases)
    func hooksTellOfLeaving(kind: StoreKind) throws {
        let (zoo, creatures) = try creatures(1_200, in: kind)
        for creature in creatures.prefix(1_000) { _ = creature.value(forKey: "name") }
        #expect(zoo.journal.take().count { $0 != "awakeFromFetch" } == 0)
        for creature in creatures.dropFirst(1_000).prefix(1) { _ = creature.value(forKey: "name") }
        let lines = zoo.journal.take()
        #expect(lines.count { $0 == "willTurnIntoFault false" } == 200)
        #expect(lines.count { $0 == "didTurnIntoFault true" } == 200)
        #expect(creatures[199].isFault && !creatures[200].isFault)
    }

    /// Of the seven batches left behind one object each was touched; the others were faults all the time.
    @Test(arguments: StoreKind.allCases)
    func hooksAreForWhatWasNoFault(kind: StoreKind) throws {
        let (zoo, creatures) = try creatures(2_400, in: kind)
        for place in stride(from: 0, to: 2_400, by: 200) { _ = creatures[place].value(forKey: "name") }
        let lines = zoo.journal.take()
        #expect(lines.count { $0 == "willTurnIntoFault false" } == 7)
        #expect(lines.count { $0.hasPrefix("willTurnIntoFault") } == 7)
        #expect(lines.count { $0.hasPrefix("didTurnIntoFault") } == 7)
    }
}
