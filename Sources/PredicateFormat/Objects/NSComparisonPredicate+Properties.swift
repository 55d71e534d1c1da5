import Foundation

extension NSCopying where Self: NSComparisonPredicate {
    /// Creates a predicate that compares two expressions.
    public init(
        leftExpression lhs: NSExpression,
        rightExpression rhs: NSExpression,
        modifier: NSComparisonPredicate.Modifier,
        type: NSComparisonPredicate.Operator,
        options: NSComparisonPredicate.Options = []
    ) {
        let comparison = ComparisonNode(
            lhs.node,
            ComparisonOperator(type),
            type == .between ? Self.bounds(rhs.node) : rhs.node,
            modifier: ComparisonModifier(modifier),
            options: StringComparisonOptions(rawValue: options.rawValue)
        )
        self = PredicateObjects.make(.comparison(comparison), as: Self.self)
    }

    /// Returns the bounds of `BETWEEN` as an aggregate if a constant holds them as expressions; otherwise the node itself.
    private static func bounds(_ node: ExpressionNode) -> ExpressionNode {
        guard case .constant(let value?) = node, let elements = (value as? any PredicateCollection)?.predicateElements,
            elements.contains(where: { $0 is NSExpression })
        else { return node }
        return .aggregate(elements.map(ExpressionObjects.node(ofElement:)))
    }

    /// Creates a predicate that compares two expressions by a selector, such as `isKindOfClass:`.
    ///
    /// Any selector is accepted. Off Apple's platforms only `isKindOfClass:` and `isMemberOfClass:` can be evaluated; others
    /// throw when evaluated.
    public init(leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, customSelector selector: Selector)
    {
        let comparison = ComparisonNode(lhs.node, .customSelector, rhs.node, selector: selector)
        self = PredicateObjects.make(.comparison(comparison), as: Self.self)
    }

    /// The selector of a custom comparison; nil for operators.
    public var customSelector: Selector? { comparison.selector }

    /// The expression left of the operator.
    public var leftExpression: NSExpression { ExpressionObjects.make(comparison.left) }

    /// The expression right of the operator.
    public var rightExpression: NSExpression { ExpressionObjects.make(comparison.right) }

    /// The operator, as Foundation's type. ``ComparisonOperator`` has Apple's raw values.
    ///
    /// Off Apple's platforms Foundation's type has no case for custom selectors: if ``customSelector`` is not nil, the value is
    /// `equalTo`.
    public var predicateOperatorType: NSComparisonPredicate.Operator { comparison.comparison.foundationOperator }

    /// The modifier: whether the left side is compared directly or element by element.
    public var comparisonPredicateModifier: NSComparisonPredicate.Modifier {
        comparison.modifier.foundationModifier
    }

    /// The string comparison options.
    public var options: NSComparisonPredicate.Options {
        NSComparisonPredicate.Options(rawValue: comparison.options.rawValue)
    }

    private var comparison: ComparisonNode {
        guard case .comparison(let comparison)? = PredicateObjects.storage(of: self)?.node else {
            fatalError(
                "\(Swift.type(of: self)) was not created by an initialiser of NSComparisonPredicate and compares nothing"
            )
        }
        return comparison
    }
}

extension ComparisonOperator {
    /// The operator as Foundation's type.
    public var foundationOperator: NSComparisonPredicate.Operator {
        switch self {
        case .lessThan: .lessThan
        case .lessThanOrEqualTo: .lessThanOrEqualTo
        case .greaterThan: .greaterThan
        case .greaterThanOrEqualTo: .greaterThanOrEqualTo
        case .equalTo: .equalTo
        case .notEqualTo: .notEqualTo
        case .matches: .matches
        case .like: .like
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .in: .in
        case .customSelector: .equalTo
        case .contains: .contains
        case .between: .between
        }
    }

    /// Converts the operator of a comparison predicate.
    public init(_ type: NSComparisonPredicate.Operator) {
        switch type {
        case .lessThan: self = .lessThan
        case .lessThanOrEqualTo: self = .lessThanOrEqualTo
        case .greaterThan: self = .greaterThan
        case .greaterThanOrEqualTo: self = .greaterThanOrEqualTo
        case .equalTo: self = .equalTo
        case .notEqualTo: self = .notEqualTo
        case .matches: self = .matches
        case .like: self = .like
        case .beginsWith: self = .beginsWith
        case .endsWith: self = .endsWith
        case .in: self = .in
        case .contains: self = .contains
        case .between: self = .between
        }
    }
}

extension ComparisonModifier {
    /// The modifier as Foundation's type.
    public var foundationModifier: NSComparisonPredicate.Modifier {
        switch self {
        case .direct: .direct
        case .all: .all
        case .any: .any
        }
    }

    /// Converts the modifier of a comparison predicate.
    public init(_ modifier: NSComparisonPredicate.Modifier) {
        switch modifier {
        case .direct: self = .direct
        case .all: self = .all
        case .any: self = .any
        }
    }
}
