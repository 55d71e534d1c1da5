import Foundation

/// A constant in a model: a default value, a limit, a user-info entry.
public enum ModelValue: Sendable, Hashable {
    /// A Boolean.
    case bool(Bool)
    /// An integer.
    case integer(Int64)
    /// A floating-point number.
    case double(Double)
    /// A decimal number.
    case decimal(Decimal)
    /// A string.
    case string(String)
    /// A date, in seconds since 2001-01-01 00:00:00 UTC.
    case date(TimeInterval)
    /// Data.
    case data(Data)
    /// A UUID.
    case uuid(UUID)
    /// A URL, as text.
    case url(String)
    /// An array.
    case array([ModelValue])
    /// A dictionary with text keys.
    case dictionary([String: ModelValue])
    /// Any other object, as a keyed archive with the object as its root (the default of a transformable attribute).
    case archive(Data)
}

extension ModelValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}

extension ModelValue {
    /// The text; nil for other values.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value as a Swift type of Foundation: `Bool`, `Int64`, `Double`, `Decimal`, `String`, `Date`, `Data`, `UUID`, `URL`,
    /// arrays and dictionaries of these. An archived object is returned as its `Data`, and a malformed URL as text.
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
