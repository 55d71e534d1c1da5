import PredicateFormat

/// The operators of comparisons.
extension SQLCompiler {
    func compare(
        _ left: Operand, _ comparison: ComparisonOperator, _ right: Operand, _ options: StringComparisonOptions,
        _ node: ComparisonNode
    ) throws -> String {
        switch comparison {
        case .equalTo, .notEqualTo: return try equality(left, comparison, right, options, node)
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            return try objectOrder(left, comparison, right) ?? ordering(left, comparison, right, options)
        case .between: return try between(left, right, node)
        case .in: return try membership(of: left, in: right, options, node)
        case .contains:
            switch left {
            case .toMany, .list: return try membership(of: right, in: left, options, node)
            case .constant(let constant) where constant.kind == .collection:
                return try membership(of: right, in: left, options, node)
            default: return try match(left, comparison, right, options, node)
            }
        case .beginsWith, .endsWith, .like, .matches: return try match(left, comparison, right, options, node)
        case .customSelector: throw SQLUnsupported.selector(.comparison(node))
        }
    }

    private static func symbol(_ comparison: ComparisonOperator) -> String {
        switch comparison {
        case .equalTo: "="
        case .notEqualTo: "<>"
        default: comparison.symbol
        }
    }

    private func isNull(_ operand: Operand) -> Bool {
        if case .constant(let constant) = operand { return constant.kind == .null }
        return false
    }

    // MARK: Equality and order

    private func equality(
        _ left: Operand, _ comparison: ComparisonOperator, _ right: Operand, _ options: StringComparisonOptions,
        _ node: ComparisonNode
    ) throws -> String {
        let isEqual = comparison == .equalTo
        if isNull(left) { return try nullTest(right, isEqual) }
        if isNull(right) { return try nullTest(left, isEqual) }
        switch (left, right) {
        case (.object(let place), .constant(let constant)), (.constant(let constant), .object(let place)):
            guard constant.kind == .object else { throw SQLUnsupported.predicate(.comparison(node)) }
            let key = parameter(constant.slot, .key(root: place.layout.root.number))
            return "\(place.key) \(Self.symbol(comparison)) \(key)"
        case (.object(let a), .object(let b)): return "\(a.key) \(Self.symbol(comparison)) \(b.key)"
        case (.entity(let sql), .constant(let constant)), (.constant(let constant), .entity(let sql)):
            return "\(sql) \(Self.symbol(comparison)) \(parameter(constant.slot, .entity))"
        case (.toMany(let toMany), _), (_, .toMany(let toMany)): throw SQLUnsupported.toManyKey(toMany.text)
        default: return try ordering(left, comparison, right, options)
        }
    }

    private func nullTest(_ operand: Operand, _ isEqual: Bool) throws -> String {
        switch operand {
        case .toMany(let toMany):
            let query = try select("1", from: toMany) { _ in nil }
            return isEqual ? "NOT EXISTS (\(query))" : "EXISTS (\(query))"
        case .constant(let constant): return (constant.kind == .null) == isEqual ? "1 = 1" : "1 = 0"
        default: return "\(try sql(operand, as: .unknown)) IS \(isEqual ? "" : "NOT ")NULL"
        }
    }

    /// The order of two objects, which is that of their keys; nil where not both sides are objects.
    private func objectOrder(_ left: Operand, _ comparison: ComparisonOperator, _ right: Operand) -> String? {
        if case .object(let a) = left, case .object(let b) = right {
            // Keys of several hierarchies have nothing to do with each other.
            guard a.layout.root === b.layout.root else { return "1 = 0" }
            return "\(a.key) \(Self.symbol(comparison)) \(b.key)"
        }
        if case .object(let place) = left, case .constant(let constant) = right, constant.kind == .object {
            return "\(place.key) \(Self.symbol(comparison)) \(keyInOrder(constant, place))"
        }
        if case .constant(let constant) = left, constant.kind == .object, case .object(let place) = right {
            return "\(keyInOrder(constant, place)) \(Self.symbol(comparison)) \(place.key)"
        }
        return nil
    }

    private func keyInOrder(_ constant: NumberedConstant, _ place: QueryScope.Place) -> String {
        parameter(constant.slot, .keyInOrder(root: place.layout.root.number))
    }

