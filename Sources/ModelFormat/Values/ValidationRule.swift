import Foundation

/// A condition on the value of a property.
///
/// Core Data stores validation as predicates, each with a warning. The limits that the model editor offers are separate cases
/// here, so that they can be read and written as values; ``predicateFormat`` and ``warning`` return Core Data's form.
public enum ValidationRule: Sendable, Hashable {
    /// The minimum number, or the earliest date.
    case minimum(ModelValue)
    /// The maximum number, or the latest date.
    case maximum(ModelValue)
    /// The minimum length of a text in characters.
    case minimumLength(Int)
    /// The maximum length of a text in characters.
    case maximumLength(Int)
    /// A regular expression that must match the whole text.
    case pattern(String)
    /// Any other predicate, as text.
    case predicate(String, Warning)

    /// The error that Core Data reports if the condition is not satisfied.
    public enum Warning: Sendable, Hashable {
        /// An error code of `NSCocoaErrorDomain`.
        case code(Int)
        /// A message; the framework chooses a code between 1600 and 1699.
        case text(String)
    }

    /// The condition in Apple's predicate format, with the value as `SELF`.
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

    /// The warning for the condition. Codes are those of Core Data's public header.
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
