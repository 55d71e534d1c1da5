#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation
import PredicateFormat

/// Writes single values in the binary form of a type.
enum ScalarEncoder {
    /// Returns true if a value has a form in a type, so that it may equal a value of that type.
    static func fits(_ value: Any, _ type: ServerType) -> Bool {
        switch type {
        case .bool, .int2, .int4, .int8:
            if case .number(let number) = PredicateValue(value) { return isWhole(number) }
            return false
        case .float8 where value is Date: return true
        case .numeric, .float4, .float8:
            if case .number(let number) = PredicateValue(value) { return type == .numeric || realOrNil(number) != nil }
            return false
        case .text: return text(of: value) != nil
        case .timestamptz:
            if case .date = PredicateValue(value) { return true }
            return false
        case .uuid: return uuid(of: value) != nil
        case .bytea: return value is Data
        case .jsonb: return false
        }
    }

    /// Writes a value.
    ///
    /// - Throws: An error for a value that the type cannot hold.
    static func write(_ value: Any, as type: ServerType, to writer: inout BinaryWriter) throws {
        switch (type, PredicateValue(value)) {
        case (.bool, .number(let number)): writer.bytes.append(number.double != 0 ? 1 : 0)
        case (.int2, .number(let number)): writer.int16(try integer(number, value))
        case (.int4, .number(let number)): writer.int32(try integer(number, value))
        case (.int8, .number(let number)): writer.int64(try integer(number, value))
        case (.float4, .number(let number)):
            writer.int32(Int32(bitPattern: Float(try real(number)).bitPattern))
        case (.float8, .number(let number)): writer.double(try real(number))
        case (.numeric, .number(.double(let number))):
            // Decimals have no place for the largest and smallest doubles.
            if number.magnitude >= 1e127 {
                NumericValue.writeInfinity(isNegative: number < 0, to: &writer)
            } else if number != 0, number.magnitude < 1e-127 {
                NumericValue.writeLeast(isNegative: number < 0, to: &writer)
            } else {
                NumericValue.write(PredicateNumber.double(try real(.double(number))).decimal, to: &writer)
            }
        case (.numeric, .number(let number)): NumericValue.write(number.decimal, to: &writer)
        case (.timestamptz, .date(let seconds)): writer.int64(try date(seconds))
        case (.float8, .date(let seconds)): writer.double(try number(seconds))
        default: try writeOther(value, type, &writer)
        }
    }

    /// Returns true if a number has no fraction, so that it may equal an integer.
    private static func isWhole(_ number: PredicateNumber) -> Bool {
        switch number {
        case .int: true
        case .unsigned: false
        case .double(let value): Int64(exactly: value) != nil
        case .decimal(let value): number.integer.map { Decimal($0) == value } ?? false
        }
    }

    /// Returns the double that compares with others as a number does; nil for NaN, and for integers that are rounded.
    private static func realOrNil(_ number: PredicateNumber) -> Double? {
        if case .int(let integer) = number { return Double(exactly: integer) }
        return number.double.isNaN ? nil : number.double
    }

    private static func real(_ number: PredicateNumber) throws -> Double {
        guard let double = realOrNil(number) else {
            throw UnsupportedQuery.make(
                "PostgreSQL compares floating-point numbers neither with NaN nor with integers that have no double",
                advice: "Use another number.")
        }
        return double
    }

    private static func writeOther(_ value: Any, _ type: ServerType, _ writer: inout BinaryWriter) throws {
        if type == .text, let text = text(of: value) {
            guard !text.utf8.contains(0) else {
                throw UnsupportedQuery.make(
                    "PostgreSQL has no text with U+0000", advice: "Leave the character out of the predicate's constant."
                )
            }
            writer.bytes.append(contentsOf: text.utf8)
        } else if type == .uuid, let uuid = uuid(of: value) {
            withUnsafeBytes(of: uuid.uuid) { writer.bytes.append(contentsOf: $0) }
        } else if type == .bytea, let data = value as? Data {
            writer.bytes.append(contentsOf: data)
        } else {
            throw UnsupportedQuery.expression("\(value) of the type \(Swift.type(of: value))", kind: "constant")
        }
    }

    private static func integer<Integer: FixedWidthInteger>(_ number: PredicateNumber, _ value: Any) throws -> Integer {
        guard let integer = number.integer.flatMap({ Integer(exactly: $0) }) else {
            throw UnsupportedQuery.expression("\(value)", kind: "constant")
        }
        return integer
    }

    /// Returns a date's microseconds; the infinities of the type beyond its bounds, which order as the date does.
    private static func date(_ seconds: Double) throws -> Int64 {
        MicrosecondDate.count(try number(seconds)) ?? (seconds < 0 ? .min : .max)
    }

    /// Returns a date's seconds, which must be a number.
    private static func number(_ seconds: Double) throws -> Double {
        guard !seconds.isNaN else {
            throw UnsupportedQuery.make("A date that is not a number cannot be compared", advice: "Use another date.")
        }
        return seconds
    }

    private static func text(of value: Any) -> String? {
        switch value {
        case let text as String: text
        case let url as URL: url.absoluteString
        case let uuid as UUID: uuid.uuidString
        case let text as any StringProtocol: String(text)
        case let character as Character: String(character)
        default: nil
        }
    }

    private static func uuid(of value: Any) -> UUID? {
        value as? UUID ?? text(of: value).flatMap { UUID(uuidString: $0) }
    }
}
#endif
