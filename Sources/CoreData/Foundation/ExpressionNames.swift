import PredicateFormat

// Foundation marks every mention of its expression classes as deprecated off Apple. These names lead to the same
// classes without the mark, here and where this module is imported.

/// Foundation's class of expressions.
public typealias NSExpression = FoundationNames.OfExpression.Named

/// Foundation's class of comparison predicates.
public typealias NSComparisonPredicate = FoundationNames.OfComparison.Named
