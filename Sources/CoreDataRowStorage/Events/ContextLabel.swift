import Synchronization

/// The description of a context in events.
@usableFromInline
package final class ContextLabel: Sendable {
    /// The number that identifies the context, counting up from 1 in the order in which contexts are first named.
    package let number: Int
    package let name: String

    private static let lastNumber = Atomic<Int>(0)

    /// Creates the description.
    ///
    /// - Parameter known: the context's number, if it has been named before.
    package init(name: String?, isMain: Bool, known: Int?) {
        let number = known ?? Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        self.number = number
        self.name = name ?? (isMain ? "main context" : "context \(number)")
    }
}