    private func ordering(
        _ left: Operand, _ comparison: ComparisonOperator, _ right: Operand, _ options: StringComparisonOptions
    ) throws -> String {
        if !options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive, .localeSensitive]),
            !options.contains(.normalized), isText(left) || isText(right)
        {
            return try stringMatch(left, comparison, right, options)
        }
        let type = commonType(left, right)
        return "\(try sql(left, as: type)) \(Self.symbol(comparison)) \(try sql(right, as: type))"
    }

    private func isText(_ operand: Operand) -> Bool {
        if case .constant(let constant) = operand { return constant.kind == .text || constant.kind == .emptyText }
        return type(of: operand).kind == .string || type(of: operand).kind == .uri
    }

    private func between(_ left: Operand, _ right: Operand, _ node: ComparisonNode) throws -> String {
        let type = type(of: left)
        let value = try sql(left, as: type)
        switch right {
        case .list(let bounds) where bounds.count == 2:
            return "\(value) BETWEEN \(try sql(bounds[0], as: type)) AND \(try sql(bounds[1], as: type))"
        case .constant(let constant) where constant.kind == .collection:
            let lower = parameter(constant.slot, .element(0, type.kind))
            return "\(value) BETWEEN \(lower) AND \(parameter(constant.slot, .element(1, type.kind)))"
        default:
            throw SQLUnsupported.make(
                "Invalid predicate: \(PredicateNode.comparison(node).predicateFormat)",
                advice: "BETWEEN takes two bounds: x BETWEEN {1, 10}.")
        }
    }

    // MARK: Membership

    private func membership(
        of element: Operand, in collection: Operand, _ options: StringComparisonOptions, _ node: ComparisonNode
    ) throws -> String {
        switch collection {
        case .constant(let constant):
            switch constant.kind {
            case .collection: return try isIn(element, constant, options, node)
            case .null: return "1 = 0"
            case .text, .emptyText: return try match(collection, .contains, element, options, node)
            default: throw SQLUnsupported.predicate(.comparison(node), " (bad RHS)")
            }
        case .list(let elements):
            let type = type(of: element)
            if elements.isEmpty { return "1 = 0" }
            if case .object(let place) = element {
                let keys = try elements.map { try objectKey($0, place, node) }
                return "\(place.key) IN (\(keys.joined(separator: ", ")))"
            }
            let values = try elements.map { try sql($0, as: type) }
            let folding = options.intersection([.caseInsensitive, .diacriticInsensitive])
            if !folding.isEmpty, !options.contains(.normalized) {
                let folded = values.map { "CDFold(\($0), \(folding.rawValue))" }.joined(separator: ", ")
                return "CDFold(\(try sql(element, as: type)), \(folding.rawValue)) IN (\(folded))"
            }
            return "\(try sql(element, as: type)) IN (\(values.joined(separator: ", ")))"
        case .toMany(let toMany):
            return "EXISTS ("
                + (try select("1", from: toMany) { try equality($0, .equalTo, element, options, node) }) + ")"
        case .query(let query, let type):
            return "\(try sql(element, as: type)) IN (\(query))"
        case .value: return try match(collection, .contains, element, options, node)
        case .object, .entity: throw SQLUnsupported.predicate(.comparison(node), " (bad RHS)")
        }
    }

    private func objectKey(_ operand: Operand, _ place: QueryScope.Place, _ node: ComparisonNode) throws -> String {
        switch operand {
        case .object(let other): return other.key
        case .constant(let constant) where constant.kind == .object:
            return parameter(constant.slot, .key(root: place.layout.root.number))
        default: throw SQLUnsupported.predicate(.comparison(node))
        }
    }

    private func isIn(
        _ element: Operand, _ constant: NumberedConstant, _ options: StringComparisonOptions, _ node: ComparisonNode
    ) throws -> String {
        func list(_ form: ParameterBinding.Form) -> String {
            "IN (SELECT value FROM CDArray(\(parameter(constant.slot, form))))"
        }
        switch element {
        case .object(let place): return "\(place.key) \(list(.keys(root: place.layout.root.number)))"
        case .entity(let sql): return "\(sql) \(list(.entities))"
        case .value(let sql, let type):
            let folding = options.intersection([.caseInsensitive, .diacriticInsensitive])
            if !folding.isEmpty, !options.contains(.normalized) {
                return "CDFold(\(sql), \(folding.rawValue)) \(list(.foldedValues(folding)))"
            }
            return "\(sql) \(list(.values(type.kind)))"
        case .constant(let value):
            guard value.kind != .null else { return "1 = 0" }
            return "\(try sql(element, as: .unknown)) \(list(.values(nil)))"
        case .toMany(let toMany): throw SQLUnsupported.toManyKey(toMany.text)
        case .list, .query: throw SQLUnsupported.predicate(.comparison(node), " (bad LHS)")
        }
    }

    // MARK: Strings

    private func match(
        _ left: Operand, _ comparison: ComparisonOperator, _ right: Operand, _ options: StringComparisonOptions,
        _ node: ComparisonNode
    ) throws -> String {
        switch (left, right) {
        case (.toMany(let toMany), _): throw SQLUnsupported.toManyKey(toMany.text)
        case (_, .toMany(let toMany)): throw SQLUnsupported.toManyKey(toMany.text)
        case (.object, _), (_, .object), (.entity, _), (_, .entity), (.list, _), (_, .list):
            throw SQLUnsupported.predicate(.comparison(node))
        default: break
        }
        if isNull(left) || isNull(right) { return "1 = 0" }
        if comparison == .beginsWith, options.isEmpty || options.contains(.normalized),
            case .constant(let constant) = right, case .value(let sql, let type) = left, type.kind == .string
        {
            // An index can serve a range.
            guard constant.kind == .text else { return "1 = 0" }
            let start = parameter(constant.slot, .value(.string, nil))
            return "(\(sql) >= \(start) AND \(sql) < \(parameter(constant.slot, .prefixEnd)))"
        }
        return try stringMatch(left, comparison, right, options)
    }

    /// A call of the matching function: with the constant prepared once, or both sides taken from the row.
    private func stringMatch(
        _ left: Operand, _ comparison: ComparisonOperator, _ right: Operand, _ options: StringComparisonOptions
    ) throws -> String {
        if case .constant(let constant) = right, constant.kind != .object, constant.kind != .collection {
            let text = try sql(left, as: .of(.string))
            return "CDMatch(\(text), \(parameter(constant.slot, .matcher(comparison, options))))"
        }
        let (text, needle) = (try sql(left, as: .of(.string)), try sql(right, as: .of(.string)))
        return "CDMatchText(\(text), \(needle), \(comparison.rawValue), \(options.rawValue))"
    }
}
