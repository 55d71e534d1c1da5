import Foundation

/// A predicate as a value: what the parser produces, and what evaluation, printing and a store's query
/// generator read.
///
/// Every `NSPredicate` has a tree (``Foundation/NSPredicate/node``), whether it came from a format string, from an
/// initialiser of one of the predicate classes, or from Foundation itself; and every tree can become an
/// `NSPredicate` again (`NSPredicate(node:)`).
///
/// Equality is structural. Constants compare by value (numbers by numeric value, so `true` equals `1`), blocks and
/// opaque predicates by identity.
public indirect enum PredicateNode {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case constant(Bool)
    /// One comparison of two expressions.
    case comparison(ComparisonNode)
    /// All of the operands, tested left to right; true when there are none.
    case and([PredicateNode])
    /// Any of the operands, tested left to right; false when there are none.
    case or([PredicateNode])
    /// The opposite of the operand.
    case not(PredicateNode)
    /// An `NSPredicate` that cannot be looked into: one made from a block, or of a class this module does not know.
    /// It can be evaluated, but neither parsed back from its text nor translated to a query.
    case opaque(NSPredicate)
}

/// A comparison: `left operator right`, with an optional quantifier over the left side.
public struct ComparisonNode {
    /// The left-hand expression; the collection when `modifier` is `any` or `all`.
    public var left: ExpressionNode
    /// The right-hand expression.
    public var right: ExpressionNode
    /// What is compared.
    public var comparison: ComparisonOperator
    /// Whether the left side is compared as it is, or element by element.
    public var modifier: ComparisonModifier
    /// How strings are compared.
    public var options: StringComparisonOptions
    /// The method of ``ComparisonOperator/customSelector``; nil for the other operators.
    public var selector: Selector?

    /// Creates a comparison.
    public init(
        _ left: ExpressionNode,
        _ comparison: ComparisonOperator,
        _ right: ExpressionNode,
        modifier: ComparisonModifier = .direct,
        options: StringComparisonOptions = [],
        selector: Selector? = nil
    ) {
        self.left = left
        self.right = right
        self.comparison = comparison
        self.modifier = modifier
        self.options = options
        self.selector = selector
    }
}
