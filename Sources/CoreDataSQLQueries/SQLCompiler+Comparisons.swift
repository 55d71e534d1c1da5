import CoreDataRowStorage
import PredicateFormat

/// Comparison operators.
extension SQLCompiler {
    func compare(
        _ left: Operand, _ comparison: ComparisonOperator, _ right: Operand, _ options: StringComparisonOptions,
        _ node: ComparisonNode
    ) throws -> SQLFragment {
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
        case .customSelector: throw UnsupportedQuery.selector(.comparison(node))
        }
    }

    /// Returns the SQL of a comparison.
    private func comparison(_ left: SQLFragment, _ comparison: ComparisonOperator, _ right: SQLFragment) -> SQLFragment
    {
        switch comparison {
        case .equalTo: "\(left) = \(right)"
        case .notEqualTo where isTwoValued: dialect.sameness(left, right, negated: true)
        case .notEqualTo: "\(left) <> \(right)"
        default: "\(left) \(raw: comparison.symbol) \(right)"
        }
    }

    func isNull(_ operand: Operand) -> Bool {
        if case .constant(let constant) = operand { return constant.kind == .null }
        return false
    }

    // MARK: Equality and order

    func equality(
        _ left: Operand, _ comparison: ComparisonOperator, _ right: Operand, _ options: StringComparisonOptions,
        _ node: ComparisonNode
    ) throws -> SQLFragment {
        let isEqual = comparison == .equalTo
        if isNull(left) { return try nullTest(right, isEqual) }
        if isNull(right) { return try nullTest(left, isEqual) }
        if case .composite(let whole) = left { return try equality(whole, comparison, right, node) }
        if case .composite(let whole) = right { return try equality(whole, comparison, left, node) }
        switch (left, right) {
        case (.object(let place), .constant(let constant)), (.constant(let constant), .object(let place)):
            guard constant.kind == .object else { throw UnsupportedQuery.predicate(.comparison(node)) }
            let key = try parameter(constant, .key(root: place.layout.root.number))
            return self.comparison(place.key, comparison, key)
        case (.object(let a), .object(let b)):
            return isTwoValued
                ? dialect.sameness(a.key, b.key, negated: !isEqual) : self.comparison(a.key, comparison, b.key)
        case (.entity(let sql), .constant(let constant)), (.constant(let constant), .entity(let sql)):
            return self.comparison(sql, comparison, try parameter(constant, .entity))
        case (.toMany(let toMany), _), (_, .toMany(let toMany)): throw UnsupportedQuery.toManyKey(toMany.text)
        default: return try ordering(left, comparison, right, options)
        }
    }

    private func nullTest(_ operand: Operand, _ isEqual: Bool) throws -> SQLFragment {
        switch operand {
        case .toMany(let toMany):
            let query = try select("1", from: toMany) { try existence(of: $0, in: toMany) }
            return isEqual ? "NOT EXISTS (\(query))" : "EXISTS (\(query))"
        case .composite(let whole): return isEqual ? whole.absence : whole.presence
        case .constant(let constant): return (constant.kind == .null) == isEqual ? "1 = 1" : "1 = 0"
        default: return "\(try sql(operand, as: .unknown)) IS \(raw: isEqual ? "" : "NOT ")NULL"
        }
    }

    /// Compares two objects by their keys; returns nil if one side is not an object.
    private func objectOrder(_ left: Operand, _ comparison: ComparisonOperator, _ right: Operand) throws -> SQLFragment?
    {
        if case .object(let a) = left, case .object(let b) = right {
            // Keys of different hierarchies are unrelated.
            guard a.layout.root === b.layout.root else { return "1 = 0" }
            return self.comparison(a.key, comparison, b.key)
        }
        if case .object(let place) = left, case .constant(let constant) = right, constant.kind == .object {
            return self.comparison(place.key, comparison, try keyInOrder(constant, place))
        }
        if case .constant(let constant) = left, constant.kind == .object, case .object(let place) = right {
            return self.comparison(try keyInOrder(constant, place), comparison, place.key)
        }
        return nil
    }

    /// Checks that no object is compared with a constant of another type.
    ///
    /// - Throws: An error for such a comparison.
    private func checkObjects(_ left: Operand, _ comparison: ComparisonOperator, _ right: Operand) throws {
        for (side, other) in [(left, right), (right, left)] {
            guard case .object = side, case .constant(let constant) = other, constant.kind != .object,
                constant.kind != .null
            else { continue }
            throw ConditionError.make(
                "an object cannot be compared with the constant \(constant) by \(comparison.symbol)",
                advice: "Compare it with an object or an object ID, or compare one of its properties.")
        }
    }

    private func keyInOrder(_ constant: NumberedConstant, _ place: QueryScope.Place) throws -> SQLFragment {
        try parameter(constant, .keyInOrder(root: place.layout.root.number))
    }

    private func ordering(
        _ left: Operand, _ comparison: ComparisonOperator, _ right: Operand, _ options: StringComparisonOptions
    ) throws -> SQLFragment {
        if !options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive, .localeSensitive]),
            !options.contains(.normalized), isText(left) || isText(right), isSearchable(left), isSearchable(right)
        {
            guard isTwoValued, !comparison.isOrdering else {
                return try stringMatch(left, comparison, right, options)
            }
            var isEqual = try stringMatch(left, .equalTo, right, options)
            if !isConstant(left), !isConstant(right) {
                let (a, b) = (try searchedText(left), try searchedText(right))
                isEqual = "(\(isEqual) OR (\(a) IS NULL AND \(b) IS NULL))"
            }
            return comparison == .equalTo ? isEqual : "(\(isEqual)) IS NOT TRUE"
        }
        try checkObjects(left, comparison, right)
        if !isNull(left), !isNull(right) {
            try ConditionType.check(conditionType(left), comparison, conditionType(right))
        }
        let (a, b) = try aligned(left, right, isOrdering: comparison.isOrdering)
        let isSameness = isTwoValued && comparison == .equalTo && !isConstant(left) && !isConstant(right)
        return dialect.comparison(
            isSameness ? dialect.sameness(a, b, negated: false) : self.comparison(a, comparison, b), a,
            isConstant(left) ? nil : type(of: left).kind, comparison, b, isConstant(right) ? nil : type(of: right).kind)
    }

    private func isConstant(_ operand: Operand) -> Bool {
        if case .constant = operand { return true }
        return false
    }

    /// Returns the type of a side of a comparison.
    private func conditionType(_ operand: Operand) -> ConditionType {
        switch operand {
        case .entity: .entity
        case .constant(let constant):
            switch constant.kind {
            case .object: .object
            case .entity: .entity
            default: .unknown
            }
        default: ConditionType(type(of: operand).kind)
        }
    }

    private func isSearchable(_ operand: Operand) -> Bool {
        let type = conditionType(operand)
        return type.isText || type == .unknown
    }

    private func isText(_ operand: Operand) -> Bool {
        if case .constant(let constant) = operand { return constant.kind == .text || constant.kind == .emptyText }
        return type(of: operand).kind == .string || type(of: operand).kind == .uri
    }

    private func between(_ left: Operand, _ right: Operand, _ node: ComparisonNode) throws -> SQLFragment {
        let type = type(of: left)
        try conditionType(left).checkOrder(.between)
        if case .object = conditionType(left) {
            throw ConditionError.make("an object cannot lie BETWEEN two values", advice: "Compare its properties.")
        }
        switch right {
        case .list(let bounds) where bounds.count == 2:
            let (value, lower) = try aligned(left, bounds[0], as: type, isOrdering: true)
            let (other, upper) = try aligned(left, bounds[1], as: type, isOrdering: true)
            guard value == other else { return "(\(value) >= \(lower) AND \(other) <= \(upper))" }
            return "\(value) BETWEEN \(lower) AND \(upper)"
        case .constant(let constant) where constant.kind == .collection:
            let value = try sql(left, as: type)
            let known = dialect.type(of: constant, beside: type)
            func bound(_ index: Int) throws -> (value: SQLFragment, bound: SQLFragment) {
                try dialect.aligned(
                    value, type, try parameter(constant, type.bound(.element(index, type.kind))), known,
                    isOrdering: true)
            }
            let (lower, upper) = (try bound(0), try bound(1))
            return "\(lower.value) BETWEEN \(lower.bound) AND \(upper.bound)"
        default:
            throw UnsupportedQuery.make(
                "Invalid predicate: \(PredicateNode.comparison(node).predicateFormat)",
                advice: "BETWEEN takes two bounds: x BETWEEN {1, 10}.")
        }
    }

    // MARK: Membership

    private func membership(
        of element: Operand, in collection: Operand, _ options: StringComparisonOptions, _ node: ComparisonNode
    ) throws -> SQLFragment {
        switch collection {
        case .constant(let constant):
            switch constant.kind {
            case .collection: return try isIn(element, constant, options, node)
            case .null: return "1 = 0"
            case .text, .emptyText: return try match(collection, .contains, element, options, node)
            default: throw UnsupportedQuery.predicate(.comparison(node), " (bad RHS)")
            }
        case .list(let elements):
            let type = type(of: element)
            if elements.isEmpty { return "1 = 0" }
            if case .object(let place) = element {
                let keys = try elements.map { try objectKey($0, place, node) }
                return "\(place.key) IN (\(keys.joined(separator: ", ")))"
            }
            if case .composite(let whole) = element {
                return chain(try elements.map { "(\(try equality(whole, .equalTo, $0, node)))" }, .or)
            }
            let folding = options.intersection([.caseInsensitive, .diacriticInsensitive])
            let unaligned = try sql(element, as: type)
            let pairs = try elements.map { other in
                try dialect.aligned(
                    unaligned, type, try sql(other, as: type), self.type(of: other, beside: type), isOrdering: false)
            }
            let (value, values) = (pairs[0].0, pairs.map(\.1))
            guard pairs.allSatisfy({ $0.0 == value }) else {
                return "(\(chain(pairs.map { "\($0.0) = \($0.1)" }, .or)))"
            }
            if !folding.isEmpty, !options.contains(.normalized) {
                let folded = values.map { dialect.folded($0, folding) }.joined(separator: ", ")
                return "\(dialect.folded(value, folding)) IN (\(folded))"
            }
            return "\(value) IN (\(values.joined(separator: ", ")))"
        case .toMany(let toMany):
            let found = try select("1", from: toMany) { try equality($0, .equalTo, element, options, node) }
            return "EXISTS (\(found))"
        case .query(let query, let type):
            return "\(try sql(element, as: type)) IN (\(query))"
        case .value: return try match(collection, .contains, element, options, node)
        case .object, .entity, .composite: throw UnsupportedQuery.predicate(.comparison(node), " (bad RHS)")
        }
    }

    private func objectKey(_ operand: Operand, _ place: QueryScope.Place, _ node: ComparisonNode) throws -> SQLFragment
    {
        switch operand {
        case .object(let other): return other.key
        case .constant(let constant) where constant.kind == .object:
            return try parameter(constant, .key(root: place.layout.root.number))
        default: throw UnsupportedQuery.predicate(.comparison(node))
        }
    }

    private func isIn(
        _ element: Operand, _ constant: NumberedConstant, _ options: StringComparisonOptions, _ node: ComparisonNode
    ) throws -> SQLFragment {
        func isIn(
            _ value: SQLFragment, _ form: ParameterBinding.Form, type: ValueType = .unknown,
            folding: StringComparisonOptions = []
        ) throws -> SQLFragment {
            let list = try parameter(constant, form)
            let (aligned, _) = try dialect.aligned(
                value, type, list, dialect.type(of: constant, beside: type), isOrdering: false)
            return dialect.membership(of: aligned, in: list, folding: folding)
        }
        switch element {
        case .object(let place): return try isIn(place.key, .keys(root: place.layout.root.number))
        case .entity(let sql): return try isIn(sql, .entities)
        case .value(let sql, let type) where type.isRow: return try isIn(sql, .rows)
        case .value(let sql, let type):
            let folding = options.intersection([.caseInsensitive, .diacriticInsensitive])
            if !folding.isEmpty, !options.contains(.normalized) {
                return try isIn(sql, .foldedValues(folding), folding: folding)
            }
            return try isIn(sql, type.bound(.values(type.kind)), type: type)
        case .constant(let value):
            guard value.kind != .null else { return "1 = 0" }
            return try isIn(sql(element, as: .unknown), .values(nil))
        case .toMany(let toMany): throw UnsupportedQuery.toManyKey(toMany.text)
        case .composite(let whole): throw whole.unusable()
        case .list, .query: throw UnsupportedQuery.predicate(.comparison(node), " (bad LHS)")
        }
    }

    // MARK: Strings

    private func match(
        _ left: Operand, _ comparison: ComparisonOperator, _ right: Operand, _ options: StringComparisonOptions,
        _ node: ComparisonNode
    ) throws -> SQLFragment {
        switch (left, right) {
        case (.toMany(let toMany), _): throw UnsupportedQuery.toManyKey(toMany.text)
        case (_, .toMany(let toMany)): throw UnsupportedQuery.toManyKey(toMany.text)
        case (.object, _), (_, .object), (.entity, _), (_, .entity), (.list, _), (_, .list):
            throw UnsupportedQuery.predicate(.comparison(node))
        default: break
        }
        if isNull(left) || isNull(right) { return "1 = 0" }
        if comparison == .beginsWith, options.isEmpty || options.contains(.normalized),
            case .constant(let constant) = right, case .value(let sql, let type) = left, type.kind == .string
        {
            guard constant.kind == .text else { return "1 = 0" }
            return try dialect.prefix(of: sql) { try parameter(constant, $0) }
        }
        return try stringMatch(left, comparison, right, options)
    }

    /// Returns a call of the matching function, with a constant that is prepared once, or with both sides from the row.
    private func stringMatch(
        _ left: Operand, _ comparison: ComparisonOperator, _ right: Operand, _ options: StringComparisonOptions
    ) throws -> SQLFragment {
        for operand in [left, right] { try conditionType(operand).checkText(comparison) }
        if case .constant(let constant) = right, constant.kind != .object, constant.kind != .collection {
            return try dialect.match(searchedText(left), comparison, options, constant: constant) {
                try parameter(constant, $0)
            }
        }
        let (text, needle) = (try searchedText(left), try searchedText(right))
        return try dialect.match(text, comparison, options, needle: needle)
    }

    /// Returns the SQL of the text that a string operator searches.
    private func searchedText(_ operand: Operand) throws -> SQLFragment {
        let text = try sql(operand, as: .of(.string))
        if case .constant = operand { return text }
        return try dialect.searched(text, type(of: operand))
    }

    // MARK: Alignment of types

    /// Converts both sides of an operator to one type, and a constant to the form of the other side.
    func aligned(
        _ left: Operand, _ right: Operand, as type: ValueType? = nil, isOrdering: Bool = false
    ) throws -> (SQLFragment, SQLFragment) {
        let type = type ?? commonType(left, right)
        return try dialect.aligned(
            sql(left, as: type, isOrdering), self.type(of: left, beside: type), sql(right, as: type, isOrdering),
            self.type(of: right, beside: type), isOrdering: isOrdering)
    }
}
