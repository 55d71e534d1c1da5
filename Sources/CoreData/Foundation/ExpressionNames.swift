import PredicateFormat

// Foundation declares its expression classes as deprecated off Apple's platforms. These type aliases are not deprecated, here
// and where this module is imported.

/// An alias of Foundation's expression class.
public typealias NSExpression = FoundationNames.OfExpression.Named

/// An alias of Foundation's class of comparison predicates.
public typealias NSComparisonPredicate = FoundationNames.OfComparison.Named
