import Foundation

/// The tables, columns and indexes of a file, as SQLite reports them.
final class FileFacts {
    struct Column {
        var name: String
        var type: String
    }

    struct Index {
        var name: String
        var table: String
        var isUnique: Bool
        var isPartial: Bool
        /// The names of the columns, in upper case; an empty name for an expression.
        var columns: [String]
    }

    /// A row of `Z_PRIMARYKEY`.
    struct EntityNumber {
        var number: Int64
        var name: String
        var parent: Int64
        /// The highest key; nil if it is not an integer.
        var highestKey: Int64?
    }

    /// The columns of each table, by upper-case names.
    private var columns: [String: [String: Column]] = [:]
    private(set) var indexes: [String: [Index]] = [:]
    /// Triggers by upper-case name.
    private(set) var triggers: [String: SchemaStatement] = [:]
    /// The rows of `Z_PRIMARYKEY`.
    private(set) var numbers: [EntityNumber] = []
    /// The upper-case names of damaged tables and indexes.
    var damaged: Set<String> = []

    func read(_ database: Database) throws {
        let tables = try database.prepare(
            "SELECT m.name, c.name, c.type FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' "
                + "AND m.sql NOT LIKE 'CREATE VIRTUAL%'")
        while try tables.step() {
            guard let table = tables.text(0), let column = tables.text(1) else { continue }
            columns[table.uppercased(), default: [:]][column.uppercased()] = Column(
                name: column, type: tables.text(2) ?? "")
        }
        let list = try database.prepare(
            "SELECT m.name, i.name, i.\"unique\", i.partial, upper(c.name) FROM sqlite_master m, pragma_index_list(m.name) i, "
                + "pragma_index_xinfo(i.name) c WHERE m.type = 'table' AND c.key ORDER BY m.name, i.seq, c.seqno")
        while try list.step() {
            guard let table = list.text(0), let name = list.text(1) else { continue }
            let column = list.text(4) ?? ""
            var known = indexes[table.uppercased()] ?? []
            if known.last?.name == name {
                known[known.count - 1].columns.append(column)
            } else {
                known.append(
                    Index(
                        name: name, table: table, isUnique: list.integer(2) != 0, isPartial: list.integer(3) != 0,
                        columns: [column]))
            }
            indexes[table.uppercased()] = known
        }
        let statements = try database.prepare("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
        while try statements.step() {
            guard let name = statements.text(0) else { continue }
            triggers[name.uppercased()] = SchemaStatement(
                name: name, table: statements.text(1) ?? "", sql: statements.text(2) ?? "")
        }
    }

    /// Reads `Z_PRIMARYKEY`.
    func readNumbers(_ database: Database) throws {
        guard has("Z_PRIMARYKEY", ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"]) else { return }
        let rows = try database.prepare("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX, typeof(Z_MAX) FROM Z_PRIMARYKEY")
        while try rows.step() {
            numbers.append(
                EntityNumber(
                    number: rows.integer(0), name: rows.text(1) ?? "", parent: rows.integer(2),
                    highestKey: rows.text(4) == "integer" ? rows.integer(3) : nil))
        }
    }

    func hasTable(_ table: String) -> Bool { columns[table.uppercased()] != nil }
    func has(_ table: String, _ column: String) -> Bool { columns[table.uppercased()]?[column.uppercased()] != nil }
    func has(_ table: String, _ names: [String]) -> Bool { names.allSatisfy { has(table, $0) } }

    /// Returns the declared type of a column.
    func type(_ table: String, _ column: String) -> String? { columns[table.uppercased()]?[column.uppercased()]?.type }

    /// Returns true if an undamaged full index begins with columns, in any order.
    func hasIndex(_ table: String, _ names: [String]) -> Bool {
        (indexes[table.uppercased()] ?? []).contains { index in
            !index.isPartial && !damaged.contains(index.name.uppercased())
                && Set(index.columns.prefix(names.count)) == Set(names.map { $0.uppercased() })
        }
    }

    /// Returns true if a full unique index has exactly these columns, in any order.
    func hasUniqueIndex(_ table: String, _ names: [String]) -> Bool {
        (indexes[table.uppercased()] ?? []).contains { index in
            index.isUnique && !index.isPartial && Set(index.columns) == Set(names.map { $0.uppercased() })
        }
    }

    /// Returns true if an index, damaged or not, begins with a column.
    func hasAnyIndex(_ table: String, on column: String) -> Bool { hasAnyIndex(table, on: [column]) }

    /// Returns true if an index, damaged or not, begins with columns, in any order.
    func hasAnyIndex(_ table: String, on names: [String]) -> Bool {
        (indexes[table.uppercased()] ?? []).contains { index in
            Set(index.columns.prefix(names.count)) == Set(names.map { $0.uppercased() })
        }
    }

    /// Returns true if there is an index with a name.
    func hasIndex(named name: String) -> Bool {
        indexes.values.contains { $0.contains { $0.name.caseInsensitiveCompare(name) == .orderedSame } }
    }

    /// The columns that may contain data, by table.
    var dataColumns: [(table: String, columns: [String])] {
        columns.map { table, columns in
            (table, columns.values.filter { $0.type.uppercased() == "BLOB" }.map(\.name).sorted())
        }.sorted { $0.table < $1.table }
    }
}
