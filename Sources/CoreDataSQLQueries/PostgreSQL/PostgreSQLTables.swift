import CoreDataRowStorage
import PredicateFormat

/// The tables of a model in PostgreSQL, with readable names: a table for each entity hierarchy, named like its root, and a
/// column for each property, all in snake case. `userInfo` may set other names, and the schema of a table: see
/// ``DatabaseTraits``.
///
/// Every table has the key `id` and the save counter `version`; a table of several entities has `entity`, the name of the
/// row's entity. To-one relationships are columns with keys. Many-to-many relationships have join tables, named like an
/// entity and its relationship. A table name in another schema than the first of the search path is qualified: see
/// ``PostgreSQLName/qualified(_:schema:)``.
///
/// Immutable once initialized.
package final class PostgreSQLTables: TableNames, @unchecked Sendable {
    package let layouts: ModelLayouts
    package let dialect: any SQLDialect = PostgreSQLDialect()
    private var columnsByNumber: [Int: EntityColumns] = [:]
    private var toMany: [RelationshipKey: ToManyColumns] = [:]
    private let present: [String: String]
    private var formerNames: [String: String] = [:]
    /// The names of tables and what belongs to them, and of columns.
    package private(set) var names = PostgreSQLNames()

    /// - Parameter present: The names that some tables have now, without schema, by the quoted names of the
    ///   model.
    package init(_ layouts: ModelLayouts, present: [String: String] = [:]) {
        self.layouts = layouts
        self.present = present
        var names = PostgreSQLNames()
        var tableByRoot: [Int: String] = [:]
        let roots = layouts.all.filter(\.isRoot).map { ($0, $0.traits.databaseTraits(at: [])) }
        // Names that the model sets are not changed because of others.
        for (layout, traits) in roots.filter({ $0.1.name != nil }) + roots.filter({ $0.1.name == nil }) {
            let name = traits.name ?? PostgreSQLName.snakeCase(layout.name)
            tableByRoot[layout.number] = presentName(names.table(name, schema: traits.schema))
        }
        for layout in layouts.all {
            if let table = tableByRoot[layout.root.number] { Self.reserve(layout, table, &names) }
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
        self.names = names
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
        toMany[RelationshipKey(relationship.name, declaring(relationship.name, layout))]
    }

    /// Returns the name that a table has now.
    private func presentName(_ name: String) -> String {
        guard let present = present[PostgreSQLName.quoted(name)] else { return name }
        formerNames[present] = name
        return PostgreSQLName.qualified(present, schema: PostgreSQLName.schema(of: name))
    }

    /// Returns the name of a table in the model, for errors.
    package func modelName(of table: String) -> String { formerNames[PostgreSQLName.unqualified(table)] ?? table }

    package func number(inFileOf number: Int) -> Int { number }

    /// Returns nil: the dialect determines the collation.
    package func collation(_ wanted: StringCollation) -> String? { nil }

    // MARK: Columns

    private static func place(
        of cell: EntityLayout.Cell, in layout: EntityLayout, _ table: String, _ names: inout PostgreSQLNames
    ) -> CellColumns {
        var place = CellColumns(isExternal: false)
        guard !cell.isTransient, PostgreSQLName.type(of: cell.kind) != nil else { return place }
        let path = cell.compositeName.map { [$0] + cell.elementPath } ?? [cell.name]
        let column: String
        if let reserved = names.reservedColumn(of: cell.path, of: layout.number) {
            column = reserved
        } else {
            let parts = path.indices.map { index in
                layout.traits.databaseTraits(at: Array(path[...index])).name ?? PostgreSQLName.snakeCase(path[index])
            }
            column = names.column(parts.joined(separator: "_"), of: table, entity: layout.name)
        }
        place.column = column
        place.isInSeconds = cell.kind == .date && layout.databaseTraits(of: cell).keepsWholeDates
        if cell.kind == .reference,
            layout.relationships[cell.relationshipIndex].inverse.map({ $0.isToMany && $0.isOrdered }) == true
        {
            place.order = names.column("\(column)_order", of: table, entity: layout.name)
        }
        return place
    }

    /// Reserves the column names that the model sets for an entity's properties, which others must not take.
    private static func reserve(_ layout: EntityLayout, _ table: String, _ names: inout PostgreSQLNames) {
        for cell in layout.ownCells where !cell.isTransient && PostgreSQLName.type(of: cell.kind) != nil {
            guard cell.compositeName == nil, let name = layout.traits.databaseTraits(at: [cell.name]).name else {
                continue
            }
            names.reserve(name, of: table, property: cell.path, of: layout.number, entity: layout.name)
        }
    }

    // MARK: To-many relationships

    private func addPlace(
        of relationship: EntityLayout.Relationship, in layout: EntityLayout, _ names: inout PostgreSQLNames
    ) {
        let key = RelationshipKey(relationship.name, layout)
        guard toMany[key] == nil, let destination = layouts.byNumber[relationship.destinationNumber],
            let target = columnsByNumber[destination.number]
        else { return }
        let entity = PostgreSQLName.snakeCase(layout.name)
        let wanted = layout.traits.databaseTraits(at: [relationship.name]).name
        let name = wanted ?? "\(entity)_\(PostgreSQLName.snakeCase(relationship.name))"
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
        let otherKey = RelationshipKey(inverse.name, other)
        // The side that sorts first names the table, so that both sides agree.
        guard inverse.isTransient || key <= otherKey else { return addPlace(ofInverse: inverse, in: other, &names) }
        let farName = inverse.isTransient ? nil : other.traits.databaseTraits(at: [inverse.name]).name
        let home = columnsByNumber[layout.number].map { PostgreSQLName.schema(of: $0.table) } ?? nil
        let table = presentName(names.table(wanted ?? farName ?? name, schema: home))
        let isReflexive = key == otherKey
        let (near, far) =
            other === layout ? ("source", "target") : (entity, PostgreSQLName.snakeCase(other.name))
        let nearColumn = names.joinColumn(near, of: table)
        let farColumn = names.joinColumn(far, of: table)
        let order = relationship.isOrdered ? names.joinColumn("\(farColumn)_order", of: table) : nil
        let sourceOrder = inverse.isOrdered && !isReflexive ? names.joinColumn("\(nearColumn)_order", of: table) : nil
        toMany[key] = .join(
            table: table, source: nearColumn, target: farColumn, order: order, sourceOrder: sourceOrder,
            isReflexive: isReflexive)
        guard !isReflexive, !inverse.isTransient else { return }
        toMany[otherKey] = .join(
            table: table, source: farColumn, target: nearColumn, order: sourceOrder, sourceOrder: order,
            isReflexive: false)
    }

    private func addPlace(
        ofInverse inverse: EntityLayout.Inverse, in layout: EntityLayout, _ names: inout PostgreSQLNames
    ) {
        guard let relationship = layout.relationships.first(where: { $0.name == inverse.name }) else { return }
        addPlace(of: relationship, in: layout, &names)
    }

    /// Returns the entity that declares a relationship of an entity.
    private func declaring(_ name: String, _ layout: EntityLayout) -> EntityLayout {
        var layout = layout
        while let above = layout.superlayout, above.members[name] != nil { layout = above }
        return layout
    }
}

/// A relationship with the entity that declares it.
private struct RelationshipKey: Hashable, Comparable {
    let entity: String
    let name: String

    init(_ name: String, _ layout: EntityLayout) {
        entity = layout.name
        self.name = name
    }

    static func < (a: RelationshipKey, b: RelationshipKey) -> Bool { (a.entity, a.name) < (b.entity, b.name) }
}
