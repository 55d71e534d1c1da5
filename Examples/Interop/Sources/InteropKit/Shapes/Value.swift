import Foundation

/// A value of an attribute, independent of Core Data.
public indirect enum Value: Sendable {
    case none
    case integer(Int64)
    case double(Double)
    case float(Float)
    /// A decimal number in digits, as `NSDecimalNumber(string:)` reads them.
    case decimal(String)
    case text(String)
    case bool(Bool)
    /// The seconds since the reference date, 2001-01-01 00:00:00 UTC.
    case date(TimeInterval)
    case data(Data)
    case uuid(String)
    case uri(String)
    /// An array within a transformable attribute.
    case list([Value])
    /// A dictionary within a transformable attribute, or the elements of a composite one.
    case table([String: Value])

    /// True if there is no value.
    var isNone: Bool {
        if case .none = self { true } else { false }
    }

    /// Returns the value of a composite attribute. It is none if all elements are none: a store does not distinguish the two.
    static func composite(_ parts: [(String, Value)]) -> Value {
        parts.allSatisfy(\.1.isNone) ? .none : .table(Dictionary(uniqueKeysWithValues: parts))
    }

    /// The object to set as the attribute's value in Core Data.
    var object: Any? {
        switch self {
        case .none: nil
        case .integer(let number): NSNumber(value: number)
        case .double(let number): NSNumber(value: number)
        case .float(let number): NSNumber(value: number)
        case .decimal(let digits): NSDecimalNumber(string: digits)
        case .text(let text): text
        case .bool(let flag): NSNumber(value: flag)
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let data): data
        case .uuid(let text): UUID(uuidString: text)
        case .uri(let text): URL(string: text)
        case .list(let values): values.compactMap(\.object)
        case .table(let values): values.compactMapValues(\.object)
        }
    }
}
