#if PostgreSQL
import Foundation

/// The binary forms of PostgreSQL's values: numbers in network order, dates as microseconds since 2000.
enum BinaryValue {
    /// The seconds from the beginning of 2000, UTC, which dates count from, to the reference date, 2001.
    private static let epochOffset = 31_622_400.0
    private static let microseconds = 1_000_000.0
    /// The bounds of `timestamptz`: 4713 BC and the end of 294276.
    private static let dates: ClosedRange<Int64> = -211_813_488_000_000_000...9_223_371_331_199_999_999

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
        return seconds(count)
    }

    static func unreadable(_ what: String) -> PostgreSQLError {
        PostgreSQLError(state: "XX001", message: "The server sent \(what), which has no place in its column.")
    }

    // MARK: Dates

    /// Returns microseconds since 2000 for seconds since the reference date, rounded; nil for dates that the server does not
    /// have.
    static func microseconds(_ seconds: Double) -> Int64? {
        let count = ((seconds + epochOffset) * microseconds).rounded(.toNearestOrEven)
        guard count.isFinite, let whole = Int64(exactly: count), dates.contains(whole) else { return nil }
        return whole
    }

    private static func seconds(_ microseconds: Int64) -> Double {
        // Whole seconds and the rest apart: each is exact.
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return Double(whole) - epochOffset + Double(rest) / Self.microseconds
    }

    /// Returns seconds since the reference date as the server returns them: rounded to microseconds. Nil for dates that it does
    /// not have.
    static func rounded(_ seconds: Double) -> Double? { microseconds(seconds).map(Self.seconds) }
}
#endif
