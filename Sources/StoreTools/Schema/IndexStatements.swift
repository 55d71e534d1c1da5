import Foundation
import ModelFormat

/// The indexes of a model's tables.
struct IndexStatements {
    /// The indexes in Core Data's order.
    private(set) var all: [SchemaStatement] = []
    /// Partial indexes with a condition that has no SQL form here.
    private(set) var omitted: [String] = []

    init(_ outline: ModelOutline, _ tables: TableColumns, _ joins: JoinTables) {
        let joinsByRoot = [Int: [JoinTables.Entry]](grouping: joins.entries, by: \.root)
        for (table, root) in zip(tables.tables, outline.entities.lazy.filter(\.isRoot)) {
            let family = outline.family(of: root)
            addAutomatic(table, family, owned: tables.ownerColumns[table.name] ?? [])
            for join in joinsByRoot[table.root] ?? [] { add(join.table) }
            for entity in family { addFetchIndexes(of: entity) }
            for entity in family { addConstraints(of: entity) }
        }
    }

    private mutating func add(
        _ name: String, on table: String, _ columns: String, isUnique: Bool = false, condition: String? = nil
    ) {
        all.append(
            SchemaStatement(
                name: name, table: table,
                sql:
                    "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SchemaName.quoted(name)) ON \(SchemaName.quoted(table)) "
                    + "(\(columns))" + (condition.map { " WHERE \($0)" } ?? "")))
    }

    // MARK: Automatic indexes

    private mutating func addAutomatic(_ table: EntityTable, _ family: ArraySlice<EntityOutline>, owned: [String]) {
        var keys = Set(owned)
        for entity in family {
            for cell in entity.cells where cell.kind == .reference {
                if let column = cell.column { keys.insert(column) }
            }
        }
        for column in table.columns where keys.contains(column.name) {
            add("\(table.name)_\(column.name)_INDEX", on: table.name, column.name)
        }
        if family.count > 1 { add("\(table.name)_Z_ENT_INDEX", on: table.name, "Z_ENT") }
    }

    private mutating func add(_ join: JoinTable) {
        add(
            "\(join.name)_\(join.second.column)_INDEX", on: join.name,
            "\(SchemaName.quoted(join.second.column)), \(SchemaName.quoted(join.first.column))")
    }

    // MARK: Fetch indexes

    /// Adds the indexes that an entity declares. An attribute with the older "indexed" flag, which Apple's model compiler
    /// also sets for every plain one-attribute index, has another index named after it, and so have the older compound
    /// indexes.
    private mutating func addFetchIndexes(of entity: EntityOutline) {
        let declared = entity.declaredIndexes
        let statements = declared.compactMap { statement($0, of: entity) }
        let names = Set(statements.map(\.name))
        let plain = Set(
            declared.compactMap { index in
                index.elements.count == 1 && index.condition == nil && index.elements[0].isAscending
                    && !index.elements[0].isSpatial ? index.elements[0].name : nil
            })
        for cell in entity.cells where !cell.isElement {
            guard let attribute = cell.attribute, attribute.isIndexed || plain.contains(cell.name),
                let column = cell.column
            else { continue }
            let name = "Z_\(entity.name)_\(cell.name)"
            if !names.contains(name) { add(name, on: entity.table, "\(column) COLLATE BINARY ASC") }
        }
        for index in statements { add(index.name, on: entity.table, index.columns, condition: index.condition) }
        // Compiled models also list a declared index of several elements among the older ones.
        let mirrored = Set(declared.map { $0.elements.map(\.name) })
        for properties in entity.entity.compoundIndexes where !mirrored.contains(properties) {
            let parts = properties.map(entity.columns(at:))
            let name = "Z_\(entity.name)_\(properties.joined(separator: "_"))"
            guard !parts.isEmpty, parts.allSatisfy({ !$0.isEmpty }), !names.contains(name) else { continue }
            add(name, on: entity.table, parts.joined().map { "\($0) COLLATE BINARY ASC" }.joined(separator: ", "))
        }
    }

    private typealias Parts = (name: String, columns: String, condition: String?)

    /// Returns the parts of a declared index; nil for an index of a relationship alone, and for a spatial one.
    private mutating func statement(_ index: DeclaredIndex, of entity: EntityOutline) -> Parts? {
        if index.elements.count == 1, index.elements[0].isRelationship { return nil }
        var columns: [String] = []
        for element in index.elements where !element.isSpatial {
            let found = element.columns(in: entity)
            if found.isEmpty { return nil }
            columns += found.map { "\($0) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")" }
        }
        guard !columns.isEmpty else { return nil }
        let name = "Z_\(entity.name)_\(index.name)"
        var condition: String?
        if let predicate = index.condition {
            guard let sql = IndexCondition.sql(predicate, of: entity) else {
                omitted.append("The index \(name): its condition “\(predicate)” has no SQL form here.")
                return nil
            }
            condition = sql
        }
        return (name, columns.joined(separator: ", "), condition)
    }

    // MARK: Uniqueness constraints

    private mutating func addConstraints(of entity: EntityOutline) {
        for constraint in entity.constraints {
            add(
                constraint.name, on: entity.table,
                constraint.terms.map { "\($0) COLLATE BINARY ASC" }.joined(separator: ", "), isUnique: true,
                condition: constraint.condition)
        }
    }
}

/// A uniqueness constraint that an entity declares.
struct UniqueConstraint {
    /// The name of the index.
    var name: String
    var columns: [String]
    /// The columns of each composite attribute that is constrained as a whole. Two of its values are equal if their elements
    /// are, where nil equals nil; a composite without any element counts as no value.
    private var wholes: [[String]]

    static func all(of entity: EntityOutline) -> [UniqueConstraint] {
        entity.entity.uniquenessConstraints.compactMap { paths in
            let parts = paths.map(entity.columns(at:))
            guard !paths.isEmpty, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
            let label = paths.joined(separator: "_").withoutDots
            return UniqueConstraint(
                name: "Z_\(entity.name)_UNIQUE_\(label)", columns: Array(parts.joined()),
                wholes: parts.filter { $0.count > 1 })
        }
    }

    /// The indexed terms.
    var terms: [String] {
        columns.flatMap { column in
            wholes.contains { $0.contains(column) } ? ["IFNULL(\(column), 0)", "(\(column) IS NULL)"] : [column]
        }
    }

    /// The condition of the index.
    var condition: String? {
        guard !wholes.isEmpty else { return nil }
        return wholes.map { "(\($0.map { "\($0) IS NOT NULL" }.joined(separator: " OR ")))" }.joined(separator: " AND ")
    }
}
