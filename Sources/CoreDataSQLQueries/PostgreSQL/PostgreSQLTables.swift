import CoreDataRowStorage
import PredicateFormat

/// The tables of a model in PostgreSQL, with readable names: a table for each entity hierarchy, named like its root, and a
/// column for each property, all in snake case.
///
/// Every table has the key `id` and the save counter `version`; a table of several entities has `entity`, the name of the
/// row's entity. To-one relationships are columns with keys. Many-to-many relationships have join tables, named like an
/// entity and its relationship.
///
/// Immutable once initialized.
package final class PostgreSQLTables: TableNames, @unchecked Sendable {
    package let layouts: ModelLayouts
    package let dialect: any SQLDialect = PostgreSQLDialect()
    private var columnsByNumber: [Int: EntityColumns] = [:]
    private var toMany: [String: ToManyColumns] = [:]

    package init(_ layouts: ModelLayouts) {
        self.layouts = layouts
        var names = UsedNames()
        var tableByRoot: [Int: String] = [:]
        for layout in layouts.all where layout.isRoot {
            tableByRoot[layout.number] = names.table(PostgreSQLName.snakeCase(layout.name))
        }
        // A superentity comes before its subentities.
        for layout in layouts.all {
            guard let table = tableByRoot[layout.root.number] else { continue }
            let columns = EntityColumns(
                table: table, layout: layout,
                inherited: layout.superlayout.flatMap { columnsByNumber[$0.number] })
            for cell in layout.ownCells { columns.own.append(Self.place(of: cell, in: layout, table, &names)) }
            columnsByNumber[layout.number] = columns
        }
        for layout in layouts.all {
            for relationship in layout.ownRelationships where relationship.isToMany && !relationship.isTransient {
                addPlace(of: relationship, in: layout, &names)
            }
        }
    }

    package func columns(of layout: EntityLayout) throws -> EntityColumns {
        guard let columns = columnsByNumber[layout.number] else {
            throw UnsupportedQuery.make("the store has no table of the entity \(layout.name)", entity: layout.name)
        }
        return columns
    }

    package func columns(
        of relationship: EntityLayout.Relationship, in layout: EntityLayout
    ) -> ToManyColumns? {
        toMany[Self.key(relationship.name, declaring(relationship.name, layout))]
    }

    package func number(inFileOf number: Int) -> Int { number }

    /// Returns nil: the dialect determines the collation.
    package func collation(_ wanted: StringCollation) -> String? { nil }

    // MARK: Columns

    private static func place(
        of cell: EntityLayout.Cell, in layout: EntityLayout, _ table: String, _ names: inout UsedNames
    ) -> CellColumns {
        var place = CellColumns(isExternal: false)
        guard !cell.isTransient, PostgreSQLName.type(of: cell.kind) != nil else { return place }
        let path = (cell.compositeName.map { [$0] + cell.elementPath } ?? [cell.name]).map(PostgreSQLName.snakeCase)
        let column = names.column(path.joined(separator: "_"), of: table, entity: layout.name)
        place.column = column
        if cell.kind == .reference,
            layout.relationships[cell.relationshipIndex].inverse.map({ $0.isToMany && $0.isOrdered }) == true
        {
            place.order = names.column("\(column)_order", of: table, entity: layout.name)
        }
        return place
    }

    // MARK: To-many relationships

    private func addPlace(
        of relationship: EntityLayout.Relationship, in layout: EntityLayout, _ names: inout UsedNames
    ) {
        let key = Self.key(relationship.name, layout)
        guard toMany[key] == nil, let destination = layouts.byNumber[relationship.destinationNumber],
            let target = columnsByNumber[destination.number]
        else { return }
        let entity = PostgreSQLName.snakeCase(layout.name)
        let name = "\(entity)_\(PostgreSQLName.snakeCase(relationship.name))"
        guard let inverse = relationship.inverse else {
            let column = names.column(name, of: target.table, entity: layout.name)
            let order =
                relationship.isOrdered ? names.column("\(column)_order", of: target.table, entity: layout.name) : nil
            toMany[key] = .owned(table: target.table, column: column, order: order)
            return
        }
        guard inverse.isToMany else {
            guard case .cell(let cell)? = destination.members[inverse.name], let column = target[cell].column
            else { return }
            toMany[key] = .foreignKey(
                table: target.table, column: column, entityColumn: nil, order: target[cell].order)
            return
        }
        let other = declaring(inverse.name, destination)
        let otherKey = Self.key(inverse.name, other)
        // The side that sorts first names the table, so that both sides agree.
        guard inverse.isTransient || key <= otherKey else { return addPlace(ofInverse: inverse, in: other, &names) }
        let table = names.table(name)
        let isReflexive = key == otherKey
        let (own, far) =
            other === layout ? ("source", "target") : (entity, PostgreSQLName.snakeCase(other.name))
        let (order, sourceOrder) = (
            relationship.isOrdered ? "\(far)_order" : nil, inverse.isOrdered && !isReflexive ? "\(own)_order" : nil
        )
        toMany[key] = .join(
            table: table, source: own, target: far, order: order, sourceOrder: sourceOrder, isReflexive: isReflexive)
        guard !isReflexive, !inverse.isTransient else { return }
        toMany[otherKey] = .join(
            table: table, source: far, target: own, order: sourceOrder, sourceOrder: order, isReflexive: false)
    }

    private func addPlace(ofInverse inverse: EntityLayout.Inverse, in layout: EntityLayout, _ names: inout UsedNames) {
        guard let relationship = layout.relationships.first(where: { $0.name == inverse.name }) else { return }
        addPlace(of: relationship, in: layout, &names)
    }

    /// Returns the entity that declares a relationship of an entity.
    private func declaring(_ name: String, _ layout: EntityLayout) -> EntityLayout {
        var layout = layout
        while let above = layout.superlayout, above.members[name] != nil { layout = above }
        return layout
    }

    private static func key(_ relationship: String, _ layout: EntityLayout) -> String {
        "\(layout.name).\(relationship)"
    }
}

/// The names in use, to keep names unique.
private struct UsedNames {
    private var tables: Set<String> = []
    private var columns: [String: Set<String>] = [:]

    mutating func table(_ wanted: String) -> String { Self.unique(wanted, &tables) }

    /// Returns the column name of a property. Entities of one hierarchy may each declare a property of the same name.
    mutating func column(_ wanted: String, of table: String, entity: String) -> String {
        var taken = columns[table] ?? ["id", "version", "entity"]
        defer { columns[table] = taken }
        guard taken.contains(PostgreSQLName.fitting(wanted)) else { return Self.unique(wanted, &taken) }
        return Self.unique("\(PostgreSQLName.snakeCase(entity))_\(wanted)", &taken)
    }

    private static func unique(_ wanted: String, _ taken: inout Set<String>) -> String {
        var name = PostgreSQLName.fitting(wanted)
        var number = 1
        while !taken.insert(name).inserted {
            number += 1
            name = PostgreSQLName.fitting("\(wanted)_\(number)")
        }
        return name
    }
}
