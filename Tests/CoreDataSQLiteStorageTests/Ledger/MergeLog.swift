import CoreDataSQLiteStorage
import CCoreDataSQLite
import CoreDataTestSupport
import Foundation

@testable import CoreData

/// Every change of a row in a store, in the order in which it was committed, written by triggers that know nothing of Core
/// Data. What is rolled back leaves no trace here either.
struct MergeLog {
    struct Line {
        var number: Int64
        var table: String
        var key: Int64
        /// Values by column name of the ledger; nil before an insertion and after a deletion.
        var old: [String: Int64]?
        var new: [String: Int64]?

        var label: Int64 { (new ?? old)?["label"] ?? -1 }
    }

    private static let names = MergeLedger.columns + ["version"]
    private static let tables = [
        "ZNOTE": ["label", "a", "b", "c", "g", "group"], "ZGROUP": ["label", "a"],
        "ZCOUNTER": ["label", "a", "b", "value"],
    ]

    private static func column(_ name: String) -> String { name == "version" ? "Z_OPT" : "Z" + name.uppercased() }

    /// Makes the triggers in a store that is there already.
    static func install(in url: URL) throws {
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 5)
        let columns = names.flatMap { ["old_\($0)", "new_\($0)"] }
        try connection.execute(
            "CREATE TABLE LEDGER (number INTEGER PRIMARY KEY, tbl, kind, pk, \(columns.joined(separator: ", ")))")
        for (table, own) in tables {
            func values(_ row: String) -> [String] {
                names.map { $0 == "version" || own.contains($0) ? "\(row).\(column($0))" : "NULL" }
            }
            let nulls = names.map { _ in "NULL" }
            for (kind, old, new) in [
                ("INSERT", nulls, values("NEW")), ("UPDATE", values("OLD"), values("NEW")),
                ("DELETE", values("OLD"), nulls),
            ] {
                let pairs = zip(old, new).map { "\($0), \($1)" }.joined(separator: ", ")
                try connection.execute(
                    """
                    CREATE TRIGGER LEDGER_\(table)_\(kind) AFTER \(kind) ON \(table) BEGIN
                    INSERT INTO LEDGER VALUES (
                        NULL, '\(table)', '\(kind)', \(kind == "DELETE" ? "OLD" : "NEW").Z_PK, \(pairs));
                    END
                    """)
            }
        }
    }

    static func read(_ url: URL) throws -> [Line] {
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 5)
        let statement = try connection.prepare("SELECT * FROM LEDGER ORDER BY number")
        var lines: [Line] = []
        while try statement.step() {
            func values(_ first: Int32) -> [String: Int64] {
                var values: [String: Int64] = [:]
                for (index, name) in names.enumerated() {
                    let place = first + 2 * Int32(index)
                    if !statement.isNull(place) { values[name] = statement.integer(place) }
                }
                return values
            }
            let kind = statement.text(2)
            lines.append(
                Line(
                    number: statement.integer(0), table: statement.text(1) ?? "", key: statement.integer(3),
                    old: kind == "INSERT" ? nil : values(4), new: kind == "DELETE" ? nil : values(5)))
        }
        return lines
    }

    /// The rows that are in the tables now, by table and primary key.
    static func rows(_ url: URL) throws -> [String: [Int64: [String: Int64]]] {
        let content = try FileContent(url)
        var tables: [String: [Int64: [String: Int64]]] = [:]
        for (table, own) in Self.tables {
            tables[table] = [:]
            for row in content.rows(table) {
                var values: [String: Int64] = [:]
                for name in own + ["version"] {
                    if case .integer(let number)? = row[column(name)] { values[name] = number }
                }
                tables[table]?[FileContent.number(row["Z_PK"])] = values
            }
        }
        return tables
    }
}
