import Foundation

/// A Swift `Predicate` that has no equivalent `NSPredicate`.
public struct PredicateConversionError: Error, Hashable, Sendable {
    /// The part that cannot be converted: the type of the expression, or the key path or value.
    public var expression: String
    /// The reason, and what to change.
    public var reason: String
}

extension PredicateConversionError: CustomStringConvertible, LocalizedError {
    public var description: String { "The predicate cannot be converted at \(expression): \(reason)" }
    public var errorDescription: String? { description }
}
