#if PostgreSQL
import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation
import PostgreSQLTestSupport
import Testing

/// The history of a PostgreSQL store where others write at the same time, and where transactions end in another order than
/// they began.
@Suite("History over PostgreSQL", .enabled(if: TestServer.isAvailable))
struct ServerHistoryTests {
    private let store: ServerStore
    private let pool: ConnectionPool

    init() throws {
        store = try ServerStore(keepsHistory: true)
        pool = try #require((store.engine as? PostgreSQLEngine)?.pool)
    }

    private func run(_ statements: String...) throws {
        try pool.withConnection(until: Deadline(after: 10)) { connection in
            try connection.run(statements.map { PipelineRequest.plain($0) })
        }
    }

    private func text(_ query: String) throws -> String? {
        var text: String?
        try pool.withConnection(until: Deadline(after: 10)) { connection in
            try connection.run([
                PipelineRequest(ServerStatement("SELECT (\(query))::text", isPrepared: false)) {
                    text = $0.isNull(0, 0) ? nil : $0.text(0, 0)
                }
            ])
        }
        return text
    }

    private func insertTag(_ word: String, author: String? = nil) throws -> SavedKeys {
        let builder = SaveBuilder()
        builder.insert("Tag", ["word": word])
        builder.changes.author = author
        return try withExtendedLifetime(builder) { try store.session.save(builder.changes) }
    }

    private func history(
        after place: HistoryPlace = .start, _ content: HistoryQuery.Content = .transactions
    ) throws -> HistoryAnswer {
        var query = HistoryQuery(.transactions, content)
        query.after = .place(place)
        return try store.session.history(query)
    }

    /// Begins a transaction of another program, which records itself in history and stays open.
    private func beginTransaction(author: String) throws -> PostgreSQLConnection {
        let connection = try pool.lease(until: Deadline(after: 10))
        try connection.run([
            .plain("BEGIN"),
            .plain(
                "INSERT INTO coredata_transaction (era, commit_order, author, bundle_id, process_id) "
                    + "SELECT era, pg_current_xact_id()::text::bigint, '\(author)', 'b', 'p' FROM coredata_history"),
        ])
        return connection
    }

    /// Tries until a condition is true: a transaction of another test may be open.
    private func eventually(_ isTrue: () throws -> Bool) rethrows {
        for attempt in 0..<400 {
            if attempt > 0 { Thread.sleep(forTimeInterval: 0.05) }
            if try isTrue() { return }
        }
    }

    // MARK: The order of commits

    @Test func `A transaction that began first and commits last is not missed`() throws {
        let connection = try beginTransaction(author: "slow")
        let keys = try insertTag("quick", author: "quick")
        // Its position is not final: another transaction may still come before it.
        #expect(keys.historyMark == nil)
        let early = try history()
        #expect(early.transactions.isEmpty)
        let place = early.transactions.last?.place ?? .start
        try connection.run([.plain("COMMIT")])
        pool.release(connection)
        var later = HistoryAnswer()
        // Transactions of other tests may be open.
        try eventually {
            later = try history(after: place)
            return later.transactions.count == 2
        }
        #expect(Set(later.transactions.map(\.author)) == ["slow", "quick"])
        #expect(try history(after: #require(later.transactions.last?.place)).transactions.isEmpty)
    }

