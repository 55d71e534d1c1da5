// Part of key-value observing, which Foundation lacks off Apple. This goes when Foundation has it.

/// How the set behind a key changes. Raw values are Apple's.
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
