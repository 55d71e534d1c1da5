#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation
import PredicateFormat

/// Conversions of query results in binary form to the values that key-value coding returns.
enum ResultValue {
    /// Returns a value that is not NULL; nil for one that its type cannot represent, such as text that is no URL.
    ///
    /// - Parameter identifier: The type of the column, by object identifier.
    /// - Throws: XX001 for a type of the server that the value's kind is never computed in.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, as type: ValueType, from identifier: UInt32
    ) throws -> Any? {
        switch type.kind {
        case .int16: return NSNumber(value: Int16(truncatingIfNeeded: try integer(bytes, identifier)))
        case .int32: return NSNumber(value: Int32(truncatingIfNeeded: try integer(bytes, identifier)))
        case .int64: return NSNumber(value: try integer(bytes, identifier))
        case .boolean: return NSNumber(value: try integer(bytes, identifier) != 0)
        case .double: return NSNumber(value: try double(bytes, identifier))
        case .float: return NSNumber(value: Float(try double(bytes, identifier)))
        case .date:
            guard identifier == ServerType.timestamptz.rawValue else {
                guard identifier == ServerType.float8.rawValue else { throw unexpected(identifier) }
                return Date(timeIntervalSinceReferenceDate: try BinaryValue.double(bytes))
            }
            return Date(timeIntervalSinceReferenceDate: try BinaryValue.date(bytes))
        case .string: return try text(bytes, identifier)
        case .uri: return URL(string: try text(bytes, identifier))
        case .decimal: return try decimal(bytes, identifier).map { NSDecimalNumber(decimal: $0) }
        case .data: return try data(bytes, identifier)
        case .uuid: return try uuid(bytes, identifier)
        case .transformable:
            guard let coder = type.coder else { return nil }
            if let value = coder.value(from: try data(bytes, identifier)) { return value }
            guard let failure = coder.failure(in: nil) else { return nil }
            throw failure
        case .boxed, .reference, nil: return try natural(bytes, identifier)
        }
    }

    // MARK: Numbers

    private static func integer(_ bytes: UnsafeRawBufferPointer, _ identifier: UInt32) throws -> Int64 {
        switch ServerType(rawValue: identifier) {
        case .int2, .int4, .int8, .bool: return try BinaryValue.integer(bytes)
        case .float4, .float8:
            let double = try BinaryValue.double(bytes)
            guard let integer = Int64(exactly: double.rounded(.towardZero)) else {
                throw BinaryValue.unreadable("the number \(double)")
            }
            return integer
        case .numeric:
            let decimal = try NumericValue.read(bytes)
            return NSDecimalNumber(decimal: decimal).int64Value
        default: throw unexpected(identifier)
        }
    }

    private static func double(_ bytes: UnsafeRawBufferPointer, _ identifier: UInt32) throws -> Double {
        switch ServerType(rawValue: identifier) {
        case .float4, .float8: return try BinaryValue.double(bytes)
        case .int2, .int4, .int8, .bool: return Double(try BinaryValue.integer(bytes))
        case .numeric: return try NumericValue.read(bytes).nearestDouble
        default: throw unexpected(identifier)
        }
    }

    private static func decimal(_ bytes: UnsafeRawBufferPointer, _ identifier: UInt32) throws -> Decimal? {
        if identifier == decimalArray { return try mean(bytes) }
        switch ServerType(rawValue: identifier) {
        case .numeric: return try NumericValue.read(bytes)
        case .int2, .int4, .int8, .bool: return Decimal(try BinaryValue.integer(bytes))
        case .float4, .float8:
            let double = try BinaryValue.double(bytes)
            // Others have no decimal, or trap.
            guard double.isNaN || double.magnitude < 1e127 else { throw BinaryValue.unreadable("the number \(double)") }
            return Decimal(double)
        default: throw unexpected(identifier)
        }
    }

    /// The object identifier of arrays of `numeric`.
    private static let decimalArray: UInt32 = 1231

    /// Divides a sum by a count, which the server sends as an array, because it rounds quotients differently; nil for no
    /// values.
    private static func mean(_ bytes: UnsafeRawBufferPointer) throws -> Decimal? {
        // Dimensions, flag, type, length and first index of the array; each element with its length.
        var (offset, parts): (Int, [Decimal?]) = (20, [])
        while offset + 4 <= bytes.count {
            let length = Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
            offset += 4
            guard length >= 0 else {
                parts.append(nil)
                continue
            }
            guard offset + length <= bytes.count else {
                throw BinaryValue.unreadable("an array of \(bytes.count) bytes")
            }
            parts.append(try NumericValue.read(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])))
            offset += length
        }
        guard parts.count == 2 else { throw BinaryValue.unreadable("an array of \(parts.count) decimals") }
        guard let sum = parts[0], let count = parts[1], count != 0 else { return nil }
        return sum / count
    }

    // MARK: Other values

    private static func text(_ bytes: UnsafeRawBufferPointer, _ identifier: UInt32) throws -> String {
        guard ColumnType.isText(identifier) else { throw unexpected(identifier) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func data(_ bytes: UnsafeRawBufferPointer, _ identifier: UInt32) throws -> Data {
        guard identifier == ServerType.bytea.rawValue else { throw unexpected(identifier) }
        return Data(bytes)
    }

    private static func uuid(_ bytes: UnsafeRawBufferPointer, _ identifier: UInt32) throws -> UUID {
        guard identifier == ServerType.uuid.rawValue else { throw unexpected(identifier) }
        guard bytes.count == 16 else { throw BinaryValue.unreadable("a UUID of \(bytes.count) bytes") }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    /// Returns a value by the type of the column, for kinds that do not follow from the model.
    private static func natural(_ bytes: UnsafeRawBufferPointer, _ identifier: UInt32) throws -> Any? {
        switch ServerType(rawValue: identifier) {
        case .bool: return NSNumber(value: try BinaryValue.integer(bytes) != 0)
        case .int2, .int4, .int8: return NSNumber(value: try BinaryValue.integer(bytes))
        case .float4, .float8: return NSNumber(value: try BinaryValue.double(bytes))
        case .numeric: return NSDecimalNumber(decimal: try NumericValue.read(bytes))
        case .text: return String(decoding: bytes, as: UTF8.self)
        case .timestamptz: return Date(timeIntervalSinceReferenceDate: try BinaryValue.date(bytes))
        case .uuid: return try uuid(bytes, identifier)
        case .bytea: return Data(bytes)
        case nil where ColumnType.isText(identifier): return String(decoding: bytes, as: UTF8.self)
        case .jsonb, nil: throw unexpected(identifier)
        }
    }

    private static func unexpected(_ identifier: UInt32) -> PostgreSQLError {
        ColumnType.mismatch("of a value", identifier)
    }
}
#endif
