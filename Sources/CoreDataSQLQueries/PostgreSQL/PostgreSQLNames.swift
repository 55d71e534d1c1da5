/// The names in use in a database, which keep names unique: those of tables and of what shares their name space, and those of
/// the columns of each table.
package struct PostgreSQLNames {
    /// Tables, sequences, indexes and constraints, each qualified as its table is.
    private var relations: Set<String> = []
    private var columns: [String: Set<String>] = [:]
    /// The columns with names that the model sets, by the number of the entity and by property.
    private var reserved: [Int: [String: String]] = [:]
    /// The names that had to be shortened, with what they would have been.
    package private(set) var shortened: [(name: String, whole: String)] = []

    /// The columns of every table of an entity, and those that the database adds to all tables.
    private static let ownColumns: Set<String> = ["id", "version", "entity"]
    private static let systemColumns: Set<String> = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

    // MARK: Tables

    /// Returns the name of a table, with which the names of its sequence and its primary key are reserved.
    mutating func table(_ wanted: String, schema: String?) -> String {
        let wanted = Self.isReserved(wanted) ? "entity_\(wanted)" : wanted
        let schema = schema.map(PostgreSQLName.fitting)
        var name = PostgreSQLName.qualified(PostgreSQLName.fitting(wanted), schema: schema)
        var number = 1
        while !relations.isDisjoint(with: Self.relations(of: name)) {
            number += 1
            name = PostgreSQLName.qualified(PostgreSQLName.fitting("\(wanted)_\(number)"), schema: schema)
        }
        relations.formUnion(Self.relations(of: name))
        note(PostgreSQLName.unqualified(name), wanted)
        return name
    }

    private static func relations(of table: String) -> [String] {
        [table, PostgreSQLName.name("id_seq", of: table), PostgreSQLName.name("pkey", of: table)]
    }

    /// Returns true for names of the database's catalogue, which is searched before other schemas, and of the store's tables.
    private static func isReserved(_ name: String) -> Bool { name.hasPrefix("pg_") || name.hasPrefix("coredata_") }

    /// Returns the name of an index or a constraint of a table, without schema: names of one schema differ.
    mutating func relation(_ wanted: String, of table: String) -> String {
        let whole = "\(PostgreSQLName.unqualified(table))_\(wanted)"
        let schema = PostgreSQLName.schema(of: table)
        var name = PostgreSQLName.fitting(whole)
        var number = 1
        while !relations.insert(PostgreSQLName.qualified(name, schema: schema)).inserted {
            number += 1
            name = PostgreSQLName.fitting("\(whole)_\(number)")
        }
        return name
    }

    // MARK: Columns

    /// Reserves the name that the model sets for the column of a property.
    mutating func reserve(_ name: String, of table: String, property: String, of number: Int, entity: String) {
        reserved[number, default: [:]][property] = column(name, of: table, entity: entity)
    }

    /// Returns the reserved name of the column of a property of an entity, by its number.
    func reservedColumn(of property: String, of number: Int) -> String? { reserved[number]?[property] }

    /// Returns the column name of a property. Entities of one hierarchy may each declare a property of the same name.
    mutating func column(_ wanted: String, of table: String, entity: String) -> String {
        if columns[table] == nil { columns[table] = Self.ownColumns.union(Self.systemColumns) }
        let isTaken = columns[table]?.contains(PostgreSQLName.fitting(wanted)) == true
        return unique(isTaken ? "\(PostgreSQLName.snakeCase(entity))_\(wanted)" : wanted, table)
    }

    /// Returns the name of a column of a join table.
    mutating func joinColumn(_ wanted: String, of table: String) -> String {
        if columns[table] == nil { columns[table] = Self.systemColumns }
        return unique(wanted, table)
    }

    private mutating func unique(_ wanted: String, _ table: String) -> String {
        var name = PostgreSQLName.fitting(wanted)
        var number = 1
        while columns[table, default: []].insert(name).inserted == false {
            number += 1
            name = PostgreSQLName.fitting("\(wanted)_\(number)")
        }
        note(name, wanted)
        return name
    }

    private mutating func note(_ name: String, _ whole: String) {
        if whole.utf8.count > PostgreSQLName.longest { shortened.append((name, whole)) }
    }
}
