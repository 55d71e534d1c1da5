import Foundation
import ModelFormat

/// The tables of many-to-many relationships.
struct JoinTables {
    /// A table, and the root entity behind which a new file has it.
    struct Entry {
        var table: JoinTable
        var root: Int
        var first: RelationshipOutline
        var second: RelationshipOutline
    }

    private(set) var entries: [Entry] = []

    /// Names the tables of an outline with entity numbers, and assigns them to the relationships.
    ///
    /// - Parameter columns: the tables of an existing file, with their columns.
    init(_ outline: ModelOutline, columns: [String: [String]]?) {
        var naming = UniqueNames()
        var pairs: [(own: RelationshipOutline, other: RelationshipOutline)] = []
        for entity in outline.entities where !entity.toManys.isEmpty {
            for relationship in entity.toManys.sorted(byText: \.name, .literal) {
                guard let inverse = relationship.inverse, inverse.isToMany,
                    // If both sides are transient, there is nothing to store.
                    !relationship.isTransient || !inverse.isTransient
                else { continue }
                pairs.append((relationship, inverse))
                relationship.joinColumn = naming.unique("Z_\(entity.number)\(inverse.name.uppercased())")
            }
        }
        let file = columns.map(ExistingTables.init)
        for (own, other) in pairs where Self.namesTable(own, over: other) {
            add(own, other)
            if let file { adapt(entries.count - 1, to: file) }
        }
        for entry in entries { assign(entry) }
    }

    private func assign(_ entry: Entry) {
        let table = entry.table
        if entry.first.joinPlace == nil {
            entry.first.joinPlace = .join(
                table: table.name, source: table.first.column, target: table.second.column, order: table.second.order)
        }
        if entry.second.joinPlace == nil {
            entry.second.joinPlace = .join(
                table: table.name, source: table.second.column, target: table.first.column, order: table.first.order)
        }
    }

    /// Returns true if the table is named after the first side: the side with subentities if the other has none, else the
    /// lower number.
    ///
    /// Between two relationships of one entity, Apple's files show no rule: an existing file shows which one it is.
    private static func namesTable(_ own: RelationshipOutline, over other: RelationshipOutline) -> Bool {
        if own.owner === other.owner { return own === other || literallyPrecedes(other.name, own.name) }
        if own.owner.hasSubentities != other.owner.hasSubentities { return own.owner.hasSubentities }
        return own.owner.index < other.owner.index
    }

    private mutating func add(_ own: RelationshipOutline, _ other: RelationshipOutline) {
        let isReflexive = own === other
        let secondColumn = isReflexive ? "REFLEXIVE" : other.joinColumn
        func order(_ relationship: RelationshipOutline, _ column: String) -> String? {
            relationship.isOrdered && !relationship.isTransient ? Self.orderColumn(of: column) : nil
        }
        var table = JoinTable(
            name: Self.tableName(own),
            first: JoinTable.Side(
                entity: own.owner.number, relationship: own.name, column: own.joinColumn,
                order: isReflexive ? nil : order(other, own.joinColumn)),
            second: JoinTable.Side(
                entity: other.owner.number, relationship: other.name, column: secondColumn,
                order: order(own, secondColumn)),
            isReflexive: isReflexive, columns: [], sql: "")
        table.describe()
        entries.append(Entry(table: table, root: own.owner.root.number, first: own, second: other))
    }

    private static func tableName(_ side: RelationshipOutline) -> String {
        "Z_\(side.owner.number)\(side.name.uppercased())"
    }

    static func orderColumn(of column: String) -> String {
        "Z_FOK_" + (column.hasPrefix("Z_") ? String(column.dropFirst(2)) : column)
    }

