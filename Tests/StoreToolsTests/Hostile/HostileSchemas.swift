import CoreDataTestSupport
import Foundation
import ModelFormat

/// Changes of a store by SQL: statements of the schema, values, metadata and models that no program would write.
struct HostileSchemas {
    private let url: URL
    private var random: SeededGenerator

    init(_ url: URL, _ random: SeededGenerator) { (self.url, self.random) = (url, random) }

    private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0..<elements.count)] }

    static let endless = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r"

    mutating func apply() throws {
        let sql = try HostileSQL(url)
        try sql.run("PRAGMA writable_schema = ON; PRAGMA trusted_schema = ON; PRAGMA synchronous = OFF")
        let tables = try sql.texts("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        guard !tables.isEmpty else { return }
        let table = pick(tables)
        for _ in 0..<number(1..<3) {
            switch number(0..<7) {
            case 0, 1: try changeStatement(sql, table)
            case 2, 3: try changeValue(sql, table)
            case 4: try changeCache(sql)
            case 5: try changeMetadata(sql)
            default: try addObject(sql, table)
            }
        }
    }

    // MARK: Schema

    private static func quoted(_ text: String) -> String {
        "'\(text.unicodeScalars.map { $0 == "'" ? "''" : String($0) }.joined())'"
    }

    private mutating func changeStatement(_ sql: HostileSQL, _ table: String) throws {
        let old = try sql.texts("SELECT sql FROM sqlite_schema WHERE name = \(Self.quoted(table))").first ?? ""
        let body = String(old.dropLast())
        let many = (0..<number(1..<2500)).map { ", c\($0) INTEGER" }.joined()
        let deep = String(repeating: "(", count: 900) + "1" + String(repeating: ")", count: 900)
        let long = String(repeating: "a", count: 500_000)
        let withoutKey = old.replacingOccurrences(of: "Z_PK INTEGER PRIMARY KEY", with: "Z_PK TEXT")
        let generated = old.replacingOccurrences(of: "Z_ENT INTEGER", with: "Z_ENT INTEGER AS (Z_PK % 7)")
        let renamed = old.replacingOccurrences(of: "Z_PK", with: "Z_OTHER")
        let statements: [String] = [
            "\(body), extra TEXT AS (hex(randomblob(100000000))))",
            "\(body), extra TEXT GENERATED ALWAYS AS (printf('%.*c', 900000000, 'x')) STORED)",
            "\(body), CHECK ((SELECT count(*) FROM (\(Self.endless)))))", "\(body), CHECK (\(deep)))",
            "\(body), extra DEFAULT (randomblob(500000000)))", "\(body)\(many))",
            "\(body), x TEXT COLLATE nothing)", "\(body)) WITHOUT ROWID", "\(body)) STRICT",
            "CREATE VIEW \(table) AS \(Self.endless)", "CREATE VIEW \(table) AS SELECT * FROM \(table)",
            "CREATE TABLE \(table) AS \(Self.endless)",
            "CREATE TABLE \(table) (\"a\"\"b\", 'c', [d], `e`, \"\u{1F600}\")",
            "CREATE VIRTUAL TABLE \(table) USING fts5(a, b)", "CREATE VIRTUAL TABLE \(table) USING dbstat",
            "CREATE VIRTUAL TABLE \(table) USING rtree(id, a, b)", "CREATE TEMP TABLE \(table) (a)",
            withoutKey,
            generated,
            renamed, "CREATE TABLE \(table) (", "CREATE TABLE x(a); DROP",
            "CREATE TABLE \(table) (\(long))", "/* */ \(old)", "",
            "CREATE TABLE \(table)_other (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER)",
        ]
        let statement: String = pick(statements)
        try sql.run(
            "UPDATE sqlite_schema SET sql = \(Self.quoted(statement)) WHERE name = \(Self.quoted(table))")
        if number(0..<8) == 0 {
            try sql.run(
                "UPDATE sqlite_schema SET type = 'view', rootpage = 0 WHERE name = \(Self.quoted(table))")
        }
    }

    private mutating func addObject(_ sql: HostileSQL, _ table: String) throws {
        let bomb = (1..<25).map { index -> String in
            let view = "CREATE VIEW v\(index) AS SELECT a.x FROM v\(index - 1) a, v\(index - 1) b"
            return "INSERT INTO sqlite_schema VALUES ('view', 'v\(index)', 'v\(index)', 0, '\(view)');"
        }.joined()
        let name: String = pick([
            "odd", "o\"d'd", "sqlite_odd", "Z_MODELCACHE", "\u{1F600}", "Z_1TAGS", "ATRANSACTION", "a b", "",
        ])
        let statements: [String] = [
            "CREATE VIEW \"\(name)\" AS \(Self.endless)",
            "CREATE TRIGGER t AFTER INSERT ON \(table) BEGIN SELECT x FROM (\(Self.endless)); END",
            "CREATE TRIGGER t AFTER INSERT ON \(table) BEGIN INSERT INTO \(table) SELECT * FROM \(table); END",
            "CREATE TRIGGER t BEFORE INSERT ON \(table) BEGIN DELETE FROM Z_METADATA; END",
            "CREATE INDEX i ON \(table) (hex(zeroblob(400000000)))",
            "CREATE INDEX i ON \(table) (Z_PK) WHERE hex(randomblob(300000000)) > 'a'",
            "CREATE UNIQUE INDEX i ON \(table) (1)", "CREATE INDEX i ON \(table) (nothing)",
            "CREATE VIRTUAL TABLE v USING rtree(id, a, b)", "CREATE VIRTUAL TABLE v USING fts5(a, content='\(table)')",
            "CREATE TABLE \"\(name)\" AS \(Self.endless)", "CREATE TABLE \"\(name)\" (a, b AS (a || a))",
        ]
        if number(0..<6) == 0 {
            try sql.run(
                "INSERT INTO sqlite_schema VALUES ('view','v0','v0',0,'CREATE VIEW v0 AS SELECT 1 AS x');" + bomb)
        }
        let root = number(0..<4) == 0 ? number(0..<40) : 2
        try sql.run(
            "INSERT INTO sqlite_schema VALUES (\(Self.quoted(pick(["table", "index", "trigger", "view", "x"]))), "
                + "\(Self.quoted(name)), \(Self.quoted(pick([table, name, "nothing"]))), \(root), "
                + "\(Self.quoted(pick(statements))))")
    }

    // MARK: Values

    private mutating func changeValue(_ sql: HostileSQL, _ table: String) throws {
        let columns = try sql.texts("SELECT name FROM pragma_table_info(\(Self.quoted(table)))")
        guard !columns.isEmpty else { return }
        let value: String = pick([
            "9223372036854775807", "-9223372036854775808", "-1", "0", "1e308", "-1e308", "9e999", "NULL", "''",
            "zeroblob(200000)", "X'02'", "X'0200'", "randomblob(38)", "CAST(X'FFFE00' AS TEXT)", "char(0)", "'NaN'",
            "'../../../../etc/passwd'", "CAST(X'02' || '../../../../etc/passwd-aaaaaaaaaaa' || X'00' AS BLOB)",
            "2147483648", "65536", "16001", "32767", "0.5", "char(0x10FFFF)", "hex(zeroblob(30000))",
            "4611686018427387904",
        ])
        let column = pick(columns)
        let rows = pick(["1", "rowid % 3 = 0", "rowid = 1"])
        try sql.run("UPDATE OR IGNORE \"\(table)\" SET \"\(column)\" = \(value) WHERE \(rows)")
        if number(0..<5) == 0 {
            try sql.run("UPDATE Z_PRIMARYKEY SET \(pick(["Z_ENT", "Z_SUPER", "Z_MAX", "Z_NAME"])) = \(value)")
        }
    }

    private mutating func changeCache(_ sql: HostileSQL) throws {
        guard let cache = try sql.bytes("SELECT Z_CONTENT FROM Z_MODELCACHE") else { return }
        var bytes = HostileBytes([UInt8](try RawDeflate.expand(Data(cache))), random)
        for _ in 0..<number(1..<6) { bytes.change(structure: 0) }
        random = bytes.random
        var content = HostileDeflate.store(bytes.bytes)
        switch number(0..<8) {
        case 0: content = HostileDeflate.bomb(megabytes: number(1..<300))
        case 1: content = Array(content.prefix(number(0..<content.count + 1)))
        default: break
        }
        try sql.run("UPDATE Z_MODELCACHE SET Z_CONTENT = ?", content)
    }

    private mutating func changeMetadata(_ sql: HostileSQL) throws {
        guard let list = try sql.bytes("SELECT Z_PLIST FROM Z_METADATA"), !list.isEmpty else { return }
        var bytes = HostileBytes(list, random)
        for _ in 0..<number(1..<5) { bytes.change(structure: 0) }
        random = bytes.random
        try sql.run("UPDATE Z_METADATA SET Z_PLIST = ?", number(0..<9) == 0 ? Array(list.prefix(40)) : bytes.bytes)
    }
}

