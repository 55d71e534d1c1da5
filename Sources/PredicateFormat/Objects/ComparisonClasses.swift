import Foundation

// Subclasses of Foundation's deprecated `NSComparisonPredicate`, named through ``FoundationNaming``.

/// Overrides nothing.
@available(*, deprecated)
final class UnchangedComparisonClass: Foundation.NSComparisonPredicate {
    /// Evaluates as Foundation does, whatever the class of the object overrides.
    func evaluateAsFoundation(_ object: Any?) {
        _ = super.evaluate(with: object, substitutionVariables: nil)
    }
}

/// Overrides what predicates of programs' own classes inherit and must not.
@available(*, deprecated)
final class RepairedComparisonClass: Foundation.NSComparisonPredicate {
    override var predicateFormat: String { node.predicateFormat }
    override var description: String { node.predicateFormat }
    override var hash: Int { node.hashValue }
    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ object: Any?) -> Bool {
        PredicateObjects.isEqual(self, node, object)
    }
}

enum OfUnchangedComparison: FoundationNaming {
    @available(*, deprecated)
    static func name() -> UnchangedComparisonClass { fatalError("declares a type only") }
}

enum OfRepairedComparison: FoundationNaming {
    @available(*, deprecated)
    static func name() -> RepairedComparisonClass { fatalError("declares a type only") }
}
