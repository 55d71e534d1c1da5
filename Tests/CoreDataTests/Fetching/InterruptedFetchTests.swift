import CoreData
import CoreDataRowStorage
import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import PredicateFormat
import Testing

/// Reads that end before they are through: where a sink wants no more, at a deadline, and when a fetch is cancelled.
@Suite("Reads that end early")
struct InterruptedFetchTests {
    /// Takes every other row, up to a number of them.
    private final class StoppingSink: RowSink {
        private let most: Int
        private(set) var announced = 0
        private(set) var received = 0

        init(after most: Int) { self.most = most }

        func next(entityNumber: Int, key: Int64) -> RowDecision {
            announced += 1
            return announced > most ? .stop : announced % 2 == 0 ? .skip : .take
        }

        func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) { received += 1 }
    }

    /// Three authors, and as many books of each one after the other as are wanted.
    private static func library(_ kind: StoreKind, books: Int) throws -> (Library, any StoreSession, EntityLayout) {
        let library = try Library(store: kind)
        let authors = (0..<3).map { library.context.insert("Author", ["name": "Author \($0)"]) }
        for number in 0..<books {
            library.context.insert("Book", ["pages": number * 7 % 1000]).setValue(authors[number % 3], forKey: "author")
        }
        try library.context.save()
        let store = try #require(library.coordinator.persistentStores[0] as? any RowStore).session()
        return (library, store, try #require(library.coordinator.managedObjectModel.layouts.byName["Book"]))
    }

    // MARK: Where the sink stops

    @Test(arguments: StoreKind.allCases)
    func noRowIsAnnouncedAfterTheSinkStops(_ kind: StoreKind) throws {
        let (library, store, layout) = try Self.library(kind, books: 90)
        let authors = try #require(library.coordinator.managedObjectModel.layouts.byName["Author"])
        let books = try #require(authors.relationships.first { $0.name == "books" })
        let keys = ContiguousArray(try store.fetchReferences(StoreFetch(layout: layout)).map(\.key))
        let authorKeys = ContiguousArray(try store.fetchReferences(StoreFetch(layout: authors)).map(\.key))
        let reads: [(any RowSink) throws -> Void] = [
            { try store.fetchRows(StoreFetch(layout: layout), into: $0) },
            { try store.readRows(keys: keys, of: layout, into: $0) },
            { try store.readToManyRows(books, of: authors, keys: [authorKeys[0]], into: $0) { _ in } },
            { try store.readToManyRows(books, of: authors, keys: authorKeys, into: $0) { _ in } },
            // What was read ahead, or for many at once.
            { sink in
                for key in authorKeys { try store.readToManyRows(books, of: authors, keys: [key], into: sink) { _ in } }
            },
        ]
        for (number, read) in reads.enumerated() {
            let sink = StoppingSink(after: 5)
            try read(sink)
            #expect(sink.received == 3 && sink.announced == (number == 4 ? 8 : 6), "\(number): \(sink.announced)")
        }
    }

    // MARK: Deadlines and cancellation

    private static var questions: [(any StoreSession, StoreFetch) throws -> Void] {
        [
            { try $0.fetchRows($1, into: StoppingSink(after: .max)) }, { _ = try $0.fetchReferences($1) },
            { _ = try $0.countRows($1) }, { _ = try $0.fetchDictionaries($1) { $0 } },
        ]
    }

    @Test(arguments: StoreKind.allCases)
    func afterTheDeadlineThereIsAnError(_ kind: StoreKind) throws {
        let (library, store, layout) = try Self.library(kind, books: 3)
        defer { withExtendedLifetime(library) {} }
        var fetch = StoreFetch(layout: layout)
        for question in Self.questions {
            fetch.interruption = FetchInterruption(deadline: .now + .seconds(600))
            try question(store, fetch)
            fetch.interruption = FetchInterruption(deadline: .now - .milliseconds(1))
            let error = #expect(throws: NSError.self) { try question(store, fetch) }
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == CoreData.NSPersistentStoreTimeoutError)
            #expect(error?.localizedRecoverySuggestion?.isEmpty == false)
            fetch.interruption = nil
            try question(store, fetch)
        }
    }

    /// Also before the first row: all of them are sorted first. Not for servers, which find and sort while the engine waits.
    @Test(arguments: [StoreKind.memory, .sqlite])
    func engineLooksSeldomButInTheMiddle(_ kind: StoreKind) throws {
        let (library, store, layout) = try Self.library(kind, books: 3000)
        defer { withExtendedLifetime(library) {} }
        for (number, question) in Self.questions.enumerated() {
            var fetch = StoreFetch(layout: layout)
            fetch.predicate = NSPredicate(format: "pages >= 0 AND title == nil AND author.name != 'Nobody'")
            if number < 2 { fetch.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)] }
            var looks = 0
            fetch.interruption = FetchInterruption(isCancelled: {
                looks += 1
                return false
            })
            try question(store, fetch)
            #expect(looks >= 3 && looks < 300, "\(number): \(looks)")
            looks = 0
            let sink = StoppingSink(after: .max)
            fetch.interruption = FetchInterruption(isCancelled: {
                looks += 1
                return looks == 3
            })
            let error = #expect(throws: CocoaError.self) {
                if number == 0 { try store.fetchRows(fetch, into: sink) } else { try question(store, fetch) }
            }
            #expect(error?.code == .userCancelled && looks >= 3 && sink.announced < 3000, "\(number)")
            // The store is as good as before.
            fetch.interruption = nil
            #expect(try store.countRows(fetch) == 3000)
        }
    }

    @Test(.enabled(if: StoreKind.hasServer, StoreKind.needsServer))
    func rowsOfServersAreReadUntilTheFetchIsCancelled() throws {
        let (library, store, layout) = try Self.library(.postgreSQL, books: 3000)
        defer { withExtendedLifetime(library) {} }
        var fetch = StoreFetch(layout: layout)
        let sink = StoppingSink(after: .max)
        fetch.interruption = FetchInterruption(isCancelled: { sink.announced > 100 })
        let error = #expect(throws: CocoaError.self) { try store.fetchRows(fetch, into: sink) }
        #expect(error?.code == .userCancelled && sink.announced > 100 && sink.announced < 3000)
        fetch.interruption = nil
        #expect(try store.countRows(fetch) == 3000)
    }

    private func outcome<Result>(
        of fetch: NSFetchRequest<Result>, in context: NSManagedObjectContext, cancelledAfter delay: UInt32
    ) throws -> (count: Int?, error: (any Error)?) {
        let done = DispatchSemaphore(value: 0)
        let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { _ in done.signal() }
        let result = try context.performAndWait {
            try #require(try context.execute(request) as? NSAsynchronousFetchResult<Result>)
        }
        usleep(delay)
        result.cancel()
        #expect(done.wait(timeout: .now() + 60) == .success)
        return context.performAndWait { (result.finalResult?.count, result.operationError) }
    }

    /// A cancelled fetch ends while SQLite is looking for rows, of which there are none.
    @Test(arguments: [false, true])
    func cancellingEndsTheSearch(_ isChild: Bool) throws {
        let library = try Library(store: .sqlite)
        let context = isChild ? library.makeChild() : library.context
        let url = try #require(library.coordinator.persistentStores[0].url)
        let numbers = "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
        try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 5).executeScript(
            numbers + "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE) SELECT i, "
                + "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'), 1, 'a long title with the number ' || i FROM n"
        )
        let slow = NSPredicate(format: "title MATCHES '.*(long|short).*(title|name).*number.*x'")
        func request<Result>(_ type: NSFetchRequestResultType, _: Result.Type) -> NSFetchRequest<Result> {
            let request = NSFetchRequest<Result>(entityName: "Book")
            (request.predicate, request.resultType) = (slow, type)
            return request
        }
        let outcomes = try [
            outcome(of: request(.managedObjectResultType, NSManagedObject.self), in: context, cancelledAfter: 20_000),
            outcome(
                of: request(.managedObjectIDResultType, NSManagedObjectID.self), in: context, cancelledAfter: 20_000),
            outcome(of: request(.countResultType, NSNumber.self), in: context, cancelledAfter: 20_000),
            outcome(of: request(.dictionaryResultType, NSDictionary.self), in: context, cancelledAfter: 20_000),
        ]
        for (number, outcome) in outcomes.enumerated() {
            #expect(outcome.count == nil && (outcome.error as? CocoaError)?.code == .userCancelled, "\(number)")
        }
        #expect(try library.makeContext().count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) > 99_000)
    }
}