    /// Adopts the names in an existing file: either side can name the table, and the numbers behind equal names of columns
    /// can be assigned in another order. A table or column that the file lacks keeps its name.
    private mutating func adapt(_ index: Int, to file: ExistingTables) {
        var entry = entries[index]
        var found = file[entry.table.name]
        if found == nil, !entry.table.isReflexive, let other = file[Self.tableName(entry.second)] {
            found = other
            swap(&entry.first, &entry.second)
            swap(&entry.table.first, &entry.table.second)
        }
        guard let found else { return }
        entry.table.name = found.name
        entry.table.adopt(found.columns)
        entry.table.describe()
        entries[index] = entry
    }
}

/// The tables of a file, by upper-case name.
private struct ExistingTables {
    private var byName: [String: (name: String, columns: [String])] = [:]

    init(_ columns: [String: [String]]) {
        for (name, columns) in columns { byName[name.uppercased()] = (name, columns) }
    }

    subscript(name: String) -> (name: String, columns: [String])? { byName[name.uppercased()] }
}

extension JoinTable {
    /// Sets the columns and the statement.
    fileprivate mutating func describe() {
        columns = ([first.column, second.column] + [first.order, second.order].compactMap { $0 }).map {
            StoreColumn(name: $0, declaredType: "INTEGER")
        }
        let declared = columns.map { "\(SchemaName.quoted($0.name)) INTEGER" }.joined(separator: ", ")
        let keys = "\(SchemaName.quoted(first.column)), \(SchemaName.quoted(second.column))"
        sql = "CREATE TABLE \(SchemaName.quoted(name)) ( \(declared), PRIMARY KEY (\(keys)) )"
    }

    /// Adopts the names of a file's columns.
    fileprivate mutating func adopt(_ found: [String]) {
        let keys = Array(found.filter { !$0.uppercased().hasPrefix("Z_FOK_") }.prefix(2))
        guard keys.count == 2, let place = placeOfFirst(in: keys) else { return }
        let orders = found.filter { $0.uppercased().hasPrefix("Z_FOK_") }
        first.order = Self.order(of: keys[place], among: orders, expected: first.order)
        second.order = Self.order(of: keys[1 - place], among: orders, expected: second.order)
        first.column = keys[place]
        second.column = keys[1 - place]
    }

    /// Returns the position of the first side's column: by name, by the name without the numbers behind it, by the entity
    /// number, by the relationship.
    private func placeOfFirst(in keys: [String]) -> Int? {
        let keys = keys.map { $0.uppercased() }
        let bases = [first.column, second.column].map { $0.uppercased().withoutDigitsAtEnd }
        if let place = keys.firstIndex(of: first.column.uppercased()) { return place }
        if let place = keys.firstIndex(of: second.column.uppercased()) { return 1 - place }
        if let place = keys.firstIndex(where: { $0.withoutDigitsAtEnd == bases[0] }) { return place }
        if let place = keys.firstIndex(where: { $0.withoutDigitsAtEnd == bases[1] }) { return 1 - place }
        if let place = keys.firstIndex(where: { Self.number(in: $0) == first.entity }) { return place }
        return keys.firstIndex { Self.relationship(in: $0) == Self.relationship(in: first.column.uppercased()) }
    }

    private static func order(of column: String, among orders: [String], expected: String?) -> String? {
        guard let expected else { return nil }
        let own = JoinTables.orderColumn(of: column)
        return orders.first { $0.caseInsensitiveCompare(own) == .orderedSame }
            ?? orders.first { $0.caseInsensitiveCompare(expected) == .orderedSame }
            ?? (orders.count == 1 ? orders[0] : own)
    }

    /// Returns the relationship in a column's name, without the numbers around it.
    private static func relationship(in column: String) -> String {
        String(column.dropFirst(2).drop { $0.isNumber }).withoutDigitsAtEnd
    }

    /// Returns the entity number in a column's name.
    private static func number(in column: String) -> Int? { Int(column.dropFirst(2).prefix { $0.isNumber }) }
}

extension String {
    fileprivate var withoutDigitsAtEnd: String {
        var text = self[...]
        while text.last?.isNumber == true { text.removeLast() }
        return String(text)
    }
}
