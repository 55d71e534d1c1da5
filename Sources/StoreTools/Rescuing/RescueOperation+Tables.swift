import Foundation

extension RescueOperation {
    static let systemTables = [
        "Z_PRIMARYKEY":
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "Z_METADATA":
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "Z_MODELCACHE": "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]
    /// The tables of persistent history, and the numbers of their rows.
    static let historyTables = ["ACHANGE": 16001, "ATRANSACTION": 16002, "ATRANSACTIONSTRING": 16003]

    /// Sets the form of the new file.
    func layOut() throws {
        let size = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536].contains(image.pageSize) ? image.pageSize : 4096
        for pragma in [
            "page_size = \(size)", "auto_vacuum = 2", "encoding = 'UTF-8'", "journal_mode = OFF", "synchronous = OFF",
            "cache_size = -16000", "temp_store = FILE", "foreign_keys = OFF",
        ] {
            try out.execute("PRAGMA \(pragma)")
        }
    }

    /// Creates the tables with the statements of the original, as far as they can be read, and the model's for the others.
    func createTables() throws {
        let joins = Dictionary(schema.joins.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let entities = Dictionary(schema.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var created: Set<String> = []
        for entry in entries where entry.type == "table" && !created.contains(entry.name) {
            let isKnown =
                entities[entry.name] != nil || joins[entry.name] != nil || Self.systemTables[entry.name] != nil
            guard try createTable(entry) else {
                if !isKnown, entry.sql != nil, !isVirtual(entry), !isOfVirtualTable(entry.name),
                    !entry.name.lowercased().hasPrefix("sqlite_")
                {
                    notes.add("The table \(entry.name) is left out: its statement cannot be used.", isLoss: true)
                }
                continue
            }
            created.insert(entry.name)
            let required = (entities[entry.name]?.columns ?? joins[entry.name]?.columns ?? [])
            let count = try SchemaReading.columns(of: entry.name, out).count
            try addMissing(required, to: entry.name)
            guard Self.systemTables[entry.name] == nil else { continue }
            let kind: RescueTable.Kind =
                if let table = entities[entry.name] {
                    .entity(table)
                } else if let join = joins[entry.name] {
                    .join(join)
                } else if let number = Self.historyTables[entry.name] {
                    .history(number)
                } else {
                    .foreign
                }
            try append(entry.name, kind, sourceCount: count, root: entry.rootPage)
        }
        let isNamed = entries.contains { $0.type == "table" }
        func create(_ name: String, _ sql: String, _ kind: RescueTable.Kind) throws {
            guard !created.contains(name) else { return }
            try out.execute(sql)
            created.insert(name)
            if isNamed { notes.add("The table \(name) was missing, and was created.") }
            try append(name, kind, sourceCount: nil, root: nil)
        }
        for table in schema.tables { try create(table.name, table.sql, .entity(table)) }
        for join in schema.joins { try create(join.name, join.sql, .join(join)) }
        for (name, sql) in Self.systemTables.sorted(by: { $0.key < $1.key }) where !created.contains(name) {
            // Old frameworks have no cached model.
            if name == "Z_MODELCACHE", isNamed, content.cache == nil, source != nil { continue }
            try out.execute(sql)
        }
    }

    /// Creates a table as in the original, without expressions; returns false if it cannot be created.
    private func createTable(_ entry: SchemaEntry) throws -> Bool {
        guard let statement = SchemaReading.table(entry), let sql = entry.sql, !isOfVirtualTable(entry.name) else {
            return false
        }
        if statement.isPlain, (try? out.execute(sql)) != nil { return try exists(entry.name) }
        guard try !exists(entry.name), (try? out.execute(statement.reduced)) != nil, try exists(entry.name) else {
            return false
        }
        notes.add("The table \(entry.name) was created without the expressions of its statement.")
        return true
    }

    private func append(_ name: String, _ kind: RescueTable.Kind, sourceCount: Int?, root: Int?) throws {
        let columns = try SchemaReading.columns(of: name, out)
        let table = RescueTable(
            name: name, kind: kind, columns: columns.map(\.name), sourceCount: sourceCount ?? columns.count,
            keyColumn: columns.firstIndex { $0.isKey }, root: root.flatMap { $0 > 1 ? $0 : nil })
        table.describe(schema)
        tables.append(table)
    }

    private func addMissing(_ columns: [StoreColumn], to table: String) throws {
        let present = try SchemaReading.columns(of: table, out).map(\.name)
        for column in columns where !present.contains(column.name) {
            if let other = present.first(where: { $0.lowercased() == column.name.lowercased() }) {
                try out.execute(
                    "ALTER TABLE \(table.quotedIdentifier) RENAME COLUMN \(other.quotedIdentifier) "
                        + "TO \(column.name.quotedIdentifier)")
                continue
            }
            try out.execute(
                "ALTER TABLE \(table.quotedIdentifier) ADD COLUMN \(column.name.quotedIdentifier) "
                    + column.declaredType.filter { $0.isLetter })
            notes.add("The column \(table).\(column.name) was missing, and was added.")
        }
    }

    func exists(_ name: String) throws -> Bool {
        let statement = try out.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?")
        try statement.bind(.text(name), at: 1)
        return try statement.step()
    }

    /// Returns whether a table holds the content of a spatial index.
    func isOfVirtualTable(_ name: String) -> Bool {
        ["_node", "_rowid", "_parent"].contains { suffix in
            guard name.hasSuffix(suffix) else { return false }
            let owner = name.dropLast(suffix.count)
            return schema.spatialTables.contains { $0.name == owner }
                || entries.contains { $0.type == "table" && $0.name == owner && isVirtual($0) }
        }
    }

    func isVirtual(_ entry: SchemaEntry) -> Bool {
        entry.sql?.prefix(30).uppercased().hasPrefix("CREATE VIRTUAL TABLE") ?? false
    }
}
