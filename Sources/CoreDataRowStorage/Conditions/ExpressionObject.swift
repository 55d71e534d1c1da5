import PredicateFormat

/// Foundation's class of expressions, by a name that is not deprecated.
package typealias ExpressionObject = FoundationNames.OfExpression.Named
