import Foundation

/// One condition a property's value must meet.
///
/// Core Data keeps validation as predicates with a warning each. The limits the model editor offers are cases of their
/// own here, so that they can be read and written as values; ``predicateFormat`` and ``warning`` give Core Data's form.
public enum ValidationRule: Sendable, Hashable {
    /// The smallest number, or the earliest date.
    case minimum(ModelValue)
    /// The largest number, or the latest date.
    case maximum(ModelValue)
    /// A text of so many characters at least.
    case minimumLength(Int)
    /// A text of so many characters at the most.
    case maximumLength(Int)
    /// A regular expression the whole text must match.
    case pattern(String)
    /// Any other predicate, as text.
    case predicate(String, Warning)

    /// What Core Data reports when the condition is not met.
    public enum Warning: Sendable, Hashable {
        /// An error code of `NSCocoaErrorDomain`.
        case code(Int)
        /// A message; the code is then 1600-something of the framework's choosing.
        case text(String)
    }

    /// The condition in Apple's predicate format, `SELF` being the value.
    public var predicateFormat: String {
        switch self {
        case .minimum(let limit): "\(Self.subject(limit)) >= \(Self.constant(limit))"
        case .maximum(let limit): "\(Self.subject(limit)) <= \(Self.constant(limit))"
        case .minimumLength(let count): "length >= \(count)"
        case .maximumLength(let count): "length <= \(count)"
        case .pattern(let pattern): "SELF MATCHES \(PredicateText.quoted(pattern))"
        case .predicate(let text, _): text
        }
    }

    /// The warning that belongs to the condition. Codes as in Core Data's public header.
    public var warning: Warning {
        switch self {
        case .minimum(.date): .code(1640)
        case .maximum(.date): .code(1630)
        case .minimum: .code(1620)
        case .maximum: .code(1610)
        case .minimumLength: .code(1670)
        case .maximumLength: .code(1660)
        case .pattern: .code(1680)
        case .predicate(_, let warning): warning
        }
    }

    private static func subject(_ limit: ModelValue) -> String {
        if case .date = limit { "timeIntervalSinceReferenceDate" } else { "SELF" }
    }

    private static func constant(_ limit: ModelValue) -> String {
        switch limit {
        case .integer(let value): "\(value)"
        case .double(let value), .date(let value): PredicateText.number(value)
        case .decimal(let value): "\(value)"
        case .bool(let value): value ? "1" : "0"
        case .string(let text), .url(let text): PredicateText.quoted(text)
        default: "nil"
        }
    }
}
