import Foundation

@testable import CoreData

/// Damage done by SQL statements, as another program with the file open could do it.
struct HostileSQL {
    /// Tables with their columns.
    let tables: [(name: String, columns: [String])]
    let indexes: [String]

    /// Reads the names from a sound store.
    init(_ store: FormatStore) throws {
        let names = try store.sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        tables = try names.map { ($0, try store.sql("SELECT name FROM pragma_table_info('\($0)')")) }
        indexes = try store.sql("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    }

    private static let values = [
        "NULL", "-1", "0", "1", "2", "3", "5", "16001", "9223372036854775807", "-9223372036854775808",
        "281474976710656", "281474976710657", "4294967296", "2147483648", "65536", "32768", "1.5", "-0.0", "9e999",
        "-9e999", "1e300", "-1e17", "'text'", "''", "CAST(x'FFFE80' AS TEXT)", "CAST(x'C0AFEDA080' AS TEXT)", "x''",
        "x'00'", "x'01'", "x'02'", "x'0201'", "zeroblob(300000)", "x'62706C6973743030'", "'NaN'", "'Infinity'",
        "'99999999999999999999'", "'1e400'", "char(0)", "'a' || char(0) || 'b'", "randomblob(16)", "randomblob(40)",
        "printf('%.*c', 200000, 'x')", "printf('%.*c', 300, '9')",
        "CAST(x'02' || '../../../etc/passwd' || x'00' AS BLOB)",
        "CAST(x'02' || '00000000-0000-0000-0000-000000000000' || x'00' AS BLOB)", "char(0xFFFF, 0x1F9F5, 0x301)",
        "abs(random())", "random()", "Z_PK", "-Z_PK", "Z_PK + 1", "1 - Z_PK", "Z_ENT", "Z_ENT + 1", "Z_OPT", "rowid",
    ]

    private static let rows = [
        "", "", " WHERE rowid = 1", " WHERE rowid = 3", " WHERE rowid % 2 = 0",
        " WHERE rowid = (SELECT max(rowid) FROM \"TABLE\")",
    ]

    /// A view that never ends, and one as wide as a table of the store.
    private static func view(_ name: String, _ columns: [String], _ random: inout HostileRandom) -> String {
        let moved = "ALTER TABLE \"\(name)\" RENAME TO \"\(name)_OLD\"; CREATE VIEW \"\(name)\" AS "
        switch random.below(3) {
        case 0: return moved + "SELECT * FROM \"\(name)_OLD\""
        case 1: return moved + "SELECT a.* FROM \"\(name)_OLD\" a, \"\(name)_OLD\" b"
        default:
            let list = columns.map { "n AS \"\($0)\"" }.joined(separator: ", ")
            return moved
                + "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT \(list) FROM c"
        }
    }

    private static func trigger(_ name: String, _ column: String, _ random: inout HostileRandom) -> String {
        let when = random.pick(["BEFORE", "AFTER"]), event = random.pick(["INSERT", "UPDATE", "DELETE"])
        let action = random.pick([
            "SELECT RAISE(ABORT, 'no')", "SELECT RAISE(ROLLBACK, 'no')", "SELECT RAISE(FAIL, 'no')",
            "SELECT RAISE(IGNORE)", "DELETE FROM \"\(name)\"", "DELETE FROM Z_PRIMARYKEY", "DELETE FROM Z_METADATA",
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 0", "UPDATE \"\(name)\" SET \"\(column)\" = NULL", "SELECT nothing()",
            "INSERT INTO missing VALUES (1)", "UPDATE ZOWNER SET Z_OPT = Z_OPT + 1",
            "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 100000) SELECT max(n) FROM c",
        ])
        let recursive = action.hasPrefix("WITH") ? "SELECT 1 WHERE (\(action)) IS NULL" : action
        return "CREATE TRIGGER hostile\(random.below(1000)) \(when) \(event) ON \"\(name)\" BEGIN \(recursive); END"
    }

    /// A table made again, without its keys and types, and perhaps with every row twice.
    private static func remade(_ name: String, _ columns: [String], _ random: inout HostileRandom) -> String {
        let list = columns.map { "\"\($0)\"" }
        let affinity = random.pick([
            "", " TEXT", " BLOB", " INTEGER", " TEXT COLLATE NOCASE", " NUMERIC NOT NULL DEFAULT 7",
        ])
        let withoutRowID = random.oneIn(4)
        var columns = list.map { $0 + affinity }
        if withoutRowID { columns[0] += " PRIMARY KEY" }
        return "CREATE TABLE hostile (\(columns.joined(separator: ", "))) \(withoutRowID ? "WITHOUT ROWID" : "");"
            + "INSERT OR REPLACE INTO hostile SELECT * FROM \"\(name)\";"
            + (random.oneIn(2) && !withoutRowID ? "INSERT INTO hostile SELECT * FROM hostile;" : "")
            + "DROP TABLE \"\(name)\"; ALTER TABLE hostile RENAME TO \"\(name)\""
    }

    /// A statement that damages a store, which SQLite may refuse.
    func statement(_ random: inout HostileRandom) -> String {
        let table = random.pick(tables), name = table.name, column = random.pick(table.columns)
        switch random.below(32) {
        case 0..<14:
            let row = random.pick(Self.rows).replacingOccurrences(of: "TABLE", with: name)
            let conflict = random.pick(["OR REPLACE", "OR IGNORE"])
            return "UPDATE \(conflict) \"\(name)\" SET \"\(column)\" = \(random.pick(Self.values))\(row)"
        case 14: return "DROP TABLE \"\(name)\""
        case 15: return "ALTER TABLE \"\(name)\" DROP COLUMN \"\(column)\""
        case 16: return "ALTER TABLE \"\(name)\" RENAME COLUMN \"\(column)\" TO \"\(random.pick(table.columns))X\""
        case 17: return "DROP INDEX IF EXISTS \"\(random.pick(indexes))\""
        case 18:
            let extra = random.pick([
                "ZEXTRA", "ZEXTRA NOT NULL DEFAULT 1", "ZEXTRA AS (1 / 0)", "ZEXTRA AS (\"\(column)\" || 'x')",
                "ZEXTRA CHECK (ZEXTRA > 1)",
            ])
            return "ALTER TABLE \"\(name)\" ADD COLUMN \(extra)"
        case 19:
            let value = random.pick(["1 / 0", "'x'", "-1", "abs(-9223372036854775808)", "x'FF'", "rowid"])
            return "ALTER TABLE \"\(name)\" DROP COLUMN \"\(column)\";"
                + "ALTER TABLE \"\(name)\" ADD COLUMN \"\(column)\" AS (\(value)) VIRTUAL"
        case 20: return Self.view(name, table.columns, &random)
        case 21, 22: return Self.trigger(name, column, &random)
        case 23: return "DELETE FROM \"\(name)\"" + (random.oneIn(2) ? " WHERE rowid % 2 = 1" : "")
        case 24: return Self.remade(name, table.columns, &random)
        case 25: return Self.remade(random.pick(["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]), &random, in: tables)
        case 26: return list("Z_METADATA", "Z_PLIST", &random)
        case 27: return list("Z_MODELCACHE", "Z_CONTENT", &random)
        case 28:
            return "UPDATE Z_PRIMARYKEY SET Z_ENT = 100 - Z_ENT, Z_SUPER = \(random.pick(["Z_ENT", "-1", "99", "1"]))"
        case 29:
            return
                "CREATE UNIQUE INDEX hostile\(random.below(100)) ON \"\(name)\" (\(random.pick(["\"\(column)\"", "1", "abs(\"\(column)\")"])))"
        case 30:
            return "PRAGMA \(random.pick(["user_version", "application_id", "schema_version"])) = \(random.below(9))"
        default: return schema(name, &random)
        }
    }

    private static func remade(
        _ name: String, _ random: inout HostileRandom, in tables: [(name: String, columns: [String])]
    ) -> String {
        remade(name, tables.first { $0.name == name }?.columns ?? [], &random)
    }

    /// Bytes in the middle of a property list or an archive exchanged for others.
    private func list(_ table: String, _ column: String, _ random: inout HostileRandom) -> String {
        let start = random.below(2000) + 1, count = random.pick([1, 1, 2, 8, 200])
        let bytes = (0..<count).map { _ in String(format: "%02X", random.pick([0, 1, 0x7F, 0xFF, random.below(256)])) }
        let changed =
            "substr(\(column), 1, \(start) % length(\(column))) || x'\(bytes.joined())' || "
            + "substr(\(column), \(start) % length(\(column)) + \(count + 1))"
        let value = random.pick([changed, changed, changed, "substr(\(column), 1, \(start))", "x''", "'text'"])
        return "UPDATE \(table) SET \(column) = CAST(\(value) AS BLOB)"
    }

    /// The schema table itself.
    private func schema(_ name: String, _ random: inout HostileRandom) -> String {
        let change = random.pick([
            "SET rootpage = 1 WHERE name = '\(name)'", "SET rootpage = rootpage + 1 WHERE name = '\(name)'",
            "SET rootpage = 100000 WHERE name = '\(name)'", "SET sql = 'CREATE TABLE' WHERE name = '\(name)'",
            "SET sql = replace(sql, 'VARCHAR', 'INTEGER') WHERE name = '\(name)'",
            "SET sql = replace(sql, 'Z_PK', 'Z_KP') WHERE name = '\(name)'", "SET sql = NULL WHERE type = 'index'",
            "SET name = 'X' || name WHERE name = '\(name)'", "SET tbl_name = 'ZTAG' WHERE name = '\(name)'",
            "SET sql = CAST(x'FF00FF' AS TEXT) WHERE name = '\(name)'",
            "SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'ZTAG') WHERE name = '\(name)'",
        ])
        return "PRAGMA writable_schema = ON; UPDATE sqlite_master \(change); PRAGMA schema_version = 77"
    }
}
