import CoreDataRowStorage

// The columns, foreign keys and join tables of relationships.

extension PostgreSQLSchema {
    /// Returns the columns of to-many relationships without inverse in a table, with those of their order.
    func ownedColumns(in table: String) -> [(String, String?)] {
        toMany.compactMap { _, _, place in
            guard case .owned(table, let column, let order) = place else { return nil }
            return (column, order)
        }
    }

    /// The to-many relationships of all entities, each where it is declared.
    var toMany: [(EntityLayout, EntityLayout.Relationship, ToManyColumns)] {
        layouts.all.flatMap { layout in
            layout.ownRelationships.compactMap { relationship in
                guard relationship.isToMany, !relationship.isTransient,
                    let place = tables.columns(of: relationship, in: layout)
                else { return nil }
                return (layout, relationship, place)
            }
        }
    }

    // MARK: Foreign keys

    func foreignKeys(of root: EntityLayout, _ names: inout PostgreSQLNames) throws -> [Part] {
        var parts: [Part] = []
        for layout in family(of: root) {
            let columns = try tables.columns(of: layout)
            for (cell, place) in zip(layout.ownCells, columns.own) where cell.kind == .reference {
                let relationship = layout.relationships[cell.relationshipIndex]
                guard let column = place.column, let destination = layouts.byNumber[relationship.destinationNumber]
                else { continue }
                // Saves clear the columns of inverses themselves, to advance the versions of the rows.
                parts.append(
                    try foreignKey(
                        columns.table, column, to: tables.columns(of: destination).table, onDelete: "SET NULL", &names))
            }
        }
        for (layout, _, place) in toMany {
            guard case .owned(let table, let column, _) = place, try tables.columns(of: root).table == table else {
                continue
            }
            parts.append(
                try foreignKey(table, column, to: tables.columns(of: layout).table, onDelete: "SET NULL", &names))
        }
        return parts
    }

    private func foreignKey(
        _ table: String, _ column: String, to target: String, onDelete: String, _ names: inout PostgreSQLNames
    ) -> Part {
        let name = names.relation("\(column)_fkey", of: table)
        return Part(
            kind: .foreignKey, name: name,
            sql: "ALTER TABLE \(PostgreSQLName.quoted(table)) ADD CONSTRAINT \(PostgreSQLName.quoted(name)) "
                + "FOREIGN KEY (\(PostgreSQLName.quoted(column))) REFERENCES \(PostgreSQLName.quoted(target)) (id) "
                + "ON DELETE \(onDelete) DEFERRABLE INITIALLY DEFERRED",
            shape: Shape(table: table, columns: [column], target: target, rest: onDelete))
    }

    // MARK: Many-to-many

    /// The join table of a many-to-many relationship.
    struct Join {
        let creation: Part
        let sides: [(column: String, table: String)]
        /// The entity with the relationship that names the table.
        let layout: EntityLayout
        let relationship: EntityLayout.Relationship
        let place: ToManyColumns
    }

    var joins: [Join] {
        var seen: Set<String> = []
        return toMany.compactMap { layout, relationship, place in
            guard case .join(let table, let source, let target, let order, let sourceOrder, _) = place,
                seen.insert(table).inserted, let destination = layouts.byNumber[relationship.destinationNumber],
                let own = try? tables.columns(of: layout).table, let far = try? tables.columns(of: destination).table
            else { return nil }
            var lines = ["\(quoted(source)) bigint NOT NULL", "\(quoted(target)) bigint NOT NULL"]
            for order in [order, sourceOrder] { if let order { lines.append("\(quoted(order)) bigint") } }
            lines.append("\(primaryKey(of: table)) (\(quoted(source)), \(quoted(target)))")
            let inverse = relationship.inverse.map { " and \(destination.name).\($0.name)" } ?? ""
            return Join(
                creation: Part(
                    kind: .table, name: table, sql: Self.create(table, lines),
                    subject: "Relationship \(layout.name).\(relationship.name)\(inverse)"),
                sides: [(source, own), (target, far)], layout: layout, relationship: relationship, place: place)
        }
    }

    func foreignKeys(of join: Join, _ names: inout PostgreSQLNames) -> [Part] {
        join.sides.map { foreignKey(join.creation.name, $0.column, to: $0.table, onDelete: "CASCADE", &names) }
    }

    /// Returns the index of a join table for its second column.
    func index(of join: Join, _ names: inout PostgreSQLNames) -> Part {
        let name = names.relation("\(join.sides[1].column)_idx", of: join.creation.name)
        let columns = join.sides.reversed().map { quoted($0.column) }.joined(separator: ", ")
        return Part(
            kind: .index, name: name, sql: "CREATE INDEX \(quoted(name)) ON \(quoted(join.creation.name)) (\(columns))",
            shape: Shape(
                table: join.creation.name, columns: join.sides.reversed().map(\.column), rest: "join"))
    }
}
