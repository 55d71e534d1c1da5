import Foundation

/// A constant inside a model: a default value, a limit, an entry of a user-info dictionary.
public enum ModelValue: Sendable, Hashable {
    /// A truth value.
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// A floating-point number.
    case double(Double)
    /// A decimal number.
    case decimal(Decimal)
    /// A text.
    case string(String)
    /// Seconds since 2001-01-01 00:00:00 UTC.
    case date(TimeInterval)
    /// Bytes.
    case data(Data)
    /// A UUID.
    case uuid(UUID)
    /// A URL's text.
    case url(String)
    /// A list.
    case array([ModelValue])
    /// Values by name.
    case dictionary([String: ModelValue])
    /// Any other object: a keyed archive whose root it is (the default of a transformable attribute).
    case archive(Data)
}

extension ModelValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}

extension ModelValue {
    /// The text, if the value is one.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value as Foundation's Swift types: `Bool`, `Int64`, `Double`, `Decimal`, `String`, `Date`, `Data`, `UUID`,
    /// `URL`, arrays and dictionaries of these. An archived object comes as its `Data`, and text that is no URL as text.
    public var foundationValue: any Sendable {
        switch self {
        case .bool(let value): value
        case .integer(let value): value
        case .double(let value): value
        case .decimal(let value): value
        case .string(let value): value
        case .date(let interval): Date(timeIntervalSinceReferenceDate: interval)
        case .data(let value), .archive(let value): value
        case .uuid(let value): value
        case .url(let text): URL(string: text) ?? text
        case .array(let values): values.map(\.foundationValue)
        case .dictionary(let values): values.mapValues(\.foundationValue)
        }
    }
}
