#if PostgreSQL
import CoreDataRowStorage
import Foundation

/// The binary forms of PostgreSQL's values: numbers in network order, dates as microseconds since 2000.
enum BinaryValue {
    // MARK: Reading

    /// Reads an integer of 1 to 8 bytes.
    @inline(__always)
    static func integer(_ bytes: UnsafeRawBufferPointer) throws -> Int64 {
        switch bytes.count {
        case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        case 1: Int64(bytes[0])
        default: throw unreadable("an integer of \(bytes.count) bytes")
        }
    }

    /// Reads a floating-point number of 4 or 8 bytes.
    @inline(__always)
    static func double(_ bytes: UnsafeRawBufferPointer) throws -> Double {
        switch bytes.count {
        case 8: Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
        case 4: Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
        default: throw unreadable("a number of \(bytes.count) bytes")
        }
    }

    /// Reads a date as seconds since the reference date.
    @inline(__always)
    static func date(_ bytes: UnsafeRawBufferPointer) throws -> Double {
        let count = try integer(bytes)
        guard count != .max, count != .min else { throw unreadable("an infinite date") }
        return MicrosecondDate.seconds(count)
    }

    static func unreadable(_ what: String) -> PostgreSQLError {
        PostgreSQLError(state: "XX001", message: "The server sent \(what), which has no place in its column.")
    }
}
#endif
