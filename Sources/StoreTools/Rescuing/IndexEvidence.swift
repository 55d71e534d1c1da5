/// Proof by an intact index of a damaged table that rows exist, or no longer do.
final class IndexEvidence {
    private let database: Database
    private let lookup: Statement
    private let table: String
    private let index: String
    private let column: String

    /// Looks for an index of the table that can be read completely; returns nil without one.
    init?(_ database: Database, table: String) {
        let names = Self.indexes(database, table)
        for (index, column) in names {
            let source = "FROM \(table.quotedIdentifier) INDEXED BY \(index.quotedIdentifier)"
            guard
                let scan = try? database.prepare(
                    "SELECT count(*), count(\(column.quotedIdentifier)) FROM (SELECT \(column.quotedIdentifier), rowid \(source))"
                ),
                (try? scan.step()) == true,
                let lookup = try? database.prepare(
                    "SELECT 1 \(source) WHERE \(column.quotedIdentifier) IS ? AND rowid = ?")
            else { continue }
            self.database = database
            self.lookup = lookup
            self.table = table
            self.index = index
            self.column = column
            return
        }
        return nil
    }

    private static func indexes(_ database: Database, _ table: String) -> [(String, String)] {
        var result: [(String, String)] = []
        guard
            let rows = try? database.prepare(
                "SELECT l.name, i.name FROM pragma_index_list(?) l, pragma_index_info(l.name) i "
                    + "WHERE l.partial = 0 AND i.seqno = 0 AND i.name IS NOT NULL "
                    + "ORDER BY i.name <> 'Z_ENT'"),
            (try? rows.bind(.text(table), at: 1)) != nil
        else { return [] }
        while (try? rows.step()) == true {
            if let index = rows.text(0), let column = rows.text(1) { result.append((index, column)) }
        }
        return result
    }

    /// The name of the indexed column.
    var columnName: String { column }

    /// Returns whether the index contains a row with this value of the indexed column; nil if it cannot be read.
    func contains(_ value: StoredValue, key: Int64) -> Bool? {
        lookup.reset()
        defer { lookup.reset() }
        guard (try? lookup.bind(value, at: 1)) != nil, (try? lookup.bind(.integer(key), at: 2)) != nil else {
            return nil
        }
        return try? lookup.step()
    }

    /// Passes the keys of all rows and their values of the indexed column, in the order of the index.
    func forEachKey(_ body: (Int64, StoredValue) throws -> Void) throws {
        let rows = try database.prepare(
            "SELECT rowid, \(column.quotedIdentifier) FROM \(table.quotedIdentifier) "
                + "INDEXED BY \(index.quotedIdentifier)")
        while true {
            // What follows a damaged page is unknown.
            guard let hasRow = try? rows.step(), hasRow else { return }
            try body(rows.integer(0), rows.value(1))
        }
    }
}
