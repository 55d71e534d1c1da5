import CoreDataRowStorage
import PredicateFormat

/// The statements that create the tables of a model in PostgreSQL, readable in `psql`.
///
/// Foreign keys are checked when a transaction commits, so that the order of a save's statements does not matter; so are the
/// model's uniqueness constraints, so that two objects may swap their values.
package struct PostgreSQLSchema {
    private let tables: PostgreSQLTables
    private var layouts: ModelLayouts { tables.layouts }
    private var dialect: any SQLDialect { tables.dialect }

    package init(_ tables: PostgreSQLTables) { self.tables = tables }

    /// A part of the schema: its name and the statement that creates it.
    package struct Part: Hashable, Sendable {
        package enum Kind: Sendable { case sequence, table, foreignKey, unique, index, function }
        package let kind: Kind
        package let name: String
        package let sql: String
    }

    /// The number of keys in a block: an insert without a key, as by hand, takes one.
    package static let keysInBlock = 1000

    /// Returns all parts in the order in which they can be created.
    package func parts() throws -> [Part] {
        let roots = layouts.all.filter(\.isRoot)
        var parts = caseFunctions
        for root in roots {
            let table = try tables.columns(of: root).table
            parts.append(
                Part(
                    kind: .sequence, name: Self.sequence(of: table),
                    sql: "CREATE SEQUENCE \(quoted(Self.sequence(of: table))) INCREMENT BY \(Self.keysInBlock) "
                        + "MAXVALUE \(RowReference.largestKey - Int64(Self.keysInBlock))"))
            parts.append(try self.table(of: root, table))
        }
        let joins = self.joins
        parts += joins.map(\.creation)
        for root in roots { parts += try foreignKeys(of: root) }
        parts += joins.flatMap(\.foreignKeys)
        for root in roots { parts += try constraints(of: root) }
        for root in roots { parts += try indexes(of: root) }
        parts += joins.map(\.index)
        return parts
    }

    /// The functions that derived attributes need.
    private var caseFunctions: [Part] {
        var needed: Set<CaseFunction> = []
        for layout in layouts.all {
            for cell in layout.ownCells where cell.isDerived {
                guard case .function(let function, _)? = layout.traits.derivation(of: cell) else { continue }
                if function == .uppercase { needed.insert(.upper) }
                if function == .lowercase { needed.insert(.lower) }
            }
        }
        return CaseFunction.allCases.filter(needed.contains).map { Part(kind: .function, name: $0.name, sql: $0.sql) }
    }

    /// Returns the name of the sequence of a table's keys.
    package static func sequence(of table: String) -> String { PostgreSQLName.fitting("\(table)_id_seq") }

    private func quoted(_ name: String) -> String { PostgreSQLName.quoted(name) }

    private func family(of root: EntityLayout) -> [EntityLayout] {
        root.familyNumbers.compactMap { layouts.byNumber[$0] }
    }

    // MARK: Tables

    private func table(of root: EntityLayout, _ name: String) throws -> Part {
        var lines = [
            "id bigint PRIMARY KEY DEFAULT nextval(\(PostgreSQLName.literal(quoted(Self.sequence(of: name)))))",
            "version bigint NOT NULL DEFAULT 1",
        ]
        let family = family(of: root)
        if family.count > 1 {
            let names = family.filter { !$0.isAbstract }.map { PostgreSQLName.literal($0.name) }
            lines.append("entity text COLLATE \"C\" NOT NULL CHECK (entity IN (\(names.joined(separator: ", "))))")
        }
        for layout in family {
            let columns = try tables.columns(of: layout)
            for (cell, place) in zip(layout.ownCells, columns.own) {
                guard let column = place.column, let type = columnType(cell.kind) else { continue }
                // Rows of subentities share the table, and relationships are cleared when their destinations are deleted.
                let isRequired =
                    cell.requiresValue && cell.compositeName == nil && !cell.isDerived && layout.isRoot
                lines.append("\(quoted(column)) \(type)\(isRequired ? " NOT NULL" : "")")
                if let order = place.order { lines.append("\(quoted(order)) bigint") }
            }
        }
        for (column, order) in ownedColumns(in: name) {
            lines.append("\(quoted(column)) bigint")
            if let order { lines.append("\(quoted(order)) bigint") }
        }
        return Part(kind: .table, name: name, sql: Self.create(name, lines))
    }

    private static func create(_ name: String, _ lines: [String]) -> String {
        "CREATE TABLE \(PostgreSQLName.quoted(name)) (\n    \(lines.joined(separator: ",\n    "))\n)"
    }

    private func columnType(_ kind: CellKind) -> String? {
        PostgreSQLName.type(of: kind).map { $0 == "text" ? "text COLLATE \"C\"" : $0 }
    }

    /// Returns the columns of to-many relationships without inverse in a table, with those of their order.
    private func ownedColumns(in table: String) -> [(String, String?)] {
        toMany.compactMap { _, _, place in
            guard case .owned(table, let column, let order) = place else { return nil }
            return (column, order)
        }
    }

    /// The to-many relationships of all entities, each where it is declared.
    private var toMany: [(EntityLayout, EntityLayout.Relationship, ToManyColumns)] {
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

    private func foreignKeys(of root: EntityLayout) throws -> [Part] {
        var parts: [Part] = []
        for layout in family(of: root) {
            let columns = try tables.columns(of: layout)
            for (cell, place) in zip(layout.ownCells, columns.own) where cell.kind == .reference {
                let relationship = layout.relationships[cell.relationshipIndex]
                guard let column = place.column, let destination = layouts.byNumber[relationship.destinationNumber]
                else { continue }
                // Saves clear the columns of inverses themselves, to advance the versions of the rows.
                parts.append(
                    try Self.foreignKey(
                        columns.table, column, to: tables.columns(of: destination).table, onDelete: "SET NULL"))
            }
        }
        for (layout, _, place) in toMany {
            guard case .owned(let table, let column, _) = place, try tables.columns(of: root).table == table else { continue }
            parts.append(
                try Self.foreignKey(table, column, to: tables.columns(of: layout).table, onDelete: "SET NULL"))
        }
        return parts
    }

    private static func foreignKey(_ table: String, _ column: String, to target: String, onDelete: String) -> Part {
        let name = PostgreSQLName.fitting("\(table)_\(column)_fkey")
        return Part(
            kind: .foreignKey, name: name,
            sql: "ALTER TABLE \(PostgreSQLName.quoted(table)) ADD CONSTRAINT \(PostgreSQLName.quoted(name)) "
                + "FOREIGN KEY (\(PostgreSQLName.quoted(column))) REFERENCES \(PostgreSQLName.quoted(target)) (id) "
                + "ON DELETE \(onDelete) DEFERRABLE INITIALLY DEFERRED")
    }

    // MARK: Many-to-many

    private struct Join {
        let creation: Part
        let foreignKeys: [Part]
        let index: Part
    }

    private var joins: [Join] {
        var seen: Set<String> = []
        return toMany.compactMap { layout, relationship, place in
            guard case .join(let table, let source, let target, let order, let sourceOrder, _) = place,
                seen.insert(table).inserted, let destination = layouts.byNumber[relationship.destinationNumber],
                let own = try? tables.columns(of: layout).table, let far = try? tables.columns(of: destination).table
            else { return nil }
            var lines = ["\(quoted(source)) bigint NOT NULL", "\(quoted(target)) bigint NOT NULL"]
            for order in [order, sourceOrder] { if let order { lines.append("\(quoted(order)) bigint") } }
            lines.append("PRIMARY KEY (\(quoted(source)), \(quoted(target)))")
            let index = PostgreSQLName.fitting("\(table)_\(target)_idx")
            return Join(
                creation: Part(kind: .table, name: table, sql: Self.create(table, lines)),
                foreignKeys: [
                    Self.foreignKey(table, source, to: own, onDelete: "CASCADE"),
                    Self.foreignKey(table, target, to: far, onDelete: "CASCADE"),
                ],
                index: Part(
                    kind: .index, name: index,
                    sql: "CREATE INDEX \(quoted(index)) ON \(quoted(table)) (\(quoted(target)), \(quoted(source)))"))
        }
    }

    // MARK: Uniqueness and indexes

    /// A uniqueness constraint of the model, and its name in the database.
    package struct Constraint {
        package let name: String
        package let entity: EntityLayout
        /// The attributes and relationships, and the columns of each: several for a composite attribute.
        package let properties: [String]
        package let columns: [[String]]
    }

    /// Returns the uniqueness constraints of an entity's own.
    package func uniqueness(of layout: EntityLayout) throws -> [Constraint] {
        let table = try tables.columns(of: layout).table
        return layout.traits.constraintPaths.compactMap { paths in
            let columns = paths.map { self.columns(at: $0, in: layout) }
            guard !paths.isEmpty, columns.allSatisfy({ !$0.isEmpty }) else { return nil }
            let name = PostgreSQLName.fitting("\(table)_\(columns.flatMap { $0 }.joined(separator: "_"))_key")
            return Constraint(name: name, entity: layout, properties: paths, columns: columns)
        }
    }

    private func constraints(of root: EntityLayout) throws -> [Part] {
        let table = quoted(try tables.columns(of: root).table)
        var seen: Set<String> = []
        return try family(of: root).flatMap { try uniqueness(of: $0) }.compactMap { constraint in
            guard seen.insert(constraint.name).inserted else { return nil }
            let wholes = constraint.columns.filter { $0.count > 1 }
            guard !wholes.isEmpty else {
                let columns = constraint.columns.flatMap { $0 }.map(quoted).joined(separator: ", ")
                return Part(
                    kind: .unique, name: constraint.name,
                    sql: "ALTER TABLE \(table) ADD CONSTRAINT \(quoted(constraint.name)) UNIQUE (\(columns)) "
                        + "DEFERRABLE INITIALLY DEFERRED")
            }
            // Composites are equal if their elements are, nil being equal to nil; one without any element is no value.
            let terms = constraint.columns.flatMap { columns in
                columns.count == 1
                    ? [quoted(columns[0])]
                    : columns.flatMap { ["coalesce(\(quoted($0))::text, '')", "(\(quoted($0)) IS NULL)"] }
            }
            let presence = wholes.map { whole in
                "(" + whole.map { "\(quoted($0)) IS NOT NULL" }.joined(separator: " OR ") + ")"
            }
            return Part(
                kind: .unique, name: constraint.name,
                sql: "CREATE UNIQUE INDEX \(quoted(constraint.name)) ON \(table) (\(terms.joined(separator: ", "))) "
                    + "WHERE \(presence.joined(separator: " AND "))")
        }
    }

    private func indexes(of root: EntityLayout) throws -> [Part] {
        let table = try tables.columns(of: root).table
        var parts: [Part] = []
        var seen: Set<String> = []
        func add(_ columns: [(name: String, isAscending: Bool)], condition: String? = nil, as name: String) {
            let terms = columns.map { "\(quoted($0.name))\($0.isAscending ? " NULLS FIRST" : " DESC NULLS LAST")" }
            let definition = "(\(terms.joined(separator: ", ")))\(condition.map { " WHERE \($0)" } ?? "")"
            guard seen.insert(definition).inserted else { return }
            var name = PostgreSQLName.fitting("\(table)_\(name)_idx")
            var number = 1
            while parts.contains(where: { $0.name == name }) {
                number += 1
                name = PostgreSQLName.fitting("\(table)_\(name)_\(number)_idx")
            }
            parts.append(
                Part(kind: .index, name: name, sql: "CREATE INDEX \(quoted(name)) ON \(quoted(table)) \(definition)"))
        }
        for layout in family(of: root) {
            let columns = try tables.columns(of: layout)
            for (cell, place) in zip(layout.ownCells, columns.own) where cell.kind == .reference {
                if let column = place.column { add([(column, true)], as: column) }
            }
        }
        for (column, _) in ownedColumns(in: table) { add([(column, true)], as: column) }
        if root.familyNumbers.count > 1 { add([("entity", true)], as: "entity") }
        for layout in family(of: root) {
            for index in declared(by: layout) {
                add(index.columns, condition: index.condition, as: PostgreSQLName.snakeCase(index.name))
            }
        }
        return parts
    }

    private struct DeclaredIndex {
        let name: String
        let columns: [(name: String, isAscending: Bool)]
        var condition: String?
    }

    private func declared(by layout: EntityLayout) -> [DeclaredIndex] {
        var indexes = layout.traits.declaredIndexes.compactMap { index -> DeclaredIndex? in
            var columns: [(name: String, isAscending: Bool)] = []
            for element in index.elements where !element.isSpatial {
                let found = self.columns(of: element, in: layout)
                if found.isEmpty { return nil }
                columns += found.map { ($0, element.isAscending) }
            }
            // Without SQL for its condition, a full index serves as well.
            return columns.isEmpty ? nil : DeclaredIndex(name: index.name, columns: columns)
        }
        for cell in layout.ownCells where cell.traits.isSuperset(of: [.attribute, .indexed]) {
            indexes.append(DeclaredIndex(name: cell.name, columns: columns(at: cell.path, in: layout).map { ($0, true) }))
        }
        for paths in layout.traits.compoundIndexPaths {
            let columns = paths.map { self.columns(at: $0, in: layout) }
            guard columns.allSatisfy({ !$0.isEmpty }) else { continue }
            indexes.append(
                DeclaredIndex(name: paths.joined(separator: "_"), columns: columns.flatMap { $0 }.map { ($0, true) }))
        }
        return indexes.filter { !$0.columns.isEmpty }
    }

    private func columns(of element: IndexTraits.Element, in layout: EntityLayout) -> [String] {
        switch element.subject {
        case .expression("SELF", _), .expression("self", _): ["id"]
        case .expression("entity", _): layout.root.familyNumbers.count > 1 ? ["entity"] : []
        case .expression(let path, _), .attribute(let path), .relationship(let path): columns(at: path, in: layout)
        }
    }

    /// Returns the columns of an attribute, a to-one relationship, or the elements of a composite; empty if there are none.
    private func columns(at path: String, in layout: EntityLayout) -> [String] {
        guard let columns = try? tables.columns(of: layout) else { return [] }
        if case .cell(let index)? = layout.members[path] { return columns[index].column.map { [$0] } ?? [] }
        let found = layout.elements(at: path).map { columns[$0.index].column }
        return found.contains(nil) ? [] : found.compactMap { $0 }
    }
}
