import Foundation

/// The rows of all entity tables and join tables of an undamaged store, to recognize them by their values.
struct DamageRows: Sendable {
    /// The columns of each table: entity tables and join tables.
    private(set) var entityTables: [String: [String]] = [:]
    private(set) var joinTables: [String: [String]] = [:]
    /// The entity names by number.
    private(set) var entities: [Int: String] = [:]
    /// The root entity of each entity table.
    private(set) var roots: [String: String] = [:]
    /// The keys by table.
    private(set) var keys: [String: [Int64]] = [:]
    /// The pairs by join table.
    private(set) var pairs: [String: Set<[Int64]>] = [:]
    /// The rows by the text of key and values.
    private var byText: [String: DamageSnapshot.Key] = [:]
    /// The join tables that have a row with a text.
    private var joinsByText: [String: [String]] = [:]
    /// Everything else, for comparisons of whole files: table -> texts of rows.
    private(set) var everything: [String: [[String]]] = [:]

    init(_ sql: DamageSQL) throws {
        for row in try sql.rows("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY") {
            entities[Int(row[0]) ?? 0] = String(row[1].dropFirst())
        }
        let names = Dictionary(
            entities.values.map { ("Z" + $0.uppercased(), $0) }, uniquingKeysWith: { first, _ in first })
        for table in try sql.texts("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'") {
            let columns = try sql.texts("SELECT name FROM pragma_table_info('\(table)')")
            if let root = names[table] {
                entityTables[table] = columns
                roots[table] = root
                try sql.forEach("SELECT Z_PK, * FROM \"\(table)\"") { row in
                    let key = Int64(row[0]) ?? 0
                    keys[table, default: []].append(key)
                    byText[Self.text(row[0], row.dropFirst(2))] = .init(root: root, key: key)
                }
            } else if table.hasPrefix("Z_"), table.dropFirst(2).first?.isNumber == true {
                joinTables[table] = columns
                try sql.forEach("SELECT * FROM \"\(table)\"") { row in
                    pairs[table, default: []].insert(row.prefix(2).map { Int64($0) ?? 0 })
                    joinsByText[Self.text("", row[...]), default: []].append(table)
                }
            }
        }
    }

    private static func text(_ key: String, _ values: ArraySlice<String>) -> String {
        var values = values
        while values.last == "" { values.removeLast() }
        return key + "\u{1}" + values.joined(separator: "\u{1}")
    }

    /// Returns the row that had this key and these values, `Z_PK` first.
    func row(_ key: String, _ values: ArraySlice<String>) -> DamageSnapshot.Key? {
        byText[Self.text(key, values.dropFirst())]
    }

    /// Returns the join tables that had a row with these values.
    func joins(_ values: ArraySlice<String>) -> [String] { joinsByText[Self.text("", values)] ?? [] }
}
