import PredicateFormat

/// Foundation's class of expressions, under a name that is not marked as deprecated.
package typealias ExpressionObject = FoundationNames.OfExpression.Named
