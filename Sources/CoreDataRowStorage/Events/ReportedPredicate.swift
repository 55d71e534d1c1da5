import PredicateFormat

/// The predicate of an event, which is printed when it is read, on any thread.
package enum ReportedPredicate {
    case predicate(NSPredicate)
    /// Printed at once, because it holds managed objects, which may be used in their context only.
    case text(String, ComparedKeys = ComparedKeys())

    package var text: String {
        switch self {
        case .predicate(let predicate): predicate.node.predicateFormat
        case .text(let text, _): text
        }
    }

    /// What it compares with constants.
    package var comparedKeys: ComparedKeys {
        switch self {
        case .predicate(let predicate): ComparedKeys(predicate)
        case .text(_, let keys): keys
        }
    }
}
