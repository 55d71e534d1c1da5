import Synchronization

/// A key of a compiled predicate: its name, with a one-entry inline cache for the location of its value.
///
/// Thread-safe.
public final class PredicateKey: Sendable {
    /// One component of a key path.
    public let name: String

    /// The owner and the location in one word, so that both change atomically.
    private let remembered = Atomic<UInt64>(0)

    /// Creates the key called `name`.
    public init(_ name: String) {
        self.name = name
    }

    /// Returns the location cached for `owner`, such as the slot of a property in objects of one entity; nil if none is cached
    /// or another owner has replaced it.
    public func place(for owner: UInt32) -> Int? {
        let word = remembered.load(ordering: .relaxed)
        return UInt32(truncatingIfNeeded: word >> 32) == owner ? Int(UInt32(truncatingIfNeeded: word)) : nil
    }

    /// Caches a location for `owner`, replacing the cached one.
    ///
    /// - Parameters:
    ///   - place: a number from 0 to `UInt32.max`.
    ///   - owner: the identifier of the objects that share the location; not 0.
    public func remember(_ place: Int, for owner: UInt32) {
        remembered.store(UInt64(owner) << 32 | UInt64(UInt32(truncatingIfNeeded: place)), ordering: .relaxed)
    }
}
