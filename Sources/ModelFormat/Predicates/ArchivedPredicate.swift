/// A predicate as a tree, the form archives and text have in common.
///
/// This module stores predicates as text. Whoever writes compiled models hands in a ``PredicateTextParser`` that turns
/// text into these trees; reading goes the other way without help.
public indirect enum ArchivedPredicate: Sendable, Hashable {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case constant(Bool)
    /// One comparison.
    case comparison(ArchivedComparison)
    /// All of them.
    case and([ArchivedPredicate])
    /// Any of them.
    case or([ArchivedPredicate])
    /// The opposite.
    case not(ArchivedPredicate)
}

/// A comparison of two expressions.
public struct ArchivedComparison: Sendable, Hashable {
    /// Raw values are those of `NSComparisonPredicate.Operator`.
    public enum Operator: UInt, Sendable, Hashable, CaseIterable {
        case lessThan = 0
        case lessThanOrEqual = 1
        case greaterThan = 2
        case greaterThanOrEqual = 3
        case equal = 4
        case notEqual = 5
        case matches = 6
        case like = 7
        case beginsWith = 8
        case endsWith = 9
        case `in` = 10
        /// A method of the left side, named by the comparison's selector.
        case customSelector = 11
        case contains = 99
        case between = 100
    }

    /// Raw values are those of `NSComparisonPredicate.Modifier`.
    public enum Modifier: UInt, Sendable, Hashable {
        /// The value itself.
        case direct = 0
        /// Every element.
        case all = 1
        /// At least one element.
        case any = 2
    }

    /// The left side.
    public var left: ArchivedExpression
    /// The operator.
    public var comparison: Operator
    /// The right side.
    public var right: ArchivedExpression
    /// Whether the left side is compared as a whole or by its elements.
    public var modifier: Modifier
    /// The bits of `NSComparisonPredicate.Options`: 1 case-insensitive, 2 diacritic-insensitive, 4 normalized,
    /// 8 locale-sensitive.
    public var options: UInt
    /// The selector of a custom operator.
    public var selector: String?

    public init(
        _ left: ArchivedExpression, _ comparison: Operator, _ right: ArchivedExpression, modifier: Modifier = .direct,
        options: UInt = 0, selector: String? = nil
    ) {
        self.left = left
        self.comparison = comparison
        self.right = right
        self.modifier = modifier
        self.options = options
        self.selector = selector
    }
}

/// An expression as a tree.
public indirect enum ArchivedExpression: Sendable, Hashable {
    /// A constant; `nil` is the null value.
    case constant(ModelValue?)
    /// `SELF`.
    case evaluatedObject
    /// `$NAME`, without the dollar sign.
    case variable(String)
    /// A key path of an object: `name.first` of ``evaluatedObject``, or of a variable, a function…
    case keyPath(String, of: ArchivedExpression)
    /// A function by its selector (`count:`, `now`, `add:to:`). The target is `nil` for the built-in ones.
    case function(String, target: ArchivedExpression?, arguments: [ArchivedExpression])
    /// A list of expressions in braces.
    case aggregate([ArchivedExpression])
    /// `SUBQUERY(collection, $variable, predicate)`.
    case subquery(ArchivedExpression, variable: String, ArchivedPredicate)
    /// `UNION`, `INTERSECT` or `MINUS` of two collections.
    case set(SetOperation, ArchivedExpression, ArchivedExpression)
    /// `TERNARY(predicate, yes, no)`.
    case conditional(ArchivedPredicate, ArchivedExpression, ArchivedExpression)
    /// `FETCH(request, context, countOnly)`.
    case fetch(request: ArchivedExpression, context: ArchivedExpression, countOnly: Bool)

    /// Raw values are those of `NSExpression.ExpressionType`.
    public enum SetOperation: UInt, Sendable, Hashable {
        /// What is in either.
        case union = 5
        /// What is in both.
        case intersect = 6
        /// What is in the first alone.
        case minus = 7
    }

    /// A key path of the evaluated object.
    public static func keyPath(_ path: String) -> ArchivedExpression { .keyPath(path, of: .evaluatedObject) }
}

/// Turns text in Apple's predicate format into trees.
public protocol PredicateTextParser: Sendable {
    /// The tree of a predicate's text.
    func predicate(_ text: String) throws -> ArchivedPredicate
    /// The tree of an expression's text.
    func expression(_ text: String) throws -> ArchivedExpression
}
