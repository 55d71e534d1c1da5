#if PostgreSQL
import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport
import Testing

/// Saves and batches with more than 500 new rows of an entity, which PostgreSQL's `COPY` receives.
@Suite("Many new rows in a save over PostgreSQL", .enabled(if: TestServer.isAvailable))
struct ServerCopyTests {
    private let store: ServerStore
    private let pool: ConnectionPool
    private static let count = 600

    init() throws {
        store = try ServerStore()
        pool = try #require((store.engine as? PostgreSQLEngine)?.pool)
    }

    private func sql(_ statements: String...) throws {
        try pool.withConnection(until: Deadline(after: 10)) { connection in
            try connection.run(statements.map { PipelineRequest.plain($0) })
        }
    }

    /// Returns the first value of a query.
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

    private static func samples(_ builder: SaveBuilder) {
        for number in 0..<count {
            // Every third row has few values.
            var values: [String: Any] = ["int": number, "text": number % 2 == 0 ? "é\(number)" : ""]
            if number % 3 > 0 {
                values["short"] = -number
                values["long"] = Int64.min + Int64(number)
                values["flag"] = number % 2 == 0
                values["double"] = Double(number) / 3
                values["float"] = Float(number) / 4
                values["date"] = Date(timeIntervalSinceReferenceDate: Double(number) / 2)
                values["bytes"] = Data([0, UInt8(number % 256)])
                values["uuid"] = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, UInt8(number % 256)))
                values["decimal"] = NSDecimalNumber(string: "-\(number).00012345678901234567")
                values["link"] = URL(string: "http://a.example/\(number)")
            }
            builder.insert("Sample", values)
        }
    }

    @Test func valuesOfEveryKindAreWritten() throws {
        let builder = SaveBuilder()
        Self.samples(builder)
        let trips = try store.roundTrips { _ = try store.session.save(builder.changes) }
        // Keys, the beginning of the copy, its end, the rest.
        #expect(trips <= 4)
        let rows = try store.rows(store.fetch("Sample", sort: ["int"]))
        #expect(rows.map { $0.values["int"] as? Int } == Array(0..<Self.count))
        #expect(rows.allSatisfy { $0.version == 1 })
        for (number, row) in rows.enumerated() {
            let isFull = number % 3 > 0
            #expect(row.text("text") == (number % 2 == 0 ? "é\(number)" : ""))
            #expect(row.values["short"] as? Int == (isFull ? -number : nil))
            #expect(row.values["long"] as? Int64 == (isFull ? Int64.min + Int64(number) : nil))
            #expect(row.values["flag"] as? Bool == (isFull ? number % 2 == 0 : nil))
            #expect(row.values["double"] as? Double == (isFull ? Double(number) / 3 : nil))
            #expect(row.values["float"] as? Float == (isFull ? Float(number) / 4 : nil))
            #expect(row.values["bytes"] as? Data == (isFull ? Data([0, UInt8(number % 256)]) : nil))
            #expect((row.values["uuid"] as? UUID != nil) == isFull)
            let date = row.values["date"] as? Date
            #expect(date?.timeIntervalSinceReferenceDate == (isFull ? Double(number) / 2 : nil))
            let decimal = isFull ? NSDecimalNumber(string: "-\(number).00012345678901234567") : nil
            #expect(row.values["decimal"] as? NSDecimalNumber == decimal)
            #expect(row.values["link"] as? URL == (isFull ? URL(string: "http://a.example/\(number)") : nil))
        }
        // As psql shows one of them.
        let one = "SELECT concat_ws('|', text, short, long, flag, date AT TIME ZONE 'UTC', bytes, uuid, decimal, link) "
        #expect(
            try text(one + "FROM sample WHERE int = 4")
                == "é4|-4|-9223372036854775804|t|2001-01-01 00:00:02|\\x0004|00000000-0000-0000-0000-000000000104|"
                + "-4.00012345678901234567|http://a.example/4")
    }

    @Test func entitiesOfOneTableAndRelationshipsAreWritten() throws {
        let builder = SaveBuilder()
        let author = builder.insert("Author", ["name": "A"])
        var drafts: [RowReference] = []
        for number in 0..<Self.count {
            builder.insert("Book", ["title": "B\(number)", "author": author])
            builder.insert("Saga", ["title": "S\(number)", "volumes": number])
            drafts.append(builder.insert("Draft", ["text": "\(number)", "author": author]))
        }
        builder.link(author, "Author", "drafts", add: drafts, order: drafts.reversed())
        let trips = try store.roundTrips { _ = try store.session.save(builder.changes) }
        // Keys of four entities, the beginning of the copies, three ends, the rest.
        #expect(trips <= 9)
        #expect(try text("SELECT count(*) FROM book WHERE entity = 'Saga' AND volumes >= 0") == "\(Self.count)")
        #expect(try text("SELECT count(*) FROM book WHERE entity = 'Book' AND author IS NOT NULL") == "\(Self.count)")
        #expect(
            try text("SELECT string_agg(text, ',' ORDER BY author_order) FROM draft WHERE text::int < 3") == "2,1,0")
        // Derived attributes.
        #expect(try text("SELECT concat(book_count, shout) FROM author") == "\(Self.count)A")
    }

    @Test func nothingOfASaveWithADuplicateIsWritten() throws {
        let first = SaveBuilder()
        first.insert("Tag", ["word": "w5"])
        _ = try store.session.save(first.changes)
        let builder = SaveBuilder()
        for number in 0..<Self.count { builder.insert("Tag", ["word": "w\(number)"]) }
        builder.insert("Author", ["name": "A"])
        let conflicts = #expect(throws: StoreConflicts.self) { _ = try store.session.save(builder.changes) }
        #expect(conflicts?.duplicates.count == 1)
        #expect(try text("SELECT (SELECT count(*) FROM tag) + (SELECT count(*) FROM author)") == "1")
    }

    @Test func missingDestinationsAndStaleRowsAreTold() throws {
        let builder = SaveBuilder()
        let none = RowReference(entityNumber: 1, key: 4711)
        for number in 0..<Self.count { builder.insert("Draft", ["text": "\(number)", "author": none]) }
        let missing = #expect(throws: MissingDestinations.self) { _ = try store.session.save(builder.changes) }
        #expect(missing?.references == [none])

        let first = SaveBuilder()
        first.insert("Tag", ["word": "a"])
        _ = try store.session.save(first.changes)
        let tag = try #require(try store.rows(store.fetch("Tag")).first)
        let stale = SaveBuilder()
        Self.samples(stale)
        stale.update(tag, ["weight": 1], version: tag.version + 1)
        let conflicts = #expect(throws: StoreConflicts.self) { _ = try store.session.save(stale.changes) }
        #expect(conflicts?.changed.map(\.key) == [tag.key])
        #expect(try text("SELECT (SELECT count(*) FROM draft) + (SELECT count(*) FROM sample)") == "0")
    }

    @Test func valuesThatTheServerRefusesLeaveTheConnectionUsable() throws {
        try sql("ALTER TABLE sample ADD CHECK (int < 550)")
        let builder = SaveBuilder()
        Self.samples(builder)
        #expect(throws: NSError.self) { _ = try store.session.save(builder.changes) }
        #expect(try text("SELECT count(*) FROM sample") == "0")
        try sql("ALTER TABLE sample DROP CONSTRAINT sample_int_check")
        _ = try store.session.save(builder.changes)
        #expect(try text("SELECT count(*) FROM sample") == "\(Self.count)")
    }

    /// `COPY` knows neither row-level security nor conversions of types.
    @Test(arguments: [
        "CREATE POLICY own ON sample USING (true); ALTER TABLE sample ENABLE ROW LEVEL SECURITY; "
            + "ALTER TABLE sample FORCE ROW LEVEL SECURITY",
        "ALTER TABLE sample ALTER int TYPE bigint",
    ])
    func tablesThatAcceptNoCopiesGetTheRowsByStatements(_ change: String) throws {
        for statement in change.split(separator: ";") { try sql(String(statement)) }
        let builder = SaveBuilder()
        Self.samples(builder)
        _ = try store.session.save(builder.changes)
        try store.insert("Sample", (0..<Self.count).map { ["int": $0, "text": "batch"] })
        #expect(try text("SELECT count(*) FROM sample") == "\(2 * Self.count)")
    }

    @Test func anExclusiveSessionCopies() throws {
        let session = try store.engine.exclusiveSession()
        let duplicates = SaveBuilder()
        for number in 0..<Self.count { duplicates.insert("Tag", ["word": "w\(number / 2)"]) }
        #expect(throws: StoreConflicts.self) { _ = try session.save(duplicates.changes) }
        // The transaction continues.
        let builder = SaveBuilder()
        Self.samples(builder)
        _ = try session.save(builder.changes)
        try session.end()
        #expect(try text("SELECT count(*) FROM sample") == "\(Self.count)")
    }

    @Test func batchesCopy() throws {
        var rows: [[String: Any]] = (0..<Self.count).map { ["title": "S\($0)", "volumes": $0] }
        rows[7] = ["title": "bare"]
        var outcome: BatchOutcome?
        let trips = try store.roundTrips { outcome = try store.insert("Saga", rows) }
        #expect(trips <= 4)
        #expect(outcome?.count == Self.count)
        #expect(try text("SELECT count(*) FROM book WHERE entity = 'Saga' AND version = 1") == "\(Self.count)")
        #expect(try text("SELECT title FROM book WHERE volumes IS NULL") == "bare")
        #expect(try text("SELECT sum(volumes) FROM book") == "\((0..<Self.count).reduce(0, +) - 7)")
    }

    // MARK: Waiting

    /// Runs a closure while another connection keeps writers out of a table.
    private func whileLocked(_ body: () throws -> Void) throws {
        let other = try pool.lease(until: Deadline(after: 10))
        defer { pool.release(other) }
        try other.run([.plain("BEGIN"), .plain("LOCK TABLE sample IN SHARE MODE")])
        try body()
        try other.run([.plain("ROLLBACK")])
    }

    @Test func aSaveThatWaitsForALockFailsAndCanBeRepeated() throws {
        let builder = SaveBuilder()
        Self.samples(builder)
        try whileLocked { #expect(throws: NSError.self) { _ = try store.session.save(builder.changes) } }
        _ = try store.session.save(builder.changes)
        #expect(try text("SELECT count(*) FROM sample") == "\(Self.count)")
    }

    @Test func aCopyEndsWithItsDeadlineOrItsTask() throws {
        var rows = CopiedRows(into: "sample", ["id", "version"])
        rows.end()
        try whileLocked {
            let connection = try pool.lease(until: Deadline(after: 10))
            defer { pool.release(connection) }
            let late = #expect(throws: PostgreSQLError.self) {
                try connection.copy([rows], after: ["BEGIN"], until: Deadline(after: 0.2))
            }
            #expect(late?.isCancellation == true)
            try connection.run([.plain("ROLLBACK")])
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { connection.interrupt() }
            #expect(throws: CancellationError.self) {
                try connection.copy([rows], after: ["BEGIN"], until: Deadline(after: 20))
            }
        }
    }
}
#endif
