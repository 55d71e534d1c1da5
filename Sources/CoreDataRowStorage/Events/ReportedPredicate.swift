import PredicateFormat

/// The predicate of an event, which is printed when the event is read, on any thread.
package enum ReportedPredicate {
    case predicate(NSPredicate)
    /// The text of a predicate that was printed immediately, because it contains managed objects.
    case text(String, ComparedKeys = ComparedKeys())

    package var text: String {
        switch self {
        case .predicate(let predicate): predicate.node.predicateFormat
        case .text(let text, _): text
        }
    }

    /// The attributes that it compares with constants.
    package var comparedKeys: ComparedKeys {
        switch self {
        case .predicate(let predicate): ComparedKeys(predicate)
        case .text(_, let keys): keys
        }
    }
}
