import Foundation

/// A predicate as a value: produced by the parser, read by evaluation, printing and the query generator of a store.
///
/// Every `NSPredicate` has a tree (``Foundation/NSPredicate/node``), whether it was created from a format string, by an
/// initializer of a predicate class, or by Foundation itself; and every tree can be converted to an `NSPredicate`
/// (`NSPredicate(node:)`).
///
/// Equality is structural. Constants compare by value (numbers by numeric value, so `true` equals `1`), blocks and opaque
/// predicates by identity.
public indirect enum PredicateNode {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case constant(Bool)
    /// A comparison of two expressions.
    case comparison(ComparisonNode)
    /// The conjunction of the operands, evaluated left to right; true if there are none.
    case and([PredicateNode])
    /// The disjunction of the operands, evaluated left to right; false if there are none.
    case or([PredicateNode])
    /// The negation of the operand.
    case not(PredicateNode)
    /// An `NSPredicate` without a tree: one with a block, or of an unknown class. It can be evaluated, but neither parsed from
    /// its printed form nor translated to a query.
    case opaque(NSPredicate)
}

/// A comparison: `left operator right`, with an optional quantifier over the left side.
public struct ComparisonNode {
    /// The left-hand expression; the collection when `modifier` is `any` or `all`.
    public var left: ExpressionNode
    /// The right-hand expression.
    public var right: ExpressionNode
    /// The comparison operator.
    public var comparison: ComparisonOperator
    /// The quantifier: the left side is compared directly or element by element.
    public var modifier: ComparisonModifier
    /// The string comparison options.
    public var options: StringComparisonOptions
    /// The selector of ``ComparisonOperator/customSelector``; nil for the other operators.
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
