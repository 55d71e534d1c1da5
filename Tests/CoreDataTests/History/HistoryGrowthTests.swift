import CCoreDataSQLite
import Foundation
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
            try connection.execute(
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
        let query: @Sendable (Int) -> HistoryQuery

        init(_ name: String, _ changes: Int, _ query: @escaping @Sendable (Int) -> HistoryQuery) {
            self.name = name
            self.changes = changes
            self.query = query
        }
    }

    private final class Steps { var count = 0 }

    private static let questions: [Question] = [
        Question("one", 1) { _ in
            var query = HistoryQuery(.transactions, .everything)
            query.limit = 1
            return query
        },
        Question("the last", 2) { _ in
            var query = HistoryQuery(.transactions, .everything)
            query.limit = 1
            query.sortDescriptors = [NSSortDescriptor(key: "transactionNumber", ascending: false)]
            return query
        },
        Question("by author", 10) { _ in
            var query = HistoryQuery(.transactions, .everything)
            query.predicate = NSPredicate(format: "author == 'rare'")
            return query
        },
        Question("by authors", 10) { _ in
            var query = HistoryQuery(.transactions, .everything)
            query.predicate = NSPredicate(format: "author IN %@", ["rare", "none"])
            return query
        },
        Question("number by author", 10) { _ in
            var query = HistoryQuery(.transactions, .count)
            query.predicate = NSPredicate(format: "author == 'rare'")
            return query
        },
        Question("changes by author", 10) { _ in
            var query = HistoryQuery(.changes, .rows)
            query.predicate = NSPredicate(format: "transaction.author == 'rare'")
            return query
        },
        Question("one change", 1) { _ in
            var query = HistoryQuery(.changes, .everything)
            query.limit = 1
            return query
        },
        Question("after a token", 10) { count in
            var query = HistoryQuery(.transactions, .everything)
            query.after = .transaction(Int64(count - 5))
            return query
        },
        Question("by others, after a token", 10) { count in
            var query = HistoryQuery(.transactions, .everything)
            query.after = .transaction(Int64(count - 5))
            query.predicate = NSPredicate(format: "author != 'import'")
            return query
        },
        Question("changes after a token", 10) { count in
            var query = HistoryQuery(.changes, .rows)
            query.after = .transaction(Int64(count - 5))
            query.predicate = NSPredicate(format: "changeType == 1")
            return query
        },
        Question("whether it can be asked", 0) { _ in HistoryQuery(.transactions, .nothing) },
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

    @Test func questionsCostWhatTheirAnswersCost() throws {
        var costs: [[Int]] = []
        for count in [100, 1_000, 100_000] {
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
        #expect(everything.changes > 100_000 && everything.steps > 100 * costs[0][0])
    }
}
