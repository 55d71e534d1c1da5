import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

extension RescueOperation {
    /// Copies the tables that SQLite can read completely.
    func fillTables() throws {
        var damaged: Set<Int> = []
        for page in survey.unreadablePages {
            switch survey.owner(of: page) {
            case .tree(let root), .pointerMap(let root): damaged.insert(root)
            default: break
            }
        }
        let isAttached = source != nil && attach()
        defer { if isAttached { try? out.execute("DETACH original") } }
        try out.execute("BEGIN")
        for (place, table) in tables.enumerated() {
            try proceed("Copying rows", Double(place) / Double(max(tables.count, 1)))
            guard let source, let root = table.root, !damaged.contains(root) else { continue }
            let state = notes.state
            let size = try leftovers.size()
            if isAttached, let facts = try cleanFacts(table, in: source), try copyWhole(table) {
                table.isIntact = true
                table.facts = facts
                continue
            }
            table.isIntact = try copy(table, from: source)
            guard !table.isIntact else { continue }
            notes.state = state
            try leftovers.cut(to: size)
            try out.execute("DELETE FROM \(table.name.quotedIdentifier)")
        }
        try out.execute("COMMIT")
    }

    /// Makes the damaged file's tables readable by the new store's connection, where SQLite can copy whole records.
    private func attach() -> Bool {
        let name = ImageVFS.add(image)
        defer { ImageVFS.remove(name) }
        return (try? out.execute("ATTACH 'file:\(name)?vfs=\(ImageVFS.name)&immutable=1' AS original")) != nil
    }

    /// Copies the records of a table that has been read before; returns false if that fails.
    private func copyWhole(_ table: RescueTable) throws -> Bool {
        let name = table.name.quotedIdentifier
        let names = table.columns.prefix(table.sourceCount).map(\.name.quotedIdentifier)
        // Of tables with an index, SQLite would copy the pages' entries, damaged ones included; operators prevent that.
        let isSame = try table.columns.count == table.sourceCount && !hasIndex(table.name)
        let values = names.map { "+\($0)" }.joined(separator: ", ")
        let sql =
            isSame
            ? "INSERT INTO main.\(name) SELECT * FROM original.\(name)"
            : "INSERT INTO main.\(name) (\(names.joined(separator: ", "))) "
                + "SELECT \(values) FROM original.\(name) NOT INDEXED"
        do {
            try out.execute(sql)
            return true
        } catch let error as DatabaseError where error.isOfWriting {
            throw error
        } catch is DatabaseError {
            try out.execute("DELETE FROM main.\(name)")
            return false
        }
    }

    /// Returns what the rows of a table refer to if it can be read completely, its keys ascend, and no row violates a
    /// rule; nil otherwise.
    private func cleanFacts(_ table: RescueTable, in source: Database) throws -> TableFacts? {
        let writer = try writer(table)
        guard !writer.copiesHiddenKeys else { return nil }
        let names = table.columns.prefix(table.sourceCount).map(\.name.quotedIdentifier)
        guard
            let rows = try? source.prepare(
                "SELECT \(names.joined(separator: ", ")) FROM \(table.name.quotedIdentifier) NOT INDEXED"),
            rows.columnCount == names.count
        else { return nil }
        let facts = TableFacts(table, references)
        let count = Int32(names.count)
        var previous = Int64.min
        var number = 0
        while true {
            guard let hasRow = try? rows.step() else { return nil }
            guard hasRow else { return facts }
            guard writer.isClean(rows.handle, count) else { return nil }
            if let key = table.keyColumn {
                let current = rows.integer(key)
                guard current > previous || number == 0 else { return nil }
                previous = current
            }
            facts.add(rows, names.count)
            number += 1
            if number & 0xfff == 0 { try proceed("Copying rows", 0.5) }
        }
    }

    /// Copies a table; returns false if SQLite cannot read it, or its rows are out of order or another table's.
    private func copy(_ table: RescueTable, from source: Database) throws -> Bool {
        let writer = try writer(table)
        var names = table.columns.prefix(table.sourceCount).map(\.name.quotedIdentifier)
        let count = Int32(names.count)
        if writer.copiesHiddenKeys { names.append("rowid") }
        guard
            let rows = try? source.prepare(
                "SELECT \(names.joined(separator: ", ")) FROM \(table.name.quotedIdentifier) NOT INDEXED"),
            rows.columnCount == names.count
        else { return false }
        var previous = Int64.min
        var number = 0
        while true {
            guard let hasRow = try? rows.step() else { return false }
            guard hasRow else { return true }
            if let key = table.keyColumn {
                let current = rows.integer(key)
                guard current > previous || number == 0 else { return false }
                previous = current
            }
            guard try writer.copy(rows, sourceCount: count) else { return false }
            number += 1
            if number & 0xfff == 0 { try proceed("Copying rows", 0.5) }
        }
    }

    /// Adds the pairs of damaged join tables that their indexes contain.
    func fillPairsFromIndexes() throws {
        guard let source else { return }
        for table in tables where !table.isIntact {
            guard let join = table.join else { continue }
            let (a, b) = (join.first.column.quotedIdentifier, join.second.column.quotedIdentifier)
            let name = table.name.quotedIdentifier
            guard let insertion = try? out.prepare("INSERT OR IGNORE INTO \(name) (\(a), \(b)) VALUES (?, ?)"),
                let list = try? source.prepare("SELECT name FROM pragma_index_list(?) WHERE partial = 0"),
                (try? list.bind(.text(table.name), at: 1)) != nil
            else { continue }
            // A table without key would get every pair again.
            guard try hasKey(table.name) else { continue }
            var added = 0
            while (try? list.step()) == true {
                let index = (list.text(0) ?? "").quotedIdentifier
                guard let rows = try? source.prepare("SELECT \(a), \(b) FROM \(name) INDEXED BY \(index)") else {
                    continue
                }
                // What follows a damaged page is unknown.
                while (try? rows.step()) == true {
                    guard !rows.isNull(0), !rows.isNull(1) else { continue }
                    try insertion.bind(.integer(rows.integer(0)), at: 1)
                    try insertion.bind(.integer(rows.integer(1)), at: 2)
                    while try insertion.step() {}
                    insertion.reset()
                    added += Int(sqlite3_changes(out.handle))
                }
            }
            guard added > 0 else { continue }
            let isOrdered = join.first.order != nil || join.second.order != nil
            notes.add(
                isOrdered
                    ? "Pairs were found in an index, and their positions are lost." : "Pairs were found in an index.",
                entity: schema.entity(join.first.entity)?.name, property: join.first.relationship, count: added,
                isLoss: isOrdered)
        }
    }

    private func hasIndex(_ table: String) throws -> Bool {
        let indexes = try out.prepare("SELECT 1 FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = ?")
        try indexes.bind(.text(table), at: 1)
        return try indexes.step()
    }

    /// Returns whether a table has a primary key.
    func hasKey(_ table: String) throws -> Bool {
        let keys = try out.prepare("SELECT 1 FROM pragma_table_info(?) WHERE pk > 0")
        try keys.bind(.text(table), at: 1)
        return try keys.step()
    }
}
