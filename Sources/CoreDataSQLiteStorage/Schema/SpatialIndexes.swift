import CoreDataRowStorage

/// The spatial indexes: for each fetch index of R-tree elements, a virtual table of the values' bounds and three triggers
/// that keep it in sync with the entity's table.
///
/// Table, columns and trigger names are those in files of Apple's own programs. The triggers' bodies are ours, because no
/// public file shows them.
struct SpatialIndexes {
    let schema: SQLSchema
    let layouts: ModelLayouts

    /// The maximum number of dimensions of SQLite's R-trees.
    private static let mostDimensions = 5

    /// Returns the statements that create the indexes. SQLite must have been built with R-trees.
    func creationStatements() -> [String] {
        layouts.all.flatMap { layout in layout.traits.declaredIndexes.flatMap { statements($0, of: layout) } }
    }

    /// Returns true if the SQLite library was built with R-trees.
    static func areAvailable(_ connection: SQLiteConnection) -> Bool {
        ((try? connection.integer("SELECT COUNT(*) FROM pragma_module_list WHERE name = 'rtree'")) ?? 0) > 0
    }

    private func statements(_ index: IndexTraits, of layout: EntityLayout) -> [String] {
        guard let first = index.elements.first, first.isSpatial, let table = schema.entities[layout.number]?.table
        else { return [] }
        let parts = index.elements.map { schema.columns(at: $0.name, in: layout) }
        let columns = parts.flatMap { $0 }
        guard parts.allSatisfy({ !$0.isEmpty }), columns.count <= Self.mostDimensions else { return [] }
        let plain = "Z_RT_\(layout.name)_\(index.name)"
        let name = SQLName.quoted(plain)
        func trigger(_ event: String) -> String {
            "CREATE TRIGGER \(SQLName.quoted("\(plain)_\(event)")) AFTER \(event)"
        }
        let bounds = columns.flatMap { ["\($0)_MIN", "\($0)_MAX"] }
        let declared = bounds.map { "\($0) FLOAT" }.joined(separator: ", ")
        let values = columns.flatMap { ["NEW.\($0)", "NEW.\($0)"] }.joined(separator: ", ")
        let isComplete = columns.map { "NEW.\($0) IS NOT NULL" }.joined(separator: " AND ")
        let insertion =
            "INSERT INTO \(name) (Z_PK, \(bounds.joined(separator: ", "))) SELECT NEW.Z_PK, \(values) WHERE \(isComplete);"
        let removal = "DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK;"
        return [
            "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, \(declared))",
            "\(trigger("INSERT")) ON \(table) FOR EACH ROW BEGIN \(insertion) END",
            "\(trigger("UPDATE")) OF \(columns.joined(separator: ", ")) ON \(table) FOR EACH ROW "
                + "BEGIN \(removal) \(insertion) END",
            "\(trigger("DELETE")) ON \(table) FOR EACH ROW BEGIN \(removal) END",
        ]
    }
}
