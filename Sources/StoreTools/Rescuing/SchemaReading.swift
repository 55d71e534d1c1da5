import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// Reads the columns of tables from their statements, without running these.
enum SchemaReading {
    /// Returns the columns by table.
    static func columns(_ entries: [SchemaEntry]) -> [String: [String]] {
        var result: [String: [String]] = [:]
        for entry in entries {
            guard result[entry.name] == nil, let statement = table(entry) else { continue }
            result[entry.name] = statement.storedColumns.map(\.name)
        }
        return result
    }

    /// Returns the statement of a table other than SQLite's own; nil for those that do not create the table of the entry.
    static func table(_ entry: SchemaEntry) -> TableStatement? {
        guard entry.type == "table", let sql = entry.sql, !entry.name.lowercased().hasPrefix("sqlite_"),
            let statement = TableStatement(sql), statement.name == entry.name
        else { return nil }
        return statement
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

    /// Returns the columns of a unique index that is to be created; none if it is one of expressions or of a part of the rows,
    /// nil if it is not unique.
    static func uniqueColumns(_ index: SchemaStatement, _ database: Database) throws -> [String]? {
        guard index.sql.uppercased().contains("UNIQUE") else { return nil }
        let statement = try database.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?")
        try statement.bind(.text(index.table), at: 1)
        guard try statement.step(), let table = statement.text(0),
            let scratch = try? Database(":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY),
            (try? scratch.execute(table)) != nil, (try? scratch.execute(index.sql)) != nil
        else { return nil }
        let kinds = try scratch.prepare("SELECT \"unique\", partial FROM pragma_index_list(?) WHERE name = ?")
        try kinds.bind(.text(index.table), at: 1)
        try kinds.bind(.text(index.name), at: 2)
        guard try kinds.step(), kinds.integer(0) != 0 else { return nil }
        guard kinds.integer(1) == 0 else { return [] }
        let rows = try scratch.prepare("SELECT name FROM pragma_index_info(?)")
        try rows.bind(.text(index.name), at: 1)
        var columns: [String] = []
        while try rows.step() {
            guard let name = rows.text(0) else { return [] }
            columns.append(name)
        }
        return columns
    }
}

extension SchemaEntry {
    /// The entry of a table with the name in its statement, if only its own name differs from that: it is damaged.
    var withNameOfStatement: SchemaEntry {
        guard type == "table", name != table, let sql, TableStatement(sql)?.name == table else { return self }
        return SchemaEntry(type: type, name: table, table: table, rootPage: rootPage, sql: sql)
    }
}
