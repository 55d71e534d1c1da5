import CoreData
import CoreDataTestSupport
import PredicateFormat
import Testing

/// When the rows of a fetch are read, counted in SQL statements.
@Suite
struct LoadingTests {
    private let library: FetchLibrary
    private var context: NSManagedObjectContext { library.context }
    private func queries() -> Int { library.log.queries() }

    init() throws { library = try FetchLibrary() }

    @Test func faultsHaveTheirRowsAtHand() throws {
        let books = try context.fetch(FetchLibrary.books())
        #expect(queries() == 1)
        #expect(books.allSatisfy { $0.isFault })
        #expect(FetchLibrary.pages(books) == Array(1...40))
        #expect(books.allSatisfy { !$0.isFault })
        #expect(queries() == 0)
    }

    @Test func realisedObjects() throws {
        let request = FetchLibrary.books()
        request.returnsObjectsAsFaults = false
        let books = try context.fetch(request)
        #expect(books.allSatisfy { !$0.isFault })
        #expect(queries() == 1)
    }

    @Test func withoutPropertyValues() throws {
        let request = FetchLibrary.books("pages <= 3")
        request.includesPropertyValues = false
        let books = try context.fetch(request)
        #expect(queries() == 1)
        #expect(books.allSatisfy { $0.isFault })
        #expect(FetchLibrary.pages(books) == [1, 2, 3])
        // One each.
        #expect(queries() == 3)
    }

    @Test func batches() throws {
        let request = FetchLibrary.books()
        request.fetchBatchSize = 10
        let books = try context.fetch(request)
        #expect(books.count == 40)
        #expect(books.map(\.objectID).count == 40)
        #expect(queries() == 1, "Only the IDs are read at first.")
        #expect(FetchLibrary.pages(Array(books[0..<10])) == Array(1...10))
        #expect(queries() == 1)
        #expect(FetchLibrary.pages([books[25]]) == [26])
        #expect(queries() == 1)
        #expect(FetchLibrary.pages(Array(books[20..<30])) == Array(21...30))
        #expect(queries() == 0)
        #expect(FetchLibrary.pages(books) == Array(1...40))
        #expect(queries() == 2)
        #expect(FetchLibrary.pages(books) == Array(1...40))
        #expect(queries() == 0)
    }

    @Test func batchesOfALimitedFetch() throws {
        let request = FetchLibrary.books("pages > 5")
        request.fetchBatchSize = 4
        request.fetchOffset = 10
        request.fetchLimit = 9
        let books = try context.fetch(request)
        #expect(queries() == 1)
        #expect(FetchLibrary.pages(books) == Array(16...24))
        #expect(queries() == 3)
        // One that holds everything is no batch.
        request.fetchBatchSize = 100
        let other = library.makeContext()
        #expect(FetchLibrary.pages(try other.fetch(request)) == Array(16...24))
        #expect(queries() <= 2)
    }

