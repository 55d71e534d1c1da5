import Foundation

/// A sort descriptor as a value, read by the query generator of a store.
public struct SortKey {
    /// The comparison of the key's values.
    public enum Comparison {
        /// By the natural order of the values: `compare:`.
        case natural
        /// By a comparison method of strings.
        case collation(StringCollation)
        /// By a method unknown to this module; such a descriptor cannot compare.
        case unknownSelector(Selector)
        /// By a comparator.
        case comparator
    }

    /// The key path; nil for the object itself, and for Swift key paths without a name (see ``KeyPathNaming``).
    public var key: String?
    /// True if smaller values come first. Nil is smaller than any value.
    public var ascending: Bool
    /// The comparison of the key's values.
    public var comparison: Comparison
}

extension SortKey.Comparison {
    init(selector: Selector?) {
        guard let selector, selector != .compare else {
            self = .natural
            return
        }
        if let collation = StringCollation(selector: selector) {
            self = .collation(collation)
        } else {
            self = .unknownSelector(selector)
        }
    }
}
