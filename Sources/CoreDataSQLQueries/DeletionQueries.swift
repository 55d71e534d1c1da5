import CoreDataRowStorage

/// The statements of a batch delete. Each has one parameter, the list of the keys of rows of an entity.
package struct DeletionQueries {
    private let layout: EntityLayout
    private let tables: any TableNames
    private let keys: SQLFragment
    private var dialect: any SQLDialect { tables.dialect }

    package init(_ layout: EntityLayout, _ tables: any TableNames) throws {
        self.layout = layout
        self.tables = tables
        keys = try tables.dialect.parameter(.keys(root: layout.root.number))
    }

    /// Selects the references of the members of a relationship of any of the rows, with the entity beside the key if the
    /// destination has subentities; returns nil for a relationship that is not stored.
    package func related(
        _ relationship: EntityLayout.Relationship, to destination: EntityLayout
    ) throws -> SQLStatement? {
        let target = try tables.columns(of: destination)
        let found: SQLFragment
        if relationship.isToMany {
            switch tables.columns(of: relationship, in: layout) {
            case .foreignKey(let table, let column, _, _), .owned(let table, let column, _):
                found = "SELECT \(dialect.keyColumn) FROM \(name(table)) WHERE \(isWanted(name(column)))"
            case .join(let table, let own, let target, _, _, let isReflexive):
                let (table, own, target) = (name(table), name(own), name(target))
                let forward: SQLFragment = "SELECT \(target) FROM \(table) WHERE \(isWanted(own))"
                let back: SQLFragment = "SELECT \(own) FROM \(table) WHERE \(isWanted(target))"
                found = isReflexive ? "\(forward) UNION \(back)" : forward
            case nil: return nil
            }
        } else {
            let own = try tables.columns(of: layout)
            guard let column = own.cells[relationship.cell].column else { return nil }
            found = "SELECT \(name(column)) FROM \(name(own.table)) WHERE \(isWanted(dialect.keyColumn))"
        }
        let key: SQLFragment = "t0.\(dialect.keyColumn)"
        let entity: SQLFragment = target.hasSubentities ? ", t0.\(dialect.entityColumn)" : ""
        let statement: SQLFragment = "SELECT \(key)\(entity) FROM \(name(target.table)) t0 WHERE \(key) IN (\(found))"
        return statement.statement(in: dialect)
    }

    /// Sets a to-one relationship to NULL in the remaining rows that refer to the deleted ones; returns nil if it is not
    /// stored.
    package func detachment(from cell: Int, of destination: EntityLayout) throws -> SQLStatement? {
        let columns = try tables.columns(of: destination)
        let place = columns.cells[cell]
        guard let column = place.column else { return nil }
        var cleared: [SQLFragment] = []
        for column in [column, place.entityColumn, place.order] {
            if let column { cleared.append("\(name(column)) = NULL") }
        }
        cleared.append(dialect.nextVersion)
        let statement: SQLFragment =
            "UPDATE \(name(columns.table)) SET \(cleared.joined(separator: ", ")) WHERE \(isWanted(name(column)))"
        return statement.statement(in: dialect)
    }

    /// Deletes a to-many relationship's links that are stored outside of the rows.
    package func links(of relationship: EntityLayout.Relationship) -> [SQLStatement] {
        let statements: [SQLFragment]
        switch tables.columns(of: relationship, in: layout) {
        case .join(let table, let own, let target, _, _, let isReflexive):
            statements = (isReflexive ? [own, target] : [own]).map {
                "DELETE FROM \(name(table)) WHERE \(isWanted(name($0)))"
            }
        case .owned(let table, let column, let order):
            let position: SQLFragment = order.map { ", \(name($0)) = NULL" } ?? ""
            statements = [
                "UPDATE \(name(table)) SET \(name(column)) = NULL\(position) WHERE \(isWanted(name(column)))"
            ]
        case .foreignKey, nil: statements = []
        }
        return statements.map { $0.statement(in: dialect) }
    }

    /// Deletes the rows.
    package func rows() throws -> SQLStatement {
        let place = try tables.columns(of: layout)
        let statement: SQLFragment =
            "DELETE FROM \(name(place.table)) WHERE \(isWanted(dialect.keyColumn))\(dialect.returningReferences(place))"
        return statement.statement(in: dialect)
    }

    private func isWanted(_ column: SQLFragment) -> SQLFragment {
        dialect.membership(of: column, in: keys, folding: [])
    }

    private func name(_ name: String) -> SQLFragment { dialect.identifier(name) }
}
