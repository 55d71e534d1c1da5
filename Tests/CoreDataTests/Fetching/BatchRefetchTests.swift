import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Results in batches over objects that are there already, that are gone, or that a parent has.
@Suite("Batches over known objects")
struct BatchRefetchTests {
    private let store: BatchLibrary
    private var context: NSManagedObjectContext { store.context }

    init() throws { store = try BatchLibrary() }

    private func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        return child
    }

    /// Faults whose row came with the batch of another object show what is in the store when they are fetched again.
    @Test(arguments: [true, false]) func faultsShowTheStore(refreshing: Bool) throws {
        let books = try context.fetch(BatchLibrary.books())
        #expect(BatchLibrary.title(books[0]) == "Book 1")
        try store.retitle(1, "first")
        try store.retitle(5, "fifth")
        let request = BatchLibrary.books()
        request.shouldRefreshRefetchedObjects = refreshing
        let again = try context.fetch(request)
        #expect(BatchLibrary.title(again[4]) == "fifth")
        #expect(BatchLibrary.title(again[0]) == (refreshing ? "first" : "Book 1"))
    }

    @Test func refreshingKeepsChangesAndTellsOfItOnce() throws {
        let books = try context.fetch(BatchLibrary.books())
        #expect(BatchLibrary.walk(books[..<400]))
        books[1].setValue("mine", forKey: "title")
        context.processPendingChanges()
        let told = Told(context)
        let request = BatchLibrary.books()
        request.shouldRefreshRefetchedObjects = true
        _ = try context.fetch(request)
        context.processPendingChanges()
        #expect(told.count <= 3 && told.refreshed >= 399)
        #expect(BatchLibrary.title(books[1]) == "mine" && books[1].hasChanges)
        #expect(BatchLibrary.walk(books[2...]))
    }

    /// What is loaded already fires no fault, with which its relationships could be loaded.
    @Test func prefetchingForLoadedObjects() throws {
        let books = try context.fetch(FetchLibrary.books())
        for book in books { _ = book.value(forKey: "pages") }
        _ = store.queries()
        let request = BatchLibrary.books()
        request.relationshipKeyPathsForPrefetching = ["tags"]
        let again = try context.fetch(request)
        #expect(again.count { (($0.value(forKey: "tags") as? Set<NSManagedObject>)?.count ?? 0) > 0 } == 480)
        #expect(store.queries() <= 4)
        #expect(books.count == again.count)
    }

    @Test func prefetchingForASingleResult() throws {
        let request = BatchLibrary.books("pages == 5")
        request.relationshipKeyPathsForPrefetching = ["tags"]
        let books = try context.fetch(request)
        _ = store.queries()
        #expect((books[0].value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1)
        #expect(store.queries() == 0)
    }

    @Test(arguments: [[], ["tags"]]) func rowsThatAreGone(prefetching: [String]) throws {
        let child = child(of: context)
        let request = BatchLibrary.books()
        request.relationshipKeyPathsForPrefetching = prefetching
        let books = try child.fetch(request)
        let other = store.library.makeContext()
        for book in try other.fetch(FetchLibrary.books("pages IN {3, 7, 500, 501}")) { other.delete(book) }
        try other.save()
        let titles = books.map { BatchLibrary.title($0) }
        #expect(titles.enumerated().allSatisfy { $1 == ([3, 7, 500, 501].contains($0 + 1) ? nil : "Book \($0 + 1)") })
        #expect((books[4].value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1)
    }

    /// The context in the middle has no array of its own that would tell it of batches.
    @Test func throughTwoParents() throws {
        let middle = child(of: context)
        let child = child(of: middle)
        let books = try child.fetch(BatchLibrary.books())
        #expect(BatchLibrary.title(books[0]) == "Book 1")
        #expect(try child.fetch(FetchLibrary.books("pages == 2000")).count == 1)
        _ = store.queries()
        #expect(BatchLibrary.walk(books[400..<800]))
        #expect(store.queries() <= 2)
    }

    /// With changes in a child the limit is applied there, after them: the parent finds more than is wanted.
    @Test func limitsInAChildWithChanges() throws {
        let child = child(of: context)
        child.insert("Book", ["title": "Book 0", "pages": 0, "inPrint": true])
        let request = BatchLibrary.books()
        request.fetchLimit = 10
        request.relationshipKeyPathsForPrefetching = ["tags"]
        let books = try child.fetch(request)
        #expect(books.map { BatchLibrary.title($0) } == (0..<10).map { "Book \($0)" })
        #expect(store.queries() <= 4)
    }
}

/// What the notifications of a context said.
private final class Told: @unchecked Sendable {
    private(set) var count = 0
    private(set) var refreshed = 0
    private var token: (any NSObjectProtocol)?

    init(_ context: NSManagedObjectContext) {
        token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { [unowned self] notification in
            count += 1
            refreshed += (notification.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0
        }
    }

    deinit { token.map { NotificationCenter.default.removeObserver($0) } }
}
