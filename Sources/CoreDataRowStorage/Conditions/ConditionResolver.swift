import Foundation
import PredicateFormat

/// Prepares predicates for evaluation in memory by the model, so that they match the same objects as their SQL: constants are
/// converted to the type they are compared with, and comparisons that SQL translation refuses are refused.
///
/// Traverses the predicate once. A predicate that needs no change is returned itself.
package struct ConditionResolver {
    private let root: EntityLayout
    package let layouts: ModelLayouts
    /// Whether unknown keys are errors. Otherwise they are evaluated by the object.
    package let isStrict: Bool
    var hasChanged = false

    package init(_ layout: EntityLayout, _ layouts: ModelLayouts, isStrict: Bool) {
        root = layout
        self.layouts = layouts
        self.isStrict = isStrict
    }

    /// Resolves a predicate against an entity.
    ///
    /// - Throws: An error of the Cocoa domain for unknown keys and invalid comparisons.
    package static func resolve(
        _ predicate: NSPredicate, for layout: EntityLayout, _ layouts: ModelLayouts, isStrict: Bool
    ) throws -> NSPredicate {
        var resolver = ConditionResolver(layout, layouts, isStrict: isStrict)
        let node = try resolver.resolve(predicate.node, [:])
        return resolver.hasChanged ? NSPredicate(node: node) : predicate
    }

    /// Resolves an expression as in predicates.
    ///
    /// - Throws: As ``resolve(_:for:_:isStrict:)``.
    package static func resolve(
        _ expression: ExpressionNode, for layout: EntityLayout, _ layouts: ModelLayouts
    ) throws -> ExpressionNode {
        var resolver = ConditionResolver(layout, layouts, isStrict: true)
        return try resolver.operand(expression, [:]).node
    }

    /// The entities of the variables in scope.
    package typealias Variables = [String: EntityLayout]

    /// An expression with the known properties of its value.
    package struct Term {
        package var node: ExpressionNode
        package var type: ConditionType
        /// The objects of a to-many relationship in the expression, if its value is a collection of their properties.
        package var objects: ExpressionNode?
        /// The entity of these objects, or of the single object.
        package var layout: EntityLayout?

        package init(
            _ node: ExpressionNode, _ type: ConditionType = .unknown, objects: ExpressionNode? = nil,
            layout: EntityLayout? = nil
        ) {
            self.node = node
            self.type = type
            self.objects = objects
            self.layout = layout
        }

        package var isMany: Bool { objects != nil }
        package var isNull: Bool {
            guard case .constant(let value) = node else { return false }
            return value == nil || value is NSNull
        }
        /// The value of a constant that is not nil.
        package var constant: Any? {
            guard case .constant(let value?) = node, !(value is NSNull) else { return nil }
            return value
        }
    }

    // MARK: Predicates

    private mutating func resolve(_ node: PredicateNode, _ variables: Variables) throws -> PredicateNode {
        switch node {
        case .comparison(let comparison): return try resolve(comparison, variables)
        case .and(let nodes): return .and(try nodes.map { try resolve($0, variables) })
        case .or(let nodes): return .or(try nodes.map { try resolve($0, variables) })
        case .not(let node): return .not(try resolve(node, variables))
        case .opaque(let predicate):
            if predicate.isNestedTooDeep { throw ConditionError.tooDeep() }
            return node
        case .constant: return node
        }
    }

    private mutating func resolve(_ original: ComparisonNode, _ variables: Variables) throws -> PredicateNode {
        var left = try operand(original.left, variables)
        var right = try operand(original.right, variables)
        var given = original
        if original.modifier == .any, !left.isMany, left.type.isSingle {
            // ANY of a single value is that value, as in Apple's SQLite store.
            given.modifier = .direct
            hasChanged = true
        }
        var comparison = given
        switch given.comparison {
        case .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            if given.modifier == .direct {
                if right.isNull, left.isMany { return try emptiness(left, given) }
                if left.isNull, right.isMany { return try emptiness(right, given) }
                try checkSingle(left, right)
            }
            try relate(&left, given.comparison, &right)
        case .between:
            try left.type.checkOrder(.between)
            if left.type == .object {
                throw ConditionError.make("an object cannot lie BETWEEN two values", advice: "Compare its properties.")
            }
            try convertElements(of: &right, to: left.type, isOrdering: true)
            uriText(&left)
        case .in: try contain(&right, &left, .in)
        case .contains: try contain(&left, &right, .contains)
        case .beginsWith, .endsWith, .like, .matches:
            if given.modifier == .direct { try checkSingle(left, right) }
            try search(&left, given.comparison, &right)
        case .customSelector: throw UnsupportedQuery.selector(.comparison(given))
        }
        comparison.left = left.node
        comparison.right = right.node
        return .comparison(comparison)
    }

    /// Resolves `toMany == nil`, which is true if there are no related objects.
    private mutating func emptiness(_ many: Term, _ comparison: ComparisonNode) throws -> PredicateNode {
        guard let objects = many.objects, comparison.comparison == .equalTo || comparison.comparison == .notEqualTo
        else { return .comparison(comparison) }
        hasChanged = true
        let count = ExpressionNode.path(["@count"], of: objects)
        guard comparison.comparison == .equalTo else {
            return .comparison(ComparisonNode(count, .greaterThan, .constant(0)))
        }
        // The related objects themselves may be nil.
        return .or([
            .comparison(ComparisonNode(count, .equalTo, .constant(0))),
            .comparison(ComparisonNode(objects, .equalTo, .constant(nil))),
        ])
    }

    /// Checks that no collection is compared with a single value.
    ///
    /// - Throws: An error for such a comparison, which is never true.
    private func checkSingle(_ left: Term, _ right: Term) throws {
        for (many, other) in [(left, right), (right, left)] where many.isMany {
            let isCollection = other.isMany || other.constant is any PredicateCollection
            if !isCollection, other.type != .unknown || other.constant != nil {
                throw UnsupportedQuery.toManyKey(many.node.expressionFormat)
            }
        }
    }

    // MARK: Comparisons

    private mutating func relate(
        _ left: inout Term, _ comparison: ComparisonOperator, _ right: inout Term
    ) throws {
        if left.isNull || right.isNull { return }
        if let constant = right.constant {
            try relate(&left, comparison, &right, constant)
        } else if let constant = left.constant {
            try relate(&right, comparison, &left, constant)
        } else {
            try ConditionType.check(left.type, comparison, right.type)
            if left.type == .date, case .number = right.type { try numbers(&left) }
            if right.type == .date, case .number = left.type { try numbers(&right) }
            uriText(&left)
            uriText(&right)
        }
    }

    private mutating func relate(
        _ side: inout Term, _ comparison: ComparisonOperator, _ other: inout Term, _ constant: Any
    ) throws {
        if comparison.isOrdering { try side.type.checkOrder(comparison) }
        let kind = ConstantKind(constant)
        switch side.type {
        case .unknown: return
        case .object:
            guard kind == .object || kind == .collection else {
                throw ConditionError.make(
                    "\(side.node.expressionFormat) is an object and cannot be compared with the constant "
                        + other.node.expressionFormat,
                    advice: "Compare it with an object or an object ID, or compare one of its properties.")
            }
            return
        case .entity:
            set(&other, entity(constant))
            return
        default: break
        }
        guard kind != .collection else { return }
        guard kind != .object else {
            throw ConditionError.make(
                "\(side.node.expressionFormat) is \(side.type.name) and cannot be compared with an object",
                advice: "Compare it with a value.")
        }
        set(&other, try side.type.constant(constant, isOrdering: comparison.isOrdering), from: constant)
        uriText(&side)
    }

    /// Converts a date to its seconds, for comparison with numbers.
    private mutating func numbers(_ operand: inout Term) throws {
        hasChanged = true
        operand.node = .function(.cast, [operand.node, .constant("NSNumber")])
    }

    private func entity(_ constant: Any) -> Any {
        let name = (constant as? any EntityNamed)?.entityName ?? constant as? String
        return name.flatMap { layouts.byName[$0]?.traits } ?? constant
    }

    // MARK: Membership

    private mutating func contain(
        _ collection: inout Term, _ element: inout Term, _ comparison: ComparisonOperator
    ) throws {
        if collection.isMany {
            if element.isMany { throw UnsupportedQuery.toManyKey(element.node.expressionFormat) }
            return try relate(&collection, .equalTo, &element)
        }
        if let constant = collection.constant, constant is any PredicateCollection {
            return try membership(of: &element, in: &collection)
        }
        if case .aggregate = collection.node { return try membership(of: &element, in: &collection) }
        if case .fetch = collection.node { return }
        if let constant = collection.constant, ConstantKind(constant) == .value {
            throw UnsupportedQuery.expression(collection.node.expressionFormat, kind: "collection")
        }
        // A text contained in a text.
        try search(&collection, .contains, &element)
    }

    private mutating func membership(of element: inout Term, in collection: inout Term) throws {
        try convertElements(of: &collection, to: element.type, isOrdering: false)
        uriText(&element)
    }

    /// Converts the constants in a list to the type they are compared with. A nil in the list equals nothing, as in SQL.
    private mutating func convertElements(of list: inout Term, to type: ConditionType, isOrdering: Bool) throws {
        func convert(_ value: Any) throws -> Any {
            switch type {
            case .entity: return entity(value)
            case .object, .unknown: return value
            default: return try type.constant(value, isOrdering: isOrdering)
            }
        }
        if let collection = list.constant as? any PredicateCollection {
            let elements = collection.predicateElements
            let present =
                isOrdering ? elements : elements.filter { !($0 is NSNull) && ConstantKind($0) != .null }
            let converted = try present.map(convert)
            let isSame =
                present.count == elements.count
                && zip(present, converted).allSatisfy { Swift.type(of: $0) == Swift.type(of: $1) }
            if !isSame {
                hasChanged = true
                list.node = .constant(converted)
            }
        } else if case .aggregate(let nodes) = list.node {
            var elements: [ExpressionNode] = []
            for node in nodes {
                guard case .constant(let value) = node.withKnownValue else {
                    elements.append(node)
                    continue
                }
                guard let value, !(value is NSNull) else {
                    hasChanged = true
                    if isOrdering { elements.append(node) }
                    continue
                }
                let converted = try convert(value)
                if Swift.type(of: converted) != Swift.type(of: value) { hasChanged = true }
                elements.append(.constant(converted))
            }
            list.node = .aggregate(elements)
        }
    }

    // MARK: Text

    private mutating func search(
        _ left: inout Term, _ comparison: ComparisonOperator, _ right: inout Term
    ) throws {
        try text(&left, comparison)
        if let constant = right.constant {
            set(&right, try ConditionType.needle(constant, comparison), from: constant)
        } else {
            try text(&right, comparison)
        }
    }

    private mutating func text(_ operand: inout Term, _ comparison: ComparisonOperator) throws {
        if operand.isNull { return }
        if let constant = operand.constant {
            set(&operand, try ConditionType.needle(constant, comparison), from: constant)
            return
        }
        try operand.type.checkText(comparison)
        if case .number = operand.type {
            hasChanged = true
            operand.node =
                operand.isMany
                ? .path(["stringValue"], of: operand.node) : .function(.cast, [operand.node, .constant("NSString")])
        }
        uriText(&operand)
    }

    /// Converts a URI to the text that is stored for it.
    private mutating func uriText(_ operand: inout Term) {
        guard operand.type == .uri, operand.constant == nil else { return }
        hasChanged = true
        operand.node = .path(["absoluteString"], of: operand.node)
        operand.type = .text
    }

    // MARK: Changes

    private mutating func set(_ operand: inout Term, _ value: Any, from old: Any) {
        guard Swift.type(of: value) != Swift.type(of: old) else { return }
        set(&operand, value)
    }

    private mutating func set(_ operand: inout Term, _ value: Any) {
        hasChanged = true
        operand.node = .constant(value)
    }

    // MARK: Use by expressions

    /// Resolves a predicate inside an expression.
    package mutating func nested(_ node: PredicateNode, _ variables: Variables) throws -> PredicateNode {
        try resolve(node, variables)
    }

    package var start: EntityLayout { root }
}
