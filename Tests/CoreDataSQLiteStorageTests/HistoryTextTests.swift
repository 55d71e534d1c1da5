import CoreDataRowStorage
import CoreDataSQLQueries
import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import PredicateFormat
import Testing

@testable import CoreData

/// The SQL by which questions about history are answered, in both dialects.
@Suite struct HistoryTextTests {
    private let library: SQLiteLibrary
    private let engine: SQLiteEngine

    init() throws {
        library = try SQLiteLibrary(options: [CoreData.NSPersistentHistoryTrackingKey: true])
        engine = try #require(try (library.store as? SQLiteStore)?.engine)
    }

    private func check(
        _ query: HistoryQuery, after place: (sqlite: Int64, postgresql: [Int64])? = nil,
        _ sqlite: String, _ postgresql: String, _ make: (HistoryStatements) -> SQLStatement
    ) throws {
        try engine.pool.read { connection in
            var statements = try HistoryStatements(query, SQLiteHistory(engine, connection), engine)
            if let place { try statements.follow([(place.sqlite, .int64)]) }
            try statements.finish()
            #expect(make(statements).text == sqlite)
        }
        var statements = try HistoryStatements(
            query, PostgreSQLHistory(storeID: "", .commits, engine.layouts), PostgreSQLTables(engine.layouts))
        if let place { try statements.follow(place.postgresql.map { ($0, .int64) }) }
        try statements.finish()
        #expect(PostgreSQLTexts.noted(make(statements).text) == postgresql)
    }

    private static let known = (
        sqlite: "c.ZENTITY IN (1, 2, 3, 4, 5) AND c.ZCHANGETYPE BETWEEN 0 AND 2",
        postgresql: "c.entity IN ('Author', 'Award', 'Book', 'Shelf', 'Tag') AND c.kind BETWEEN 0 AND 2"
    )
    private static let settled =
        "(t.era < (SELECT era FROM coredata_history) OR t.commit_order < pg_snapshot_xmin(pg_current_snapshot())::text::bigint)"

    /// In PostgreSQL a transaction with a lower number may be committed after one with a higher: what is not settled waits.
    @Test func changesAfterAPlace() throws {
        try check(
            HistoryQuery(.changes, .rows), after: (7, [1, 12, 7]),
            "SELECT c.Z_PK, c.ZTRANSACTIONID, c.ZENTITY, c.ZENTITYPK, c.ZCHANGETYPE FROM ACHANGE c "
                + "JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID WHERE t.Z_PK > ?1 AND c.ZTRANSACTIONID > ?1 "
                + "AND \(Self.known.sqlite) ORDER BY c.ZTRANSACTIONID, c.Z_PK",
            "SELECT c.id, c.transaction, c.entity, c.key, c.kind FROM coredata_change c "
                + "JOIN coredata_transaction t ON t.id = c.transaction "
                + "WHERE (t.era, t.commit_order, t.id) > ($1::bigint, $2::bigint, $3::bigint) AND \(Self.settled) "
                + "AND \(Self.known.postgresql) ORDER BY t.era, t.commit_order, t.id, c.id"
        ) { $0.changes() }
    }

    @Test func changesOfSomeTransactions() throws {
        var query = HistoryQuery(.transactions, .rows)
        query.predicate = NSPredicate(format: "timestamp > %@", Date(timeIntervalSinceReferenceDate: 0) as NSDate)
        query.limit = 5
        try check(
            query,
            "SELECT c.Z_PK, c.ZTRANSACTIONID, c.ZENTITY, c.ZENTITYPK, c.ZCHANGETYPE, c.ZCOLUMNS FROM "
                + "(SELECT t.Z_PK FROM ATRANSACTION t WHERE (t.ZTIMESTAMP > ?1) ORDER BY t.Z_PK LIMIT ?2 OFFSET ?3) s "
                + "CROSS JOIN ACHANGE c ON c.ZTRANSACTIONID = s.Z_PK WHERE \(Self.known.sqlite) "
                + "ORDER BY c.ZTRANSACTIONID, c.Z_PK",
            "SELECT c.id, c.transaction, c.entity, c.key, c.kind, c.ZCOLUMNS FROM "
                + "(SELECT t.era, t.commit_order, t.id FROM coredata_transaction t WHERE (t.committed > $1::timestamptz) "
                + "AND \(Self.settled) ORDER BY t.era, t.commit_order, t.id LIMIT $2::bigint OFFSET $3::bigint) s "
                + "JOIN coredata_change c ON c.transaction = s.id WHERE \(Self.known.postgresql) "
                + "ORDER BY s.era, s.commit_order, s.id, c.id"
        ) { $0.changes(selecting: ["ZCOLUMNS"]) }
    }

