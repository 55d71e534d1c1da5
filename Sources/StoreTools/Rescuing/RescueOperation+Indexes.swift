import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

extension RescueOperation {
    /// Creates the indexes of the original, and those of the model that no other index replaces.
    func createIndexes() throws {
        for entry in entries where entry.type == "index" {
            guard let sql = entry.sql, !entry.name.lowercased().hasPrefix("sqlite_"), try exists(entry.table),
                try !exists(entry.name)
            else { continue }
            let columns = try SchemaReading.columns(of: entry.table, out).map(\.name)
            guard StatementRules.isIndex(sql, name: entry.name, table: entry.table, columns: columns) else {
                notes.add("The index \(entry.name) is left out: its statement is not of a known form.", isLoss: false)
                continue
            }
            try createIndex(SchemaStatement(name: entry.name, table: entry.table, sql: sql))
        }
        var present: [String: Set<[String]>] = [:]
        for index in schema.indexes where try !exists(index.name) && exists(index.table) {
            if present[index.table] == nil { present[index.table] = try indexedColumns(index.table) }
            let before = try indexedColumns(index.table)
            guard try createIndex(index) else { continue }
            // An index with the same columns under an older name serves as well.
            let columns = try columns(ofIndex: index.name)
            if before.contains(columns) {
                try out.execute("DROP INDEX \(index.name.quotedIdentifier)")
            } else if !entries.isEmpty {
                notes.add("The index \(index.name) was missing, and was created.")
            }
        }
    }

