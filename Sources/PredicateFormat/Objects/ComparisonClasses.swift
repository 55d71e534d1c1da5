import Foundation

// Subclasses of Foundation's deprecated `NSComparisonPredicate`, named through ``FoundationNaming``.

/// The reference subclass without overrides.
@available(*, deprecated)
final class UnchangedComparisonClass: Foundation.NSComparisonPredicate {
    /// Evaluates as Foundation does, ignoring overrides of the object's class.
    func evaluateAsFoundation(_ object: Any?) {
        _ = super.evaluate(with: object, substitutionVariables: nil)
    }
}

/// The subclass that overrides the methods which application subclasses must not inherit from Foundation.
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
