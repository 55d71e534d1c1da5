import CoreDataRowStorage
import PredicateFormat

/// Key paths and collection operators.
extension SQLCompiler {
    /// Follows a path without collection operators.
    func walk(_ keys: [String], from start: QueryScope.Place) throws -> Operand {
        var place = start
        for (index, key) in keys.enumerated() {
            guard let (owner, member) = find(key, in: place.layout) else {
                switch key {
                case "self", "SELF", "objectID": continue
                case "entity" where index == keys.count - 1:
                    return .entity(try entity(of: place))
                default: throw UnsupportedQuery.keyPath(keys.joined(separator: "."), in: start.layout)
                }
            }
            let rest = Array(keys[(index + 1)...])
            switch member {
            case .cell(let cell):
                let column = try columns(key, cell, of: owner, at: place, path: keys, start.layout)
                guard owner.cells[cell].kind == .reference else {
                    return try value(column, owner.cells[cell], owner, rest: rest, path: keys, start.layout)
                }
                let relationship = owner.relationships[owner.cells[cell].relationshipIndex]
                guard let destination = tables.layouts.byNumber[relationship.destinationNumber] else {
                    throw UnsupportedQuery.keyPath(keys.joined(separator: "."), in: start.layout)
                }
                place = QueryScope.Place(place.scope, destination, key: column)
            case .composite(_, let cells):
                return try element(key, rest, of: owner, cells, at: place, path: keys, start.layout)
            case .toMany(let number):
                let relationship = owner.relationships[number]
                guard let columns = tables.columns(of: relationship, in: owner),
                    let destination = tables.layouts.byNumber[relationship.destinationNumber]
                else {
                    let path = keys.joined(separator: ".")
                    let isKept = !relationship.isTransient
                    throw isKept
                        ? UnsupportedQuery.keyPath(path, in: start.layout)
                        : UnsupportedQuery.transient(key, path, in: start.layout)
                }
                guard siblings(key, of: owner, in: place.layout).isEmpty else {
                    throw UnsupportedQuery.severalProperties(key, keys.joined(separator: "."), in: place.layout)
                }
                return .toMany(
                    ToManyOperand(
                        source: place.key, scope: place.scope, columns: columns, destination: destination, suffix: rest,
                        text: keys.joined(separator: ".")))
            case .fetched: throw UnsupportedQuery.keyPath(keys.joined(separator: "."), in: start.layout)
            }
        }
        return .object(place)
    }

    /// Returns the SQL of an object's entity.
    func entity(of place: QueryScope.Place) throws -> SQLFragment {
        try dialect.entity(of: place.layout, key: place.key, tables) {
            try place.scope.alias(of: place, compiler: self)
        }
    }

    /// Returns a property of an entity or of a subentity, which shares the table.
    private func find(_ key: String, in layout: EntityLayout) -> (EntityLayout, EntityLayout.Member)? {
        if let member = layout.members[key] { return (layout, member) }
        for number in layout.familyNumbers {
            if let below = tables.layouts.byNumber[number], let member = below.members[key] { return (below, member) }
        }
        return nil
    }

    /// Returns the other subentities of an entity that declare a property of that name, if the entity has none itself.
    func siblings(
        _ key: String, of owner: EntityLayout, in layout: EntityLayout
    ) -> [(EntityLayout, EntityLayout.Member)] {
        guard layout.members[key] == nil else { return [] }
        // Subentities of the owner inherit its property.
        let family = owner.familyNumbers
        return layout.familyNumbers.compactMap { number in
            guard number != owner.number, !family.contains(number), let below = tables.layouts.byNumber[number],
                let member = below.members[key]
            else { return nil }
            return (below, member)
        }
    }

    /// Returns the SQL of a property. If several subentities declare a property of that name, a row has a value in at most
    /// one of their columns.
    func columns(
        _ key: String, _ cell: Int, of owner: EntityLayout, at place: QueryScope.Place, path: [String],
        _ start: EntityLayout
    ) throws -> SQLFragment {
        let first = try columnSQL(cell, of: owner, at: place, path: path, start)
        var all = [first]
        for (other, member) in siblings(key, of: owner, in: place.layout) {
            guard let otherCell = Self.counterpart(of: owner.cells[cell], other, member),
                try haveSameType(owner.cells[cell], owner, other.cells[otherCell], other)
            else { throw UnsupportedQuery.severalProperties(key, path.joined(separator: "."), in: place.layout) }
            let column = try columnSQL(otherCell, of: other, at: place, path: path, start)
            if !all.contains(column) { all.append(column) }
        }
        return all.count == 1 ? first : "COALESCE(\(all.joined(separator: ", ")))"
    }

