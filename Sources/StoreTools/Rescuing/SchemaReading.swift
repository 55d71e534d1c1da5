import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// Reads the columns of tables from their statements, by creating them in a database in memory.
enum SchemaReading {
    /// Returns the columns by table.
    static func columns(_ entries: [SchemaEntry]) -> [String: [String]] {
        guard let scratch = try? Database(":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY) else {
            return [:]
        }
        var result: [String: [String]] = [:]
        for entry in entries {
            guard let sql = statement(entry, "TABLE"), (try? scratch.execute(sql)) != nil,
                let columns = try? columns(of: entry.name, scratch), !columns.isEmpty
            else { continue }
            result[entry.name] = columns.map(\.name)
        }
        return result
    }

    /// Returns the statement of an entry if it creates such an object and nothing else.
    static func statement(_ entry: SchemaEntry, _ kind: String) -> String? {
        guard let sql = entry.sql, sql.utf8.count < 1_000_000, !entry.name.lowercased().hasPrefix("sqlite_") else {
            return nil
        }
        let start = sql.prefix(200).uppercased()
        guard start.hasPrefix("CREATE \(kind) ") || start.hasPrefix("CREATE UNIQUE \(kind) ") else { return nil }
        return sql
    }

    /// Returns the columns of a table, and which of them is the row's key in the file.
    static func columns(of table: String, _ database: Database) throws -> [(name: String, isKey: Bool)] {
        let rows = try database.prepare("SELECT name, type, pk FROM pragma_table_info(?)")
        try rows.bind(.text(table), at: 1)
        var columns: [(name: String, type: String, key: Int64)] = []
        while try rows.step() {
            columns.append((rows.text(0) ?? "", (rows.text(1) ?? "").uppercased(), rows.integer(2)))
        }
        let keys = columns.filter { $0.key > 0 }.count
        return columns.map { ($0.name, keys == 1 && $0.key == 1 && $0.type == "INTEGER") }
    }
}