    /// In SQLite names lie in a table of their own, found by its index.
    @Test func transactionsOfSomeChanges() throws {
        var query = HistoryQuery(.changes, .transactions)
        query.predicate = NSPredicate(format: "transaction.author == 'a' AND changedEntity == 'Book'")
        let names = ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"].map {
            "IFNULL((SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.Z\($0)TS), t.Z\($0))"
        }
        try check(
            query,
            "SELECT t.Z_PK, t.ZTIMESTAMP, \(names.joined(separator: ", ")) FROM ATRANSACTION t WHERE t.Z_PK IN "
                + "(SELECT n FROM (SELECT c.ZTRANSACTIONID n FROM ACHANGE c "
                + "JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID "
                + "WHERE t.ZAUTHORTS = (SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?1) AND (c.ZENTITY = ?2) "
                + "AND \(Self.known.sqlite))) ORDER BY t.Z_PK",
            "SELECT t.era, t.commit_order, t.id, t.committed, t.author, t.bundle_id, t.context_name, t.process_id "
                + "FROM coredata_transaction t WHERE t.id IN "
                + "(SELECT n FROM (SELECT c.transaction n FROM coredata_change c "
                + "JOIN coredata_transaction t ON t.id = c.transaction "
                + "WHERE (t.author = $1::text) AND (c.entity = $2::text) "
                + "AND \(Self.settled) AND \(Self.known.postgresql)) AS derived) ORDER BY t.era, t.commit_order, t.id"
        ) { $0.transactions() }
    }

    /// No limit is -1 in SQLite and NULL in PostgreSQL.
    @Test func countFromAnOffset() throws {
        var query = HistoryQuery(.changes, .count)
        query.offset = 2
        try check(
            query,
            "SELECT COUNT(*) FROM (SELECT 1 FROM ACHANGE c JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID "
                + "WHERE \(Self.known.sqlite) ORDER BY c.ZTRANSACTIONID, c.Z_PK LIMIT ?1 OFFSET ?2)",
            "SELECT COUNT(*) FROM (SELECT 1 FROM coredata_change c "
                + "JOIN coredata_transaction t ON t.id = c.transaction WHERE \(Self.settled) "
                + "AND \(Self.known.postgresql) ORDER BY t.era, t.commit_order, t.id, c.id LIMIT $1::bigint OFFSET $2::bigint) "
                + "AS derived"
        ) { $0.count() }
        let statements = try HistoryStatements(
            query, PostgreSQLHistory(storeID: "", .commits, engine.layouts), PostgreSQLTables(engine.layouts))
        var finished = statements
        try finished.finish()
        #expect(finished.constants.dropFirst().map { $0 as? Int } == [nil, 2])
    }

    /// PostgreSQL's tables have the names of entities: the model's numbers are computed.
    @Test func changesOfAnObject() throws {
        var query = HistoryQuery(.changes, .count)
        query.predicate = NSPredicate(format: "changedObjectID == %@", library.context.insert("Book").objectID)
        var statements = try HistoryStatements(
            query, PostgreSQLHistory(storeID: "", .commits, engine.layouts), PostgreSQLTables(engine.layouts))
        try statements.finish()
        let cases = engine.layouts.all.map { layout in
            "WHEN '\(layout.name)' THEN \(RowReference(entityNumber: layout.number, key: 0).bits)"
        }
        #expect(
            PostgreSQLTexts.noted(statements.count().text)
                == "SELECT COUNT(*) FROM coredata_change c JOIN coredata_transaction t ON t.id = c.transaction "
                + "WHERE ((CASE c.entity \(cases.joined(separator: " ")) END + c.key) = $1::bigint) "
                + "AND \(Self.settled) AND \(Self.known.postgresql)")
    }
}