    @Test func batchesOfSubentities() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Animal")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        request.fetchBatchSize = 3
        let animals = try context.fetch(request)
        #expect(animals.compactMap { ($0.value(forKey: "name") as? String)?.last } == Array("01234567"))
        #expect(queries() == 4)
    }

    /// Rows deleted by somebody else after the IDs were read.
    @Test func batchesWithMissingRows() throws {
        let request = FetchLibrary.books()
        request.fetchBatchSize = 10
        let books = try context.fetch(request)
        let other = library.makeContext()
        for book in try other.fetch(FetchLibrary.books("pages IN {2, 5}")) { other.delete(book) }
        try other.save()
        #expect(FetchLibrary.pages(Array(books[0..<6])) == [1, -1, 3, 4, -1, 6])
    }

    @Test func batchesAndUnsavedChanges() throws {
        let request = FetchLibrary.books("pages > 20")
        request.fetchBatchSize = 5
        let extra = context.insert("Book", ["pages": 25, "title": "extra"])
        let found = try context.fetch(request)
        #expect(FetchLibrary.pages(found) == Array(21...25) + [25] + Array(26...40))
        #expect(found.contains(extra))
    }

    @Test func prefetching() throws {
        let request = FetchLibrary.books()
        request.relationshipKeyPathsForPrefetching = ["author", "tags", "author.awards"]
        let books = try context.fetch(request)
        let cost = queries()
        #expect(cost <= 5, "One for the books and one for each step: \(cost)")
        var tags = 0
        var authors = 0
        for book in books {
            tags +=
                (book.value(forKey: "tags") as? Set<NSManagedObject>)?.count { $0.value(forKey: "word") != nil } ?? 0
            if (book.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") != nil { authors += 1 }
        }
        #expect(tags == 80 && authors == 30)
        #expect(queries() == 0)
    }

    @Test func prefetchingToMany() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.relationshipKeyPathsForPrefetching = ["books.tags", "pet"]
        let authors = try context.fetch(request)
        #expect(queries() <= 4)
        var count = 0
        for author in authors {
            for book in author.value(forKey: "books") as? Set<NSManagedObject> ?? [] {
                count += (book.value(forKey: "tags") as? Set<NSManagedObject>)?.count ?? 0
            }
            _ = (author.value(forKey: "pet") as? NSManagedObject)?.value(forKey: "name")
        }
        #expect(count == 60)
        #expect(queries() == 0)
    }

    /// The owner's key is known when the members of its relationship are read: they lead back to it all the same.
    @Test(arguments: [false, true])
    func membersLeadBack(isPrefetched: Bool) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        if isPrefetched { request.relationshipKeyPathsForPrefetching = ["books"] }
        var count = 0
        for author in try context.fetch(request) {
            for book in author.value(forKey: "books") as? Set<NSManagedObject> ?? [] {
                #expect(book.value(forKey: "author") as? NSManagedObject === author)
                count += 1
            }
        }
        #expect(count == 30)
    }

    @Test func withoutPrefetchingEachCosts() throws {
        let authors = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author"))
        _ = queries()
        for author in authors { _ = (author.value(forKey: "books") as? Set<NSManagedObject>)?.count }
        #expect(queries() >= 3)
    }

    @Test func onlyRelationshipsCanBePrefetched() throws {
        let request = FetchLibrary.books()
        for path in ["nothing", "author.nothing", "title"] {
            request.relationshipKeyPathsForPrefetching = [path]
            #expect(throws: (any Error).self, "\(path)") { try context.fetch(request) }
        }
    }

    @Test func someProperties() throws {
        let request = FetchLibrary.books("pages <= 2")
        request.propertiesToFetch = ["title"]
        let books = try context.fetch(request)
        #expect(books.map { $0.value(forKey: "title") as? String } == ["Book 01", "Book 02"])
        // What was not asked for is there all the same.
        #expect(FetchLibrary.pages(books) == [1, 2])
        #expect((books[0].value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String == "Ann")
    }

    // MARK: Refreshing

    private func change(_ title: String, pages: Int) throws {
        let other = library.makeContext()
        try other.fetch(FetchLibrary.books("pages == \(pages)"))[0].setValue(title, forKey: "title")
        try other.save()
    }

    @Test func refetchedObjectsKeepTheirValues() throws {
        let request = FetchLibrary.books("pages == 3")
        let book = try context.fetch(request)[0]
        #expect(book.value(forKey: "title") as? String == "Book 03")
        try change("new", pages: 3)
        _ = try context.fetch(request)
        #expect(book.value(forKey: "title") as? String == "Book 03")
        request.shouldRefreshRefetchedObjects = true
        _ = try context.fetch(request)
        #expect(book.value(forKey: "title") as? String == "new")
    }

    @Test func refreshingKeepsUnsavedChanges() throws {
        let request = FetchLibrary.books("pages == 3")
        request.shouldRefreshRefetchedObjects = true
        let book = try context.fetch(request)[0]
        book.setValue(false, forKey: "inPrint")
        book.setValue(Data([1]), forKey: "cover")
        try change("new", pages: 3)
        _ = try context.fetch(request)
        #expect(book.value(forKey: "title") as? String == "new")
        #expect(book.value(forKey: "cover") as? Data == Data([1]))
        #expect(book.hasChanges)
        // Fresh as it is, it saves without a conflict.
        try context.save()
    }

    /// Who is told of the refresh may reset the context, with all that the fetch has found, and fetch anew.
    @Test func theContextMayBeResetWhileAFetchRefreshes() throws {
        // More than a fetch makes objects of at once, of the entity that comes last.
        for number in 8..<28 { context.insert("Puppy", ["name": "Puppy \(number)"]) }
        try context.save()
        context.reset()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Animal")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        request.fetchLimit = 1
        let changed = try context.fetch(request)[0]
        changed.setValue(9, forKey: "lives")
        context.processPendingChanges()
        request.fetchLimit = 0
        request.shouldRefreshRefetchedObjects = true
        nonisolated(unsafe) var found: [NSManagedObject] = []
        let context = context
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { _ in
            guard found.isEmpty, !context.registeredObjects.isEmpty else { return }
            context.reset()
            found = (try? context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Animal"))) ?? []
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let lost = try context.fetch(request)
        #expect(lost.count == 28 && lost.allSatisfy { $0.managedObjectContext == nil })
        #expect(found.count == 28 && found.allSatisfy { $0.managedObjectContext === context })
        #expect(context.registeredObjects == Set(found))
        #expect(Set(found.compactMap { $0.value(forKey: "name") as? String }).count == 28)
    }
}
