import Foundation
import PredicateFormat

/// Conversions of computed values to the declared type of their column, the same for every type of store.
package enum DeclaredValue {
    /// Converts a value. Fractions are truncated if the type is an integer.
    ///
    /// - Throws: `NSCoreDataError`, naming the column, for a value that the type cannot hold.
    package static func of(_ value: Any, as kind: CellKind, column: String, of layout: EntityLayout) throws -> Any {
        if let converted = converted(value, to: kind) { return converted }
        throw CoreDataError.make(
            NSCoreDataError, description: "A computed value does not fit the type that its column declares.",
            reason: "The column \"\(column)\" gives \(value), which \(kind) cannot hold.",
            advice: "Give the expression description a wider expressionResultType, or none.", entity: layout.name,
            key: column)
    }

    /// Returns an integer as a number of an integer type; nil for other types, and if it does not fit.
    package static func integer(_ value: Int64, as kind: CellKind) -> NSNumber? {
        switch kind {
        case .int16: Int16(exactly: value).map { NSNumber(value: $0) }
        case .int32: Int32(exactly: value).map { NSNumber(value: $0) }
        case .int64: NSNumber(value: value)
        default: nil
        }
    }

    private static func converted(_ value: Any, to kind: CellKind) -> Any? {
        switch kind {
        case .int16, .int32, .int64: return number(value)?.integer.flatMap { integer($0, as: kind) }
        case .boolean: return number(value).map { NSNumber(value: $0.double != 0) }
        case .double: return number(value).map { NSNumber(value: $0.double) }
        case .float: return number(value).map { NSNumber(value: Float($0.double)) }
        case .decimal: return number(value).map { NSDecimalNumber(decimal: $0.decimal) }
        case .date: return number(value).map { Date(timeIntervalSinceReferenceDate: $0.double) }
        case .string: return text(value)
        case .uri: return value as? URL ?? text(value).flatMap { URL(string: $0) }
        case .uuid: return value as? UUID ?? text(value).flatMap { UUID(uuidString: $0) } ?? uuid(value as? Data)
        case .data: return value as? Data
        case .transformable, .boxed, .reference: return value
        }
    }

    /// Returns a number, a date's seconds since 2001, or the number in a text; nil for other values.
    private static func number(_ value: Any) -> PredicateNumber? {
        switch PredicateValue(value) {
        case .number(let number): number
        case .date(let seconds): .double(seconds)
        case .string(let text): Int64(text).map { .int($0) } ?? Double(text).map { .double($0) }
        default: nil
        }
    }

    private static func text(_ value: Any) -> String? {
        switch PredicateValue(value) {
        case .string(let text): text
        case .number: BoxedValue.number(from: value)?.stringValue
        case .other(let value as UUID): value.uuidString
        case .other(let value as URL): value.absoluteString
        default: nil
        }
    }

    private static func uuid(_ data: Data?) -> UUID? {
        guard let data, data.count == 16 else { return nil }
        return data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
