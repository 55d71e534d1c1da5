import CoreData
import CoreDataTestSupport
import PredicateFormat
import Testing

/// Fetches in a context with unsaved changes.
@Suite
struct PendingChangesTests {
    private let library: FetchLibrary
    private var context: NSManagedObjectContext { library.context }

    init() throws { library = try FetchLibrary() }

    private func fetch(_ format: String, limit: Int = 0, offset: Int = 0, pending: Bool = true) throws -> [Int] {
        let request = FetchLibrary.books(format)
        request.fetchLimit = limit
        request.fetchOffset = offset
        request.includesPendingChanges = pending
        let found = FetchLibrary.pages(try context.fetch(request))
        #expect(try context.count(for: request) == found.count, "count(for:) disagrees")
        return found
    }

    private func book(_ pages: Int) throws -> NSManagedObject {
        try context.fetch(FetchLibrary.books("pages == \(pages)"))[0]
    }

    @Test func insertedUpdatedDeleted() throws {
        context.insert("Book", ["pages": 7])
        try book(3).setValue(100, forKey: "pages")
        context.delete(try book(5))
        #expect(try fetch("pages < 10") == [1, 2, 4, 6, 7, 7, 8, 9])
        #expect(try fetch("pages >= 40") == [40, 100])
        let request = FetchLibrary.books("pages < 10")
        request.includesPendingChanges = false
        #expect(try context.fetch(request).count == 9)
        #expect(try context.count(for: request) == 9)
    }

    @Test func limitsCountWhatIsPending() throws {
        context.insert("Book", ["pages": 0])
        context.delete(try book(1))
        context.delete(try book(2))
        #expect(try fetch("pages < 10", limit: 3) == [0, 3, 4])
        #expect(try fetch("pages < 10", limit: 3, offset: 2) == [4, 5, 6])
        #expect(try fetch("pages < 10", offset: 6) == [8, 9])
    }

    @Test func idsOfUnsavedObjectsAreTemporary() throws {
        let new = context.insert("Book", ["pages": 500])
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        request.resultType = .managedObjectIDResultType
        request.predicate = NSPredicate(format: "pages > 39")
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        let ids = try context.fetch(request)
        #expect(ids.count == 2 && ids[1] == new.objectID && ids[1].isTemporaryID && !ids[0].isTemporaryID)
    }

    @Test func dictionariesAreOfTheStore() throws {
        context.insert("Book", ["pages": 500])
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.predicate = NSPredicate(format: "pages > 39")
        #expect(try context.fetch(request).count == 1)
    }

    @Test func subentities() throws {
        context.insert("Puppy", ["name": "Rex"])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Dog")
        request.predicate = NSPredicate(format: "name == 'Rex'")
        #expect(try context.fetch(request).count == 1)
        request.includesSubentities = false
        #expect(try context.fetch(request).isEmpty)
    }

    @Test func throughRelationships() throws {
        let zoe = context.insert("Author", ["name": "Zoe"])
        try book(8).setValue(zoe, forKey: "author")
        #expect(try fetch("author.name == 'Zoe'") == [8])
        #expect(try fetch("author == nil AND pages < 10") == [4])
    }

    @Test func children() throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        context.insert("Book", ["pages": 0])
        child.insert("Book", ["pages": 1])
        let request = FetchLibrary.books("pages < 3")
        #expect(FetchLibrary.pages(try child.fetch(request)) == [0, 1, 1, 2])
        request.fetchLimit = 2
        #expect(FetchLibrary.pages(try child.fetch(request)) == [0, 1])
        #expect(try child.count(for: request) == 2)
    }

    /// Random edits, then random fetches, against the same done by hand on plain numbers.
    @Test(arguments: 1...6)
    func random(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var expected = Dictionary(uniqueKeysWithValues: try context.fetch(FetchLibrary.books()).map { ($0, 0) })
        for (book, pages) in zip(expected.keys, FetchLibrary.pages(Array(expected.keys))) { expected[book] = pages }
        for _ in 0..<30 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                let pages = Int.random(in: 0..<60, using: &generator)
                expected[context.insert("Book", ["pages": pages])] = pages
            case 1:
                guard let book = expected.keys.sorted(by: { "\($0.objectID)" < "\($1.objectID)" }).first else {
                    continue
                }
                context.delete(book)
                expected[book] = nil
            default:
                guard let book = expected.keys.randomElement(using: &generator) else { continue }
                let pages = Int.random(in: 0..<60, using: &generator)
                book.setValue(pages, forKey: "pages")
                expected[book] = pages
            }
            let low = Int.random(in: 0..<60, using: &generator)
            let (limit, offset) = (Int.random(in: 0..<8, using: &generator), Int.random(in: 0..<5, using: &generator))
            let all = expected.values.filter { $0 >= low }.sorted().dropFirst(offset)
            let wanted = Array(limit > 0 ? all.prefix(limit) : all)
            #expect(try fetch("pages >= \(low)", limit: limit, offset: offset) == wanted)
        }
    }
}
