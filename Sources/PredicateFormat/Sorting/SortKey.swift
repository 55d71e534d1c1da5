import Foundation

/// A sort descriptor as a value: what a store's query generator reads.
public struct SortKey {
    /// How the values of the key are compared.
    public enum Comparison {
        /// By the natural order of the values: `compare:`.
        case natural
        /// By a comparison method of strings.
        case collation(StringCollation)
        /// By a method this module does not know; such a descriptor cannot compare.
        case unknownSelector(Selector)
        /// By code.
        case comparator
    }

    /// The key path; nil for the object itself, and for Swift key paths without a name (see ``KeyPathNaming``).
    public var key: String?
    /// Whether smaller values come first. Nil is smaller than any value.
    public var ascending: Bool
    /// How values are compared.
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