/// Deflate streams, written and read apart from the code under test.
enum HostileDeflate {
    /// Returns bytes as a stream of stored blocks.
    static func store(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = []
        var place = 0
        repeat {
            let count = min(65_535, bytes.count - place)
            stream.append(place + count == bytes.count ? 1 : 0)
            stream += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8 & 255)]
            stream += bytes[place..<place + count]
            place += count
        } while place < bytes.count
        return stream
    }

    /// Returns a small stream of many zeros: repeats of the longest length with fixed codes.
    static func bomb(megabytes: Int) -> [UInt8] {
        var (stream, bits, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        func put(_ value: UInt32, _ length: UInt32) {
            bits |= value << count
            count += length
            while count >= 8 {
                stream.append(UInt8(bits & 255))
                bits >>= 8
                count -= 8
            }
        }
        func reversed(_ code: UInt32, _ length: UInt32) -> UInt32 {
            (0..<length).reduce(0) { $0 | (code >> $1 & 1) << (length - 1 - $1) }
        }
        put(3, 3)
        put(reversed(0x30, 8), 8)
        for _ in 0..<megabytes * (1 << 20) / 258 {
            put(reversed(0xc5, 8), 8)
            put(0, 5)
        }
        put(0, 7)
        put(0, 7)
        return stream
    }
}