    @Test func `A reader waits for a transaction that is about to commit`() throws {
        let connection = try beginTransaction(author: "slow")
        _ = try insertTag("quick", author: "quick")
        let pool = pool
        let group = DispatchGroup()
        group.enter()
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.05)
            try? connection.run([.plain("COMMIT")])
            pool.release(connection)
            group.leave()
        }
        // The server may be used by others, with open transactions: the limit is that of the test, not of the reader.
        var authors: Set<String?> = []
        try eventually {
            authors = Set(try history().transactions.map(\.author))
            return authors == ["slow", "quick"]
        }
        group.wait()
        #expect(authors == ["slow", "quick"])
    }

    /// 32 programs, each with a connection, that stay in their transactions for up to 30 ms; 4 of 10 transactions are rolled
    /// back.
    @Test func `A reader beside 32 writers sees every transaction exactly once`() throws {
        let writers = try (0..<32).map { _ in try PostgreSQLConnection(pool.settings) }
        let committed = CommittedNames()
        let group = DispatchGroup()
        for (index, writer) in writers.enumerated() {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                for number in 0..<8 {
                    let name = "\(index).\(number)"
                    let commits = Int.random(in: 0..<10) >= 4
                    do {
                        try writer.run([
                            .plain("BEGIN"),
                            .plain(
                                "INSERT INTO coredata_transaction (era, commit_order, author, bundle_id, process_id) "
                                    + "SELECT era, pg_current_xact_id()::text::bigint, '\(name)', 'b', 'p' "
                                    + "FROM coredata_history"),
                        ])
                        Thread.sleep(forTimeInterval: .random(in: 0...0.03))
                        try writer.run([.plain(commits ? "COMMIT" : "ROLLBACK")])
                        if commits { committed.add(name) }
                    } catch {
                        committed.fail(error)
                    }
                }
                committed.finish()
            }
        }
        var (place, seen) = (HistoryPlace.start, [String]())
        func read() throws {
            let news = try history(after: place).transactions
            seen += news.compactMap(\.author)
            place = news.last?.place ?? place
        }
        while committed.finished < writers.count {
            try read()
            Thread.sleep(forTimeInterval: 0.002)
        }
        group.wait()
        try eventually {
            try read()
            return seen.count >= committed.names.count
        }
        #expect(committed.failures.isEmpty, "\(committed.failures)")
        #expect(seen.sorted() == committed.names.sorted())
    }

    @Test func `A transaction that was rolled back leaves no trace`() throws {
        let connection = try beginTransaction(author: "lost")
        try connection.run([.plain("ROLLBACK")])
        pool.release(connection)
        _ = try insertTag("kept", author: "kept")
        var authors: [String?] = []
        try eventually {
            authors = try history().transactions.map(\.author)
            return !authors.isEmpty
        }
        #expect(authors == ["kept"])
    }

    // MARK: Restored databases

    @Test func `History goes on after a dump was restored where transaction IDs begin again`() throws {
        let old = try #require(try insertedPlace("old"))
        // As in another cluster: the transactions have IDs that this server has not assigned yet.
        try run("UPDATE coredata_transaction SET commit_order = commit_order + 4000000000")
        let moved = try #require(try movedPlace(old))
        let second = try #require(try store.openAnother())
        let session = try second.engine.session()
        var query = HistoryQuery(.transactions, .transactions)
        #expect(try session.history(query).transactions.count == 1)
        let builder = SaveBuilder()
        builder.insert("Tag", ["word": "new"])
        builder.changes.author = "new"
        _ = try withExtendedLifetime(builder) { try session.save(builder.changes) }
        query.after = .place(moved)
        var authors: [String?] = []
        try eventually {
            authors = try session.history(query).transactions.map(\.author)
            return !authors.isEmpty
        }
        #expect(authors == ["new"])
        withExtendedLifetime(second) {}
    }

    private func insertedPlace(_ author: String) throws -> HistoryPlace? {
        let keys = try insertTag(author, author: author)
        if let mark = keys.historyMark { return mark.place }
        var place: HistoryPlace?
        try eventually {
            place = try history().transactions.last?.place
            return place != nil
        }
        return place
    }

    private func movedPlace(_ place: HistoryPlace) throws -> HistoryPlace? {
        var numbers = try PostgreSQLHistory.numbers(of: place)
        numbers[1] += 4_000_000_000
        return PostgreSQLHistory.place(numbers)
    }

    // MARK: What is recorded

    @Test func `The tables say in words what was changed`() throws {
        let builder = SaveBuilder()
        let author = builder.insert("Author", ["name": "Ada"])
        builder.insert("Draft", ["text": "t", "author": author])
        builder.changes.author = "import"
        builder.changes.contextName = "background"
        _ = try withExtendedLifetime(builder) { try store.session.save(builder.changes) }
        #expect(
            try text("SELECT string_agg(entity || ' ' || kind, ', ' ORDER BY id) FROM coredata_change")
                == "Author 0, Draft 0")
        #expect(
            try text("SELECT author || ' ' || context_name || ' ' || process_id FROM coredata_transaction")
                == "import background \(ProcessInfo.processInfo.processName)")
    }

    @Test func `A save with history is one round trip`() throws {
        // The first one reserves the keys.
        _ = try insertTag("first")
        let trips = try store.roundTrips { _ = try insertTag("second") }
        #expect(trips == 1)
    }

    @Test func `History is read in one round trip`() throws {
        _ = try insertTag("first")
        var trips = 2
        // More where the server is committing something else.
        try eventually {
            trips = try store.roundTrips { _ = try history(.everything) }
            return trips == 1
        }
        #expect(trips == 1)
    }

    private func history(_ content: HistoryQuery.Content) throws -> HistoryAnswer {
        try history(after: .start, content)
    }

    // MARK: Readers

    @Test func `A purge stops before what a registered reader has not read`() throws {
        for word in ["one", "two", "three"] { _ = try insertTag(word, author: word) }
        var all: [HistoryTransaction] = []
        try eventually {
            all = try history().transactions
            return all.count == 3
        }
        try #require(all.count == 3)
        let numbers = try PostgreSQLHistory.numbers(of: all[0].place)
        try run(
            "INSERT INTO coredata_history_reader VALUES ('feed', \(numbers[0]), \(numbers[1]), \(numbers[2]), now())")
        #expect(try store.session.purgeHistory(before: .date(.distantFuture)) == 1)
        #expect(try history().transactions.map(\.author) == ["two", "three"])
        try run("DELETE FROM coredata_history_reader")
        #expect(try store.session.purgeHistory(before: .date(.distantFuture)) == 2)
    }

    @Test func `A purge leaves transactions that are not reported yet`() throws {
        let connection = try beginTransaction(author: "slow")
        _ = try insertTag("quick", author: "quick")
        #expect(try store.session.purgeHistory(before: .date(.distantFuture)) == 0)
        try connection.run([.plain("COMMIT")])
        pool.release(connection)
        var authors: Set<String?> = []
        try eventually {
            authors = Set(try history().transactions.map(\.author))
            return authors.count == 2
        }
        #expect(authors == ["slow", "quick"])
    }

    @Test func `The age of what is not reported is told`() throws {
        let connection = try beginTransaction(author: "slow")
        _ = try insertTag("quick")
        Thread.sleep(forTimeInterval: 0.3)
        let age = try #require(try store.session.unreportedHistoryAge())
        #expect(age > 0.25 && age < 60)
        try connection.run([.plain("COMMIT")])
        pool.release(connection)
        try eventually { try store.session.unreportedHistoryAge() == nil }
        #expect(try store.session.unreportedHistoryAge() == nil)
    }

    @Test func `Thousands of transactions are purged`() throws {
        try run(
            """
            INSERT INTO coredata_transaction (era, commit_order, bundle_id, process_id)
            SELECT 1, n, 'b', 'p' FROM generate_series(1, 12000) n
            """, "UPDATE coredata_history SET era = 2",
            "INSERT INTO coredata_change (transaction, entity, key, kind) "
                + "SELECT id, 'Tag', id, 0 FROM coredata_transaction")
        #expect(try store.session.purgeHistory(before: .date(.distantFuture)) == 12_000)
        #expect(try text("SELECT count(*) FROM coredata_transaction") == "0")
        #expect(try text("SELECT count(*) FROM coredata_change") == "0")
        let place = try #require(try store.session.lastHistoryMark()?.place)
        #expect(try PostgreSQLHistory.numbers(of: place)[1] == 12_000)
    }
}
#endif