    /// Returns the columns of an index statement of this module, in the form of ``indexedColumns(_:)``.
    func columns(ofIndexStatement index: SchemaStatement) throws -> [String] {
        let list = index.sql.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }
        let names = list.split(separator: ",").compactMap { $0.split(separator: " ").first.map(String.init) }
        return (index.sql.hasPrefix("CREATE UNIQUE") ? ["UNIQUE"] : []) + names
    }

    func indexedColumns(_ table: String) throws -> Set<[String]> {
        let rows = try out.prepare("SELECT name FROM pragma_index_list(?)")
        try rows.bind(.text(table), at: 1)
        var names: [String] = []
        while try rows.step() { names.append(rows.text(0) ?? "") }
        return Set(try names.map { try columns(ofIndex: $0) })
    }

    private func columns(ofIndex name: String) throws -> [String] {
        let rows = try out.prepare(
            "SELECT i.name, (SELECT \"unique\" FROM pragma_index_list(m.tbl_name) WHERE name = m.name) "
                + "FROM sqlite_schema m, pragma_index_info(m.name) i WHERE m.name = ?1 ORDER BY i.seqno")
        try rows.bind(.text(name), at: 1)
        var columns: [String] = []
        while try rows.step() {
            if columns.isEmpty, rows.integer(1) != 0 { columns.append("UNIQUE") }
            columns.append(rows.text(0) ?? "?")
        }
        return columns
    }

    /// Creates an index; rows that violate its uniqueness are moved to the leftovers.
    ///
    /// The new store has no journal: a statement that fails halfway would leave a damaged schema. So uniqueness is examined
    /// before.
    @discardableResult
    private func createIndex(_ index: SchemaStatement) throws -> Bool {
        if let columns = try SchemaReading.uniqueColumns(index, out) {
            if let table = table(named: index.table), table.isEntity, try hasDuplicates(of: columns, in: index.table) {
                let constraints = Set(schema.entities.filter { $0.table == index.table }.flatMap(\.uniqueColumns))
                for columns in constraints.sorted(by: { $0.joined() < $1.joined() }) {
                    try removeDuplicates(of: columns, in: table)
                }
            }
            guard try !columns.isEmpty && !hasDuplicates(of: columns, in: index.table) else {
                notes.add("The index \(index.name) is left out: several rows have the same values.", isLoss: false)
                return false
            }
        }
        do {
            try out.execute(index.sql)
            return true
        } catch let error as DatabaseError where error.primaryCode == SQLITE_ERROR {
            notes.add("The index \(index.name) is left out: \(error.message).", isLoss: false)
            return false
        }
    }

    /// Returns whether two rows of a table have the same values, none of them nil, in some columns.
    private func hasDuplicates(of columns: [String], in table: String) throws -> Bool {
        guard !columns.isEmpty else { return false }
        let list = columns.map(\.quotedIdentifier)
        return try out.integer(
            "SELECT 1 FROM \(table.quotedIdentifier) WHERE \(list.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) "
                + "GROUP BY \(list.joined(separator: ", ")) HAVING COUNT(*) > 1 LIMIT 1") != nil
    }

    /// Keeps the row with the highest version, then the highest key, of those with the same values.
    private func removeDuplicates(of columns: [String], in table: RescueTable) throws {
        guard !columns.isEmpty, columns.allSatisfy({ name in table.columns.contains { $0.name == name } }) else {
            return
        }
        let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
        let name = table.name.quotedIdentifier
        let condition = columns.map { "\($0.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
        let rows = try out.prepare(
            "SELECT Z_PK, kept FROM (SELECT Z_PK, first_value(Z_PK) OVER (PARTITION BY \(list) "
                + "ORDER BY Z_OPT DESC, Z_PK DESC) AS kept FROM \(name) WHERE \(condition)) WHERE Z_PK <> kept")
        var removed: [(key: Int64, kept: Int64)] = []
        while try rows.step() { removed.append((rows.integer(0), rows.integer(1))) }
        let columnList = table.columns.map(\.name.quotedIdentifier).joined(separator: ", ")
        let selection = try out.prepare("SELECT \(columnList) FROM \(name) WHERE Z_PK = ?")
        let deletion = try out.prepare("DELETE FROM \(name) WHERE Z_PK = ?")
        for (key, kept) in removed {
            try selection.bind(.integer(key), at: 1)
            guard try selection.step() else { continue }
            let values = table.columns.indices.map { selection.value($0) }
            selection.reset()
            try deletion.bind(.integer(key), at: 1)
            _ = try deletion.step()
            deletion.reset()
            replaced[table.name, default: [:]][key] = kept
            var entity: String?
            if let place = table.entityColumn, case .integer(let number) = values[place] {
                entity = table.entities[number]?.name
            }
            notes.add(
                "Rows with the unique values of another one were moved to the leftovers.", entity: entity, key: key,
                isLoss: true, isMended: false)
            if let entity { notes.lose(key, of: entity) }
            try leftovers.add(
                entity: entity, table: table.name, key: key, reason: "p\(kept) has the same unique values",
                values: zip(table.columns, values).map { (name: $0.property ?? $0.name, value: $1) })
        }
    }

    /// Points references to removed duplicates at the rows that were kept.
    func mendUniqueness() throws {
        guard !replaced.isEmpty else { return }
        for reference in references {
            guard let keys = replaced[reference.destinationTable] else { continue }
            try repoint(reference.table, reference.column, keys)
        }
        for join in schema.joins {
            for side in [join.first, join.second] {
                guard let table = schema.entity(side.entity)?.table, let keys = replaced[table] else { continue }
                try repoint(join.name, side.column, keys, removesRest: true)
            }
        }
    }

    /// Replaces keys in a column.
    ///
    /// - Parameter removesRest: Whether rows are deleted that would occur twice.
    private func repoint(
        _ table: String, _ column: String, _ keys: [Int64: Int64], removesRest: Bool = false
    ) throws {
        guard try exists(table) else { return }
        let column = column.quotedIdentifier
        let update = try out.prepare(
            "UPDATE OR IGNORE \(table.quotedIdentifier) SET \(column) = ?2 WHERE \(column) = ?1")
        let deletion =
            removesRest ? try out.prepare("DELETE FROM \(table.quotedIdentifier) WHERE \(column) = ?") : nil
        for (key, kept) in keys {
            var target = kept
            // A row that was kept for one constraint may have been removed for another.
            for _ in 0..<keys.count { if let next = keys[target] { target = next } else { break } }
            try update.bind(.integer(key), at: 1)
            try update.bind(.integer(target), at: 2)
            while try update.step() {}
            update.reset()
            if let deletion { try run(deletion, key) }
        }
    }
}
