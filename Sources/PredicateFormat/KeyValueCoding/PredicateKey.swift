import Synchronization

/// A key as a prepared predicate asks objects for it: its name, with room to remember where its value lies.
///
/// Threads: may be used from several at once.
public final class PredicateKey: Sendable {
    /// One component of a key path.
    public let name: String

    /// Owner and place in one word, so that both change together.
    private let remembered = Atomic<UInt64>(0)

    /// Creates the key called `name`.
    public init(_ name: String) {
        self.name = name
    }

    /// The place that was remembered for `owner`, such as the slot of a property in objects of one kind; nil when nothing
    /// was, or another owner came since.
    public func place(for owner: UInt32) -> Int? {
        let word = remembered.load(ordering: .relaxed)
        return UInt32(truncatingIfNeeded: word >> 32) == owner ? Int(UInt32(truncatingIfNeeded: word)) : nil
    }

    /// Remembers a place for `owner` in place of what was remembered before.
    ///
    /// - Parameters:
    ///   - place: a number from 0 to `UInt32.max`.
    ///   - owner: identifies those who share the place; not 0.
    public func remember(_ place: Int, for owner: UInt32) {
        remembered.store(UInt64(owner) << 32 | UInt64(UInt32(truncatingIfNeeded: place)), ordering: .relaxed)
    }
}
