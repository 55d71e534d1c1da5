#if PostgreSQL
import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation
import PostgreSQLTestSupport
import Testing

/// Both orders of history: by transaction IDs, and by a counter in databases without them.
@Suite("Orders of history over PostgreSQL", .enabled(if: TestServer.isAvailable))
struct HistoryOrderTests {
    private static let orders: [EngineKind] = [.postgreSQL, .countedPostgreSQL]
    private static let writers = 12
    private static let saves = 10

    private static func insertTag(_ name: String, _ session: any StoreSession) throws -> SavedKeys {
        let builder = SaveBuilder()
        builder.insert("Tag", ["word": name])
        builder.changes.author = name
        return try withExtendedLifetime(builder) { try session.save(builder.changes) }
    }

    /// Twelve threads save over four engines, as four programs do.
    @Test(arguments: orders) func `A reader beside savers sees every save exactly once, each saver's in order`(
        _ kind: EngineKind
    ) throws {
        let store = try ServerStore(kind, keepsHistory: true)
        let programs = try (0..<4).map { _ in try #require(try store.openAnother()) }
        let committed = CommittedNames()
        for writer in 0..<Self.writers {
            let session = try programs[writer % programs.count].engine.session()
            Thread.detachNewThread {
                defer { committed.finish() }
                for number in 0..<Self.saves {
                    do {
                        _ = try Self.insertTag("\(writer).\(number)", session)
                        committed.add("\(writer).\(number)")
                    } catch {
                        committed.fail(error)
                    }
                }
            }
        }
        var (place, seen) = (HistoryPlace.start, [String]())
        func read() throws {
            var query = HistoryQuery(.transactions, .transactions)
            query.after = .place(place)
            let news = try store.session.history(query).transactions
            seen += news.compactMap(\.author)
            place = news.last?.place ?? place
        }
        while committed.finished < Self.writers {
            try read()
            Thread.sleep(forTimeInterval: 0.002)
        }
        // The counter needs no further wait: every commit is reported at once.
        try read()
        for _ in 0..<400 where kind == .postgreSQL && seen.count < committed.names.count {
            Thread.sleep(forTimeInterval: 0.05)
            try read()
        }
        #expect(committed.failures.isEmpty, "\(committed.failures)")
        #expect(seen.sorted() == committed.names.sorted())
        for writer in 0..<Self.writers {
            let own = seen.filter { $0.hasPrefix("\(writer).") }
            #expect(own == (0..<Self.saves).map { "\(writer).\($0)" })
        }
        withExtendedLifetime(programs) {}
    }

    @Test func `The position of a counted save is final with its commit, without gaps`() throws {
        let store = try ServerStore(.countedPostgreSQL, keepsHistory: true)
        var numbers: [Int64] = []
        for word in ["one", "two", "three"] {
            let mark = try #require(try Self.insertTag(word, store.session).historyMark)
            numbers.append(try PostgreSQLHistory.numbers(of: mark.place)[1])
        }
        #expect(numbers == [1, 2, 3])
    }

    @Test func `A counted save with history is one round trip`() throws {
        let store = try ServerStore(.countedPostgreSQL, keepsHistory: true)
        _ = try Self.insertTag("first", store.session)
        let trips = try store.roundTrips { _ = try Self.insertTag("second", store.session) }
        #expect(trips == 1)
    }
}
#endif
