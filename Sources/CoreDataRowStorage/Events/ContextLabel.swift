import Synchronization

/// What events say of a context.
@usableFromInline
package final class ContextLabel: Sendable {
    /// Tells contexts apart: counts up from 1 in the order in which they are first named.
    package let number: Int
    package let name: String

    private static let lastNumber = Atomic<Int>(0)

    /// - Parameter known: the context's number, if it has been named before.
    package init(name: String?, isMain: Bool, known: Int?) {
        let number = known ?? Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        self.number = number
        self.name = name ?? (isMain ? "main context" : "context \(number)")
    }
}
