import CoreDataRowStorage
import PredicateFormat

// Uniqueness constraints and indexes.

extension PostgreSQLSchema {
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
            guard !paths.isEmpty, let name = constraintNames[ConstraintKey(table: table, columns: columns)]
            else { return nil }
            return Constraint(name: name, entity: layout, properties: paths, columns: columns)
        }
    }

    func constraints(of root: EntityLayout) throws -> [Part] {
        let name = try tables.columns(of: root).table
        let table = quoted(name)
        let kinds = try self.kinds(of: root)
        var seen: Set<String> = []
        return try family(of: root).flatMap { try uniqueness(of: $0) }.compactMap { constraint in
            guard seen.insert(constraint.name).inserted else { return nil }
            let wholes = constraint.columns.filter { $0.count > 1 }
            guard !wholes.isEmpty else {
                let columns = constraint.columns.flatMap { $0 }.map(quoted).joined(separator: ", ")
                return Part(
                    kind: .unique, name: constraint.name,
                    sql: "ALTER TABLE \(table) ADD CONSTRAINT \(quoted(constraint.name)) UNIQUE (\(columns)) "
                        + "DEFERRABLE INITIALLY DEFERRED",
                    shape: Shape(table: name, columns: constraint.columns.flatMap { $0 }, rest: "unique"))
            }
            // Composites are equal if their elements are, nil being equal to nil; one without any element is no value.
            let terms = constraint.columns.flatMap { columns in
                columns.count == 1
                    ? [quoted(columns[0])]
                    : columns.flatMap { ["coalesce(\(quoted($0)), \(standIn(kinds[$0])))", "(\(quoted($0)) IS NULL)"] }
            }
            let presence = wholes.map { whole in
                "(" + whole.map { "\(quoted($0)) IS NOT NULL" }.joined(separator: " OR ") + ")"
            }
            return Part(
                kind: .unique, name: constraint.name,
                sql: "CREATE UNIQUE INDEX \(quoted(constraint.name)) ON \(table) (\(terms.joined(separator: ", "))) "
                    + "WHERE \(presence.joined(separator: " AND "))",
                shape: Shape(
                    table: name, columns: constraint.columns.flatMap { $0 },
                    rest: constraint.columns.map { $0.map { standIn(kinds[$0]) }.joined(separator: ",") }
                        .joined(separator: ";")))
        }
    }

    /// Returns the kinds of values in the columns of a hierarchy.
    private func kinds(of root: EntityLayout) throws -> [String: CellKind] {
        var kinds: [String: CellKind] = [:]
        for layout in family(of: root) {
            for (cell, place) in zip(layout.ownCells, try tables.columns(of: layout).own) {
                if let column = place.column { kinds[column] = place.isInSeconds ? .double : cell.kind }
            }
        }
        return kinds
    }

    /// Returns a constant of a kind, which takes the place of nil in indexes: their expressions must be immutable, as
    /// conversions to text are not.
    private func standIn(_ kind: CellKind?) -> String {
        switch kind {
        case .boolean: "false"
        case .string, .uri: "''"
        case .date: "timestamptz '2001-01-01 00:00:00+00'"
        case .uuid: "uuid '00000000-0000-0000-0000-000000000000'"
        case .data, .transformable: "bytea ''"
        default: "0"
        }
    }

    func indexes(of root: EntityLayout, _ names: inout PostgreSQLNames) throws -> [Part] {
        let table = try tables.columns(of: root).table
        var parts: [Part] = []
        var seen: Set<String> = []
        func add(_ columns: [(name: String, isAscending: Bool)], condition: String? = nil, as name: String) {
            let terms = columns.map { "\(quoted($0.name))\($0.isAscending ? " NULLS FIRST" : " DESC NULLS LAST")" }
            let definition = "(\(terms.joined(separator: ", ")))\(condition.map { " WHERE \($0)" } ?? "")"
            guard seen.insert(definition).inserted else { return }
            let name = names.relation("\(name)_idx", of: table)
            parts.append(
                Part(
                    kind: .index, name: name, sql: "CREATE INDEX \(quoted(name)) ON \(quoted(table)) \(definition)",
                    shape: Shape(
                        table: table, columns: columns.map(\.name), condition: condition,
                        rest: columns.map { $0.isAscending ? "a" : "d" }.joined())))
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
            guard !columns.isEmpty, let table = try? tables.columns(of: layout) else { return nil }
            let condition = index.condition.flatMap { PostgreSQLIndexCondition(layout: layout, columns: table).sql($0) }
            return DeclaredIndex(name: index.name, columns: columns, condition: condition)
        }
        for cell in layout.ownCells where cell.traits.isSuperset(of: [.attribute, .indexed]) {
            indexes.append(
                DeclaredIndex(name: cell.name, columns: columns(at: cell.path, in: layout).map { ($0, true) }))
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
    func columns(at path: String, in layout: EntityLayout) -> [String] {
        guard let columns = try? tables.columns(of: layout) else { return [] }
        if case .cell(let index)? = layout.members[path] { return columns[index].column.map { [$0] } ?? [] }
        let found = layout.elements(at: path).map { columns[$0.index].column }
        return found.contains(nil) ? [] : found.compactMap { $0 }
    }
}
