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

    /// The bounds of `BETWEEN`, which a constant may give as expressions.
    private static func bounds(_ node: ExpressionNode) -> ExpressionNode {
        guard case .constant(let value?) = node, let elements = (value as? any PredicateCollection)?.predicateElements,
            elements.contains(where: { $0 is NSExpression })
        else { return node }
        return .aggregate(elements.map(ExpressionObjects.node(ofElement:)))
    }

    /// Creates a predicate that asks the value of `lhs` a question, such as `isKindOfClass:`, about that of `rhs`.
    ///
    /// Any selector may be given. Off Apple only `isKindOfClass:` and `isMemberOfClass:` can be evaluated; others give an
    /// error then.
    public init(leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, customSelector selector: Selector)
    {
        let comparison = ComparisonNode(lhs.node, .customSelector, rhs.node, selector: selector)
        self = PredicateObjects.make(.comparison(comparison), as: Self.self)
    }

    /// The selector of a comparison that has one in place of an operator; nil for others.
    public var customSelector: Selector? { comparison.selector }

    /// The expression left of the operator.
    public var leftExpression: NSExpression { ExpressionObjects.make(comparison.left) }

    /// The expression right of the operator.
    public var rightExpression: NSExpression { ExpressionObjects.make(comparison.right) }

    /// The operator, as Foundation's type. ``ComparisonOperator`` has Apple's raw values.
    ///
    /// Foundation's type has no case for selectors off Apple: where ``customSelector`` is not nil, this is `equalTo`.
    public var predicateOperatorType: NSComparisonPredicate.Operator { comparison.comparison.foundationOperator }

    /// Whether the left side is compared as it is or element by element.
    public var comparisonPredicateModifier: NSComparisonPredicate.Modifier {
        comparison.modifier.foundationModifier
    }

    /// How strings are compared.
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
    /// The same operator as Foundation's type.
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

    /// The operator of a comparison predicate.
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
    /// The same modifier as Foundation's type.
    public var foundationModifier: NSComparisonPredicate.Modifier {
        switch self {
        case .direct: .direct
        case .all: .all
        case .any: .any
        }
    }

    /// The modifier of a comparison predicate.
    public init(_ modifier: NSComparisonPredicate.Modifier) {
        switch modifier {
        case .direct: self = .direct
        case .all: self = .all
        case .any: self = .any
        }
    }
}