    private func haveSameType(
        _ one: EntityLayout.Cell, _ owner: EntityLayout, _ other: EntityLayout.Cell, _ otherOwner: EntityLayout
    ) throws -> Bool {
        guard one.kind == .reference, other.kind == .reference else {
            let places = (
                try tables.columns(of: owner).cells[one.index], try tables.columns(of: otherOwner).cells[other.index]
            )
            return ConditionType(one.kind) == ConditionType(other.kind)
                && places.0.isInSeconds == places.1.isInSeconds
        }
        return owner.relationships[one.relationshipIndex].destinationNumber
            == otherOwner.relationships[other.relationshipIndex].destinationNumber
    }

    private func columnSQL(
        _ cell: Int, of owner: EntityLayout, at place: QueryScope.Place, path: [String], _ start: EntityLayout
    ) throws -> SQLFragment {
        guard let column = try tables.columns(of: owner).cells[cell].column else {
            let name = owner.cells[cell].name
            guard owner.cells[cell].isTransient else {
                throw UnsupportedQuery.keyPath(path.joined(separator: "."), in: start)
            }
            throw UnsupportedQuery.transient(name, path.joined(separator: "."), in: start)
        }
        return "\(raw: try place.scope.alias(of: place, compiler: self)).\(name(column))"
    }

    func value(
        _ sql: SQLFragment, _ cell: EntityLayout.Cell, _ owner: EntityLayout, rest: [String], path: [String],
        _ start: EntityLayout
    ) throws -> Operand {
        if rest == ["length"], cell.kind == .string {
            return .value(try dialect.function(.length, sql, ValueType(cell)), .of(.int64))
        }
        guard rest.isEmpty else { throw UnsupportedQuery.keyPath(path.joined(separator: "."), in: start) }
        return .value(sql, ValueType(cell, try tables.columns(of: owner).cells[cell.index]))
    }

    // MARK: Bases

    package func path(_ keys: [String], of base: ExpressionNode, _ scope: QueryScope) throws -> Operand {
        if let split = keys.firstIndex(where: { $0.hasPrefix("@") }) {
            let head = try path(Array(keys[..<split]), of: base, scope)
            return try collectionOperator(keys[split], tail: Array(keys[(split + 1)...]), head, keys)
        }
        switch base {
        case .evaluatedObject:
            if let names { return try names(keys) }
            if keys.count == 1, let computed = computedColumns[keys[0]] { return .value(computed.sql, computed.type) }
            return try walk(keys, from: scope.root.place)
        case .variable(let name): return try walk(keys, from: variable(name, scope).place)
        case .subquery:
            guard case .toMany(let toMany) = try operand(base, scope), toMany.suffix.isEmpty else {
                throw UnsupportedQuery.expression(keys.joined(separator: "."), kind: "subquery expression")
            }
            guard !keys.isEmpty else { return .toMany(toMany) }
            var longer = ToManyOperand(
                source: toMany.source, scope: toMany.scope, columns: toMany.columns, destination: toMany.destination,
                suffix: keys, text: toMany.text)
            longer.filter = toMany.filter
            return .toMany(longer)
        default: throw UnsupportedQuery.expression(keys.joined(separator: "."), kind: "key path expression")
        }
    }

    func variable(_ name: String, _ scope: QueryScope) throws -> QueryScope {
        var current: QueryScope? = scope
        while let candidate = current {
            if candidate.variable == name { return candidate }
            current = candidate.parent
        }
        throw UnsupportedQuery.variable(name)
    }

    // MARK: Collection operators

    private func collectionOperator(
        _ name: String, tail: [String], _ head: Operand, _ keys: [String]
    ) throws -> Operand {
        let text = keys.joined(separator: ".")
        guard case .toMany(let toMany) = head else {
            throw UnsupportedQuery.make("\(name) needs a to-many relationship before it: \(text)")
        }
        let function: PredicateFunction? =
            switch name {
            case "@count": .count
            case "@sum": .sum
            case "@min": .min
            case "@max": .max
            case "@avg": .average
            default: nil
            }
        guard let function, (function == .count) == tail.isEmpty else {
            throw UnsupportedQuery.make("Unsupported collection operator \(name) in \(text)")
        }
        var longer = ToManyOperand(
            source: toMany.source, scope: toMany.scope, columns: toMany.columns, destination: toMany.destination,
            suffix: toMany.suffix + tail, text: text)
        longer.filter = toMany.filter
        return try aggregate(function, of: longer)
    }
}
