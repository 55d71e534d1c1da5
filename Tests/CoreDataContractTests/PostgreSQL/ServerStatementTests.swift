#if PostgreSQL
import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport
import Testing

/// What the server receives, and in what order it answers.
@Suite("Statements of reads and saves over PostgreSQL", .enabled(if: TestServer.isAvailable))
struct ServerStatementTests {
    private let store: ServerStore
    private let pool: ConnectionPool

    init() throws {
        store = try ServerStore()
        pool = try #require((store.engine as? PostgreSQLEngine)?.pool)
    }

    /// Returns the first column of a query, which is a text.
    private func texts(_ query: String) throws -> [String] {
        var texts: [String] = []
        try pool.withConnection(until: Deadline(after: 10)) { connection in
            try connection.run([
                PipelineRequest(ServerStatement(query, isPrepared: false)) { rows in
                    texts = (0..<rows.count).map { rows.text($0, 0) }
                }
            ])
        }
        return texts
    }

    @Test(arguments: [true, false])
    func `Rows of relationships come by owner, however the server finds them`(_ usesIndexes: Bool) throws {
        // The rows of an owner are far from each other in the table.
        let builder = SaveBuilder()
        let authors = (0..<40).map { builder.insert("Author", ["name": "a\($0)"]) }
        for part in 0..<5 {
            for (number, author) in authors.enumerated() {
                builder.insert("Draft", ["text": "\(number).\(part)", "author": author])
            }
        }
        _ = try store.session.save(builder.changes)
        if !usesIndexes {
            _ = try texts("ALTER ROLE CURRENT_USER SET enable_nestloop = off")
            _ = try texts("ALTER ROLE CURRENT_USER SET enable_mergejoin = off")
            pool.closeIdle()
        }
        let keys = ContiguousArray(try store.rows(store.fetch("Author")).map(\.key))
        let collector = RowCollector()
        var begins: [(owner: Int64, row: Int)] = []
        try store.session.readToManyRows(
            Bookshop.relationship("drafts", of: "Author"), of: Bookshop.layout("Author"), keys: keys, into: collector
        ) { begins.append(($0, collector.rows.count)) }
        #expect(begins.map(\.owner).sorted() == keys.sorted())
        #expect(collector.rows.count == 200)
        for (index, begin) in begins.enumerated() {
            let end = index + 1 < begins.count ? begins[index + 1].row : collector.rows.count
            let found = collector.rows[begin.row..<end].map(\.key).sorted()
            let stored = try texts("SELECT id::text FROM draft WHERE author = \(begin.owner) ORDER BY draft.id")
            #expect(found.map(String.init) == stored)
        }
    }

    @Test func `Values of more bytes than a message takes are saved in several`() throws {
        // 160 MB: statements end at 64.
        let builder = SaveBuilder()
        for number in 0..<20 {
            builder.insert("Sample", ["int": number, "bytes": Data(repeating: UInt8(number), count: 8 << 20)])
        }
        _ = try store.session.save(builder.changes)
        #expect(try texts("SELECT count(*)::text FROM sample WHERE octet_length(bytes) = 8388608") == ["20"])
        let ends = try texts("SELECT (\"int\" = get_byte(bytes, 8388607))::text FROM sample")
        #expect(ends == Array(repeating: "true", count: 20))
    }

    @Test func `Marks of later saves are greater`() throws {
        for number in 0..<5 {
            let builder = SaveBuilder()
            builder.insert("Tag", ["word": "w\(number)"])
            _ = try store.session.save(builder.changes)
            // The time in a mark has milliseconds.
            Thread.sleep(forTimeInterval: 0.002)
        }
        let marks = try texts("SELECT id::text FROM coredata_save ORDER BY saved_at")
        #expect(marks.count == 5)
        #expect(marks == marks.sorted())
        // The version and the variant of RFC 9562.
        #expect(marks.allSatisfy { $0.contains(/^.{14}7.{4}[89ab]/) }, "\(marks)")
    }
}
#endif
