/// A predicate as a tree, the common form of archives and text.
///
/// This module stores predicates as text. Writing compiled models takes a ``PredicateTextParser`` that converts text to these
/// trees; the inverse conversion needs no parser.
public indirect enum ArchivedPredicate: Sendable, Hashable {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case constant(Bool)
    /// A comparison.
    case comparison(ArchivedComparison)
    /// The conjunction of the predicates.
    case and([ArchivedPredicate])
    /// The disjunction of the predicates.
    case or([ArchivedPredicate])
    /// The negation of a predicate.
    case not(ArchivedPredicate)
}

/// A comparison of two expressions.
public struct ArchivedComparison: Sendable, Hashable {
    /// The comparison operators. Raw values are those of `NSComparisonPredicate.Operator`.
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
        /// A method of the left side, named by the selector of the comparison.
        case customSelector = 11
        case contains = 99
        case between = 100
    }

    /// The quantifiers over the left side. Raw values are those of `NSComparisonPredicate.Modifier`.
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
    /// The quantifier: the left side is compared as a whole or by its elements.
    public var modifier: Modifier
    /// The bits of `NSComparisonPredicate.Options`: 1 case-insensitive, 2 diacritic-insensitive, 4 normalized,
    /// 8 locale-sensitive.
    public var options: UInt
    /// The selector of a custom operator.
    public var selector: String?

    /// Creates a comparison.
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
    /// A key path from an object: `name.first` of ``evaluatedObject``, a variable, or any other expression.
    case keyPath(String, of: ArchivedExpression)
    /// A function by its selector (`count:`, `now`, `add:to:`). The target is `nil` for built-in functions.
    case function(String, target: ArchivedExpression?, arguments: [ArchivedExpression])
    /// An aggregate: a list of expressions in braces.
    case aggregate([ArchivedExpression])
    /// `SUBQUERY(collection, $variable, predicate)`.
    case subquery(ArchivedExpression, variable: String, ArchivedPredicate)
    /// `UNION`, `INTERSECT` or `MINUS` of two collections.
    case set(SetOperation, ArchivedExpression, ArchivedExpression)
    /// `TERNARY(predicate, yes, no)`.
    case conditional(ArchivedPredicate, ArchivedExpression, ArchivedExpression)
    /// `FETCH(request, context, countOnly)`.
    case fetch(request: ArchivedExpression, context: ArchivedExpression, countOnly: Bool)

    /// The set operations. Raw values are those of `NSExpression.ExpressionType`.
    public enum SetOperation: UInt, Sendable, Hashable {
        /// The elements of either.
        case union = 5
        /// The elements of both.
        case intersect = 6
        /// The elements of the first that are not in the second.
        case minus = 7
    }

    /// Returns a key path from the evaluated object.
    public static func keyPath(_ path: String) -> ArchivedExpression { .keyPath(path, of: .evaluatedObject) }
}

/// A parser that converts text in Apple's predicate format to trees.
public protocol PredicateTextParser: Sendable {
    /// Parses a predicate.
    func predicate(_ text: String) throws -> ArchivedPredicate
    /// Parses an expression.
    func expression(_ text: String) throws -> ArchivedExpression
}
