// Part of key-value observing, which Foundation lacks off Apple's platforms. To be removed once Foundation has it.

/// The way in which the set of a key changes. Raw values are Apple's.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// Objects are added.
    case union = 1
    /// Objects are removed.
    case minus = 2
    /// Objects not in the other set are removed.
    case intersect = 3
    /// The set's content is replaced.
    case set = 4
}
