import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

@testable import StoreTools

/// Statements in the schema of a hostile file: which are read, and which a rescued store contains.
@Suite("Statements of hostile files") struct HostileStatementTests {
    private static func store() throws -> (TemporaryFolder, URL) {
        let folder = try TemporaryFolder()
        for (name, content) in try HostileShape.make("plain").files where name.hasPrefix(HostileShape.fileName) {
            try Data(content).write(to: folder.file(name))
        }
        return (folder, folder.file(HostileShape.fileName))
    }

    private static func rescued(_ changes: String) throws -> (RescueReport, [String], people: Int) {
        let (folder, url) = try store()
        defer { withExtendedLifetime(folder) {} }
        do {
            let sql = try HostileSQL(url)
            try sql.run("PRAGMA writable_schema = ON; \(changes)")
        }
        let new = folder.file("New.sqlite")
        let report = try StoreRescue(url).write(to: new)
        let sql = try HostileSQL(new)
        let people = try sql.texts("SELECT count(*) FROM ZPERSON")
        return (report, try sql.texts("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"), Int(people[0]) ?? 0)
    }

    @Test func viewsAndOtherTriggersAreLeftOut() throws {
        let (report, statements, people) = try Self.rescued(
            """
            CREATE VIEW v AS SELECT hex(randomblob(9));
            CREATE TRIGGER t AFTER INSERT ON ZPERSON BEGIN DELETE FROM ZTEAM; END;
            CREATE INDEX odd ON ZPERSON (lower(ZNAME));
            CREATE INDEX partial ON ZPERSON (ZNAME) WHERE ZAGE > 3 AND ZNAME IS NOT NULL;
            """)
        #expect(people == 60)
        #expect(!statements.contains { $0.contains("VIEW") || $0.contains("TRIGGER") || $0.contains("odd") })
        #expect(statements.contains { $0.contains("partial") })
        for name in ["The view v ", "The trigger t ", "The index odd "] {
            #expect(report.notes.contains { "\($0)".contains(name) }, "\(name)")
        }
    }

    @Test func tablesWithExpressionsAreCreatedWithoutThem() throws {
        let (_, statements, people) = try Self.rescued(
            """
            UPDATE sqlite_schema SET sql = replace(sql, 'ZAGE INTEGER', 'ZAGE INTEGER CHECK (ZAGE < 100)')
            WHERE name = 'ZPERSON';
            CREATE TABLE own (a INTEGER DEFAULT (abs(-1)), b TEXT AS (a || 'x'), c TEXT);
            INSERT INTO own (a, c) VALUES (1, 'kept');
            """)
        #expect(people == 60)
        #expect(!statements.contains { $0.contains("CHECK") || $0.contains("abs") || $0.contains(" AS ") })
        #expect(statements.contains { $0.contains("\"own\"") })
    }

    @Test func aTableThatIsAQueryWithoutEndIsNotRun() throws {
        let (_, statements, people) = try Self.rescued(
            "UPDATE sqlite_schema SET sql = 'CREATE TABLE ZTEAM AS \(HostileSchemas.endless)' WHERE name = 'ZTEAM'")
        #expect(people == 60)
        #expect(!statements.contains { $0.contains("RECURSIVE") })
    }

    @Test func pagesThatReferToTheSameOnesAreNotFollowed() throws {
        let (folder, url) = try Self.store()
        defer { withExtendedLifetime(folder) {} }
        var bytes = [UInt8](try Data(contentsOf: url))
        let size = 4096
        let first = bytes.count / size + 1
        // Thirty pages, each with 200 references to the next: 200^19 rows.
        for page in first..<first + 30 {
            var content = [UInt8](repeating: 0, count: size)
            content.replaceSubrange(0..<8, with: [5, 0, 0, 0, 200, 0, 0, 0])
            func put(_ value: Int, at place: Int, _ width: Int) {
                for index in 0..<width { content[place + index] = UInt8(value >> (8 * (width - 1 - index)) & 255) }
            }
            put(size - 1000, at: 5, 2)
            put(page + 1, at: 8, 4)
            for cell in 0..<200 {
                put(size - 1000 + cell * 5, at: 12 + 2 * cell, 2)
                put(page + 1, at: size - 1000 + cell * 5, 4)
                content[size - 996 + cell * 5] = UInt8(cell & 127)
            }
            bytes += content
        }
        let count = UInt32(bytes.count / size)
        bytes.replaceSubrange(28..<32, with: withUnsafeBytes(of: count.bigEndian) { Array($0) })
        try Data(bytes).write(to: url)
        do {
            let sql = try HostileSQL(url)
            try sql.run(
                "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = \(first) WHERE name = 'ZPERSON'")
        }
        let start = Date()
        let reader = try StoreReader(url)
        #expect(throws: DatabaseError.self) { try reader.database.integer("SELECT count(*) FROM ZPERSON NOT INDEXED") }
        #expect(throws: StoreToolError.self) { try OpenStore(url).query(entity: "Person").rows() }
        let report = try StoreCheck(url).run()
        #expect(report.findings.contains { $0.rule == .structure })
        #expect(-start.timeIntervalSinceNow < 10)
    }

    @Test func aConnectionReadsNoViewsAndComputesNothing() throws {
        let (folder, url) = try Self.store()
        defer { withExtendedLifetime(folder) {} }
        do {
            let sql = try HostileSQL(url)
            try sql.run(
                "CREATE TABLE own (a, b AS (hex(zeroblob(9)))); CREATE VIEW v AS SELECT 1; INSERT INTO own VALUES (1)")
        }
        let database = try StoreReader(url).database
        #expect(throws: DatabaseError.self) { try database.integer("SELECT * FROM v") }
        #expect(throws: DatabaseError.self) { try database.integer("SELECT b FROM own") }
        #expect(throws: DatabaseError.self) { try database.execute("ATTACH ':memory:' AS x") }
        #expect(try database.integer("SELECT count(*) FROM ZTEAM") == 5)
    }

    @Test(
        arguments: [
            (
                "CREATE TABLE a (b INTEGER PRIMARY KEY, c VARCHAR(255) DEFAULT 'x', d BLOB NOT NULL)", true,
                ["b", "c", "d"]
            ),
            (
                "CREATE TABLE \"a\"\"b\" ([c d] INT, `e`, 'f' DECIMAL (5, 2), PRIMARY KEY ([c d], e))", true,
                ["c d", "e", "f"]
            ),
            ("CREATE TABLE a (b CHECK (b > (SELECT 1)), c)", false, ["b", "c"]),
            ("CREATE TABLE a (b, c AS (b, 1), CHECK (c))", false, ["b", "c"]),
            ("CREATE TABLE a (b DEFAULT (random()))", false, ["b"]), ("CREATE TABLE a (b) -- c", false, ["b"]),
            ("CREATE TABLE a AS SELECT 1", nil, []), ("CREATE TABLE main.a (b)", nil, []),
            ("CREATE TABLE a (b", nil, []),
            ("CREATE VIEW a AS SELECT 1", nil, []), ("CREATE TABLE a (b, B)", nil, []),
            ("CREATE TABLE a (b); DROP TABLE c", nil, []),
        ] as [(String, Bool?, [String])])
    func statementsOfTablesAreRead(_ sql: String, _ isPlain: Bool?, _ columns: [String]) {
        let table = TableStatement(sql)
        #expect(table?.isPlain == isPlain)
        #expect(table?.columns.map(\.name) ?? [] == columns)
    }
}
