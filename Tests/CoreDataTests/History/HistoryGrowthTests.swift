import CoreDataSQLiteStorage
import struct CoreDataRowStorage.HistoryPlace
import struct CoreDataRowStorage.HistoryQuery
import CCoreDataSQLite
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@testable import CoreData

/// What questions about history cost as it grows: as much as their answers, counted in the steps of SQLite's machine.
@Suite("Growing history")
struct HistoryGrowthTests {
    private let library: SQLiteLibrary
    private let engine: SQLiteEngine

    init() throws {
        library = try SQLiteLibrary(options: [NSPersistentHistoryTrackingKey: true])
        library.context.transactionAuthor = "app"
        library.context.insert("Tag", ["word": "a"])
        try library.context.save()
        engine = try #require(try (library.store as? SQLiteStore)?.engine)
    }

    /// Fills history up to that many transactions of two changes each; every one has the author "app", but for five.
    private func grow(to count: Int) throws {
        try engine.pool.transaction { connection in
            try connection.executeScript(
                """
                WITH RECURSIVE n(i) AS (SELECT (SELECT MAX(Z_PK) FROM ATRANSACTION) + 1 UNION ALL
                    SELECT i + 1 FROM n WHERE i < \(count))
                INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHORTS, ZBUNDLEIDTS, ZPROCESSIDTS)
                SELECT i, 16002, (SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = 1) + i, t.ZAUTHORTS, t.ZBUNDLEIDTS,
                    t.ZPROCESSIDTS FROM n, ATRANSACTION t WHERE t.Z_PK = 1;
                INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
                SELECT 16001, 1, (SELECT ZENTITY FROM ACHANGE LIMIT 1), 1, Z_PK FROM ATRANSACTION, (SELECT 1 UNION ALL SELECT 2)
                WHERE Z_PK > (SELECT MAX(ZTRANSACTIONID) FROM ACHANGE) ORDER BY Z_PK;
                INSERT OR IGNORE INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (9, 16003, 'rare');
                UPDATE ATRANSACTION SET ZAUTHORTS = (SELECT ZAUTHORTS FROM ATRANSACTION WHERE Z_PK = 1);
                UPDATE ATRANSACTION SET ZAUTHORTS = 9 WHERE Z_PK IN (20, 40, 60, 80, 100);
                """)
        }
    }

    private struct Question: Sendable {
        let name: String
        /// How many the answer has.
        let changes: Int
        var subject = HistoryQuery.Subject.transactions
        var content = HistoryQuery.Content.everything
        var format: String?
        var argument: [String]?
        var isBackwards = false
        var limit = 0
        /// How many transactions before the last one it begins; nil for the beginning of history.
        var distance: Int?

        /// For a history of that many transactions.
        func query(_ count: Int) -> HistoryQuery {
            var query = HistoryQuery(subject, content)
            query.predicate = format.map { NSPredicate(format: $0, argumentArray: argument.map { [$0] }) }
            query.limit = limit
            if isBackwards { query.sortDescriptors = [NSSortDescriptor(key: "transactionNumber", ascending: false)] }
            if let distance { query.after = .place(HistoryPlace(number: Int64(count - distance))) }
            return query
        }
    }

    private final class Steps { var count = 0 }

    private static let questions: [Question] = [
        Question(name: "one", changes: 1, limit: 1),
        Question(name: "the last", changes: 2, isBackwards: true, limit: 1),
        Question(name: "by author", changes: 10, format: "author == 'rare'"),
        Question(name: "by authors", changes: 10, format: "author IN {'rare', 'none'}"),
        Question(name: "by a list of authors", changes: 10, format: "author IN %@", argument: ["rare", "none"]),
        Question(name: "number by author", changes: 10, content: .count, format: "author == 'rare'"),
        Question(
            name: "changes by author", changes: 10, subject: .changes, content: .rows,
            format: "transaction.author == 'rare'"),
        Question(name: "one change", changes: 1, subject: .changes, limit: 1),
        Question(name: "after a token", changes: 10, distance: 5),
        Question(name: "by others, after a token", changes: 10, format: "author != 'import'", distance: 5),
        Question(
            name: "changes after a token", changes: 10, subject: .changes, content: .rows, format: "changeType == 1",
            distance: 5),
        Question(name: "whether it can be asked", changes: 0, content: .nothing),
    ]

    /// Tens of steps, and what was found.
    private func ask(_ query: HistoryQuery) throws -> (steps: Int, changes: Int) {
        let steps = Steps()
        let changes = try engine.pool.read { connection in
            sqlite3_progress_handler(
                connection.handle, 10,
                { context in
                    Unmanaged<Steps>.fromOpaque(context!).takeUnretainedValue().count += 1
                    return 0
                }, Unmanaged.passUnretained(steps).toOpaque())
            defer { sqlite3_progress_handler(connection.handle, 0, nil, nil) }
            let answer = try HistoryReading(query, engine, connection).answer()
            return query.content == .count ? answer.count : answer.changes.count
        }
        return (steps.count, changes)
    }

    @Test(.slow) func questionsCostWhatTheirAnswersCost() throws {
        var costs: [[Int]] = []
        let most = LongForm.choose(20_000, long: 100_000)
        for count in [100, 1_000, most] {
            try grow(to: count)
            costs.append(
                try Self.questions.map { question in
                    let (steps, changes) = try ask(question.query(count))
                    #expect(changes == question.changes, "\(question.name) of \(count)")
                    return steps
                })
        }
        for (index, question) in Self.questions.enumerated() {
            let (small, tenfold, large) = (costs[0][index], costs[1][index], costs[2][index])
            #expect(tenfold <= small + 20 && large <= small + 20, "\(question.name): \(small), \(tenfold), \(large)")
        }
        // What asks for everything does cost more.
        let everything = try ask(HistoryQuery(.transactions, .rows))
        #expect(everything.changes > most && everything.steps > 100 * costs[0][0])
    }
}
