import CoreDataRowStorage
import CoreDataRuntimeSupport
import PredicateFormat

/// The table and column names of a store, with which predicates and orders are translated.
package protocol TableNames: AnyObject {
    var layouts: ModelLayouts { get }
    var dialect: any SQLDialect { get }
    /// Returns the columns of an entity's properties.
    ///
    /// - Throws: an error for an entity without a table in the store.
    func columns(of layout: EntityLayout) throws -> EntityColumns
    /// Returns the columns of a to-many relationship; nil if it is not stored.
    func columns(of relationship: EntityLayout.Relationship, in layout: EntityLayout) -> ToManyColumns?
    /// Returns the store's number of an entity of the model.
    func number(inFileOf number: Int) -> Int
    /// Returns the name of a collation; nil for the default collation of columns.
    func collation(_ wanted: StringCollation) -> String?
}

extension TableNames {
    /// Returns the condition that selects rows of an entity from a shared table; nil if every row matches.
    package func restriction(of layout: EntityLayout, includesSubentities: Bool, alias: String)
        throws -> SQLFragment?
    {
        let columns = try columns(of: layout)
        guard columns.sharesTable else { return nil }
        if layout.isRoot && includesSubentities { return nil }
        let family = includesSubentities ? layout.familyNumbers : layout.number..<layout.number + 1
        let column: SQLFragment = "\(raw: alias).\(dialect.entityColumn)"
        let entities = family.sorted { number(inFileOf: $0) < number(inFileOf: $1) }
            .compactMap { layouts.byNumber[$0] }.map { dialect.entity($0, self) }
        if entities.count == 1 { return "\(column) = \(entities[0])" }
        return "\(column) IN (\(entities.joined(separator: ", ")))"
    }
}

/// The columns of one entity's properties.
///
/// Mutable only while the schema is built.
package final class EntityColumns: @unchecked Sendable {
    package let table: String
    package let hasSubentities: Bool
    /// Whether other entities share the table.
    package let sharesTable: Bool
    /// The columns of the superentity, which come first.
    private let inherited: EntityColumns?
    /// The index of the first slot that the entity adds to those of its superentity.
    private let firstOwn: Int
    /// The columns of the slots that the entity adds.
    package var own: ContiguousArray<CellColumns> = []
    private let madeCells = MadeOnce<CellList>()
    /// The columns of to-many relationships, created on first use: many programs only open a store to read a few objects.
    package let toMany = MadeOnce<ToManyPlaces>()

    /// Creates the columns of an entity.
    ///
    /// - Parameter inherited: the columns of the superentity.
    package init(table: String, layout: EntityLayout, inherited: EntityColumns?) {
        self.table = table
        self.inherited = inherited
        firstOwn = layout.cellCount - layout.ownCells.count
        hasSubentities = layout.familyNumbers.count > 1
        sharesTable = layout.root.familyNumbers.count > 1
    }

    /// The columns by slot index. Built on first use, after which the schema must not change.
    package var cells: ContiguousArray<CellColumns> { madeCells.value { CellList(self) }.cells }

    /// Returns the columns of one slot, also while the schema is built.
    package subscript(cell: Int) -> CellColumns {
        var columns = self
        while cell < columns.firstOwn, let inherited = columns.inherited { columns = inherited }
        return columns.own[cell - columns.firstOwn]
    }

    private final class CellList: Sendable {
        let cells: ContiguousArray<CellColumns>

        init(_ columns: EntityColumns) {
            var lineage: ContiguousArray = [columns]
            while let inherited = lineage[lineage.count - 1].inherited { lineage.append(inherited) }
            var cells = ContiguousArray<CellColumns>()
            cells.reserveCapacity(columns.firstOwn + columns.own.count)
            for columns in lineage.reversed() { cells += columns.own }
            self.cells = cells
        }
    }
}

/// The columns of the to-many relationships of one entity.
package final class ToManyPlaces: Sendable {
    package let byRelationship: [ToManyColumns?]

    package init(_ places: [ToManyColumns?]) { byRelationship = places }
}

/// The columns of one slot: none for transient values.
package struct CellColumns: Sendable {
    package var column: String?
    /// The column of a to-one destination's entity number, if the destination has subentities.
    package var entityColumn: String?
    /// The column of the order key, if a to-one's inverse is ordered.
    package var order: String?
    package var isExternal: Bool
    /// True if it is a date as seconds since the reference date, in a dialect that has another type for dates.
    package var isInSeconds = false

    package init(isExternal: Bool) { self.isExternal = isExternal }
}

/// The columns of a to-many relationship.
package enum ToManyColumns: Sendable {
    /// The to-one inverse's column in the destination's table.
    case foreignKey(table: String, column: String, entityColumn: String?, order: String?)
    /// A column in the destination's table for this relationship only.
    case owned(table: String, column: String, order: String?)
    /// A join table with this object's keys in `source` and the other objects' keys in `target`. The other objects' order
    /// keys are in `order`, this object's in `sourceOrder`.
    case join(table: String, source: String, target: String, order: String?, sourceOrder: String?, isReflexive: Bool)
}
