import CoreDataRowStorage

/// An entity's table of the source of a migration.
final class OldTable {
    let name: String
    let root: EntityLayout
    /// The entities that rows may have.
    let entities: [EntityLayout]
    let columns: [PostgreSQLSchema.Column]
    var isShared: Bool { root.familyNumbers.count > 1 }
    /// The new tables that have rows of this one.
    var heirs: [TableChange] = []
    /// The new table that this one becomes; nil if it is dropped.
    var successor: TableChange?
    /// The new columns that columns become, by name.
    var claimed: [String: PostgreSQLSchema.Column] = [:]

    init(_ root: EntityLayout, _ schema: PostgreSQLSchema) throws {
        self.root = root
        name = try schema.tables.columns(of: root).table
        entities = schema.family(of: root).filter { !$0.isAbstract }
        columns = try schema.columns(of: root)
    }

    /// Returns the condition of the rows of some entities.
    func condition(_ layouts: [EntityLayout]) -> RowCondition {
        RowCondition(layouts.map(\.name), of: entities.map(\.name))
    }

    func column(_ name: String) -> PostgreSQLSchema.Column? { columns.first { $0.name == name } }

    /// The entities with rows that do not stay in the table.
    var leaving: [EntityLayout] {
        entities.filter { old in successor?.rows.contains { $0.old === old } != true }
    }

    /// Chooses the new table that this one becomes: the one with most of its entities.
    func chooseSuccessor(_ models: LayoutCorrespondence) {
        let own = models.successor(of: root)?.root
        func rank(_ change: TableChange) -> (Int, Int, Int) {
            (change.rows.count, change.root === own ? 1 : 0, -change.root.number)
        }
        successor = heirs.filter { PostgreSQLName.schema(of: $0.name) == PostgreSQLName.schema(of: name) }
            .max { rank($0) < rank($1) }
    }
}

/// The names by which statements find the old tables and columns, quoted.
struct PresentNames {
    let table: (String) -> String
    let column: (_ column: String, _ table: String) -> String

    /// The names before anything is changed.
    static var original: PresentNames {
        PresentNames(table: PostgreSQLName.quoted) { column, _ in PostgreSQLName.quoted(column) }
    }
}
