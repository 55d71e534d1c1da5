import CoreDataRowStorage
import CoreDataRuntimeSupport
import PredicateFormat

/// What predicates and orders are translated with: where a store keeps the properties of each entity.
package protocol TableNames: AnyObject {
    var layouts: ModelLayouts { get }
    var dialect: any SQLDialect { get }
    /// Where the values of an entity's objects are.
    ///
    /// - Throws: an error for an entity that the store has no table of.
    func columns(of layout: EntityLayout) throws -> EntityColumns
    /// Where a to-many relationship is kept; nil for one that is not stored.
    func columns(of relationship: EntityLayout.Relationship, in layout: EntityLayout) -> ToManyColumns?
    /// The number that the store gives an entity of the model.
    func number(inFileOf number: Int) -> Int
    /// The name of an order of text; nil for the order that columns have by themselves.
    func collation(_ wanted: StringCollation) -> String?
}

extension TableNames {
    /// The condition that picks rows of an entity from a table it shares with others; nil where every row is one.
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

/// Where the values of one entity's objects are kept.
///
/// Changed only while the schema is made.
package final class EntityColumns: @unchecked Sendable {
    package let table: String
    package let hasSubentities: Bool
    /// True when other entities share the table.
    package let sharesTable: Bool
    /// Those of the super-entity, which come first.
    private let inherited: EntityColumns?
    /// The index of the first cell that the entity adds to those of its super-entity.
    private let firstOwn: Int
    /// Of the cells that the entity adds.
    package var own: ContiguousArray<CellColumns> = []
    private let madeCells = MadeOnce<CellList>()
    /// Made when they are asked for first: many programs only open a store to look at a few objects.
    package let toMany = MadeOnce<ToManyPlaces>()

    /// - Parameter inherited: the columns of the super-entity.
    package init(table: String, layout: EntityLayout, inherited: EntityColumns?) {
        self.table = table
        self.inherited = inherited
        firstOwn = layout.cellCount - layout.ownCells.count
        hasSubentities = layout.familyNumbers.count > 1
        sharesTable = layout.root.familyNumbers.count > 1
    }

    /// By cell index. Put together when they are asked for first, after which the schema must not change.
    package var cells: ContiguousArray<CellColumns> { madeCells.value { CellList(self) }.cells }

    /// Of one cell, also while the schema is made.
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

/// Where the to-many relationships of one entity are kept.
package final class ToManyPlaces: Sendable {
    package let byRelationship: [ToManyColumns?]

    package init(_ places: [ToManyColumns?]) { byRelationship = places }
}

/// The columns of one cell: none for transient values.
package struct CellColumns: Sendable {
    package var column: String?
    /// The entity number of a to-one's destination, where that has subentities.
    package var entityColumn: String?
    /// The position among its siblings, where a to-one's inverse is ordered.
    package var order: String?
    package var isExternal: Bool

    package init(isExternal: Bool) { self.isExternal = isExternal }
}

/// Where a to-many relationship is kept.
package enum ToManyColumns: Sendable {
    /// The to-one inverse's column in the destination's table.
    case foreignKey(table: String, column: String, entityColumn: String?, order: String?)
    /// A column for this relationship alone in the destination's table.
    case owned(table: String, column: String, order: String?)
    /// A join table: this object's keys in `source`, the others' in `target`, whose position is in `order`;
    /// `sourceOrder` is the position seen from the other side.
    case join(table: String, source: String, target: String, order: String?, sourceOrder: String?, isReflexive: Bool)
}
