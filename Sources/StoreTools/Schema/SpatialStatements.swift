import ModelFormat

/// The spatial indexes: for each fetch index of R-tree elements, a virtual table of the values' bounds and three triggers
/// that keep it in sync with the entity's table.
struct SpatialStatements {
    private(set) var tables: [SchemaStatement] = []
    private(set) var triggers: [SchemaStatement] = []

    /// The maximum number of dimensions of SQLite's R-trees.
    private static let mostDimensions = 5

    init(_ outline: ModelOutline) {
        for entity in outline.entities {
            for index in entity.declaredIndexes where index.elements.first?.isSpatial == true {
                add(index, of: entity)
            }
        }
    }

    private mutating func add(_ index: DeclaredIndex, of entity: EntityOutline) {
        let parts = index.elements.map { entity.columns(at: $0.name) }
        let columns = Array(parts.joined())
        guard parts.allSatisfy({ !$0.isEmpty }), columns.count <= Self.mostDimensions else { return }
        let plain = "Z_RT_\(entity.name)_\(index.name)"
        let name = SchemaName.quoted(plain)
        let bounds = columns.flatMap { ["\($0)_MIN", "\($0)_MAX"] }
        let declared = bounds.map { "\($0) FLOAT" }.joined(separator: ", ")
        let values = columns.flatMap { ["NEW.\($0)", "NEW.\($0)"] }.joined(separator: ", ")
        let isComplete = columns.map { "NEW.\($0) IS NOT NULL" }.joined(separator: " AND ")
        let insertion =
            "INSERT INTO \(name) (Z_PK, \(bounds.joined(separator: ", "))) SELECT NEW.Z_PK, \(values) WHERE \(isComplete);"
        let removal = "DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK;"
        tables.append(
            SchemaStatement(
                name: plain, table: plain,
                sql: "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, \(declared))"))
        func add(_ event: String, _ columns: String, _ action: String) {
            triggers.append(
                SchemaStatement(
                    name: "\(plain)_\(event)", table: entity.table,
                    sql: "CREATE TRIGGER \(SchemaName.quoted("\(plain)_\(event)")) AFTER \(event)\(columns) "
                        + "ON \(entity.table) FOR EACH ROW BEGIN \(action) END"))
        }
        add("INSERT", "", insertion)
        add("UPDATE", " OF \(columns.joined(separator: ", "))", "\(removal) \(insertion)")
        add("DELETE", "", removal)
    }
}
