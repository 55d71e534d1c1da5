#if PostgreSQL
import Foundation

/// The binary form of `numeric`: groups of four decimal digits, the power of 10000 of the first group, sign, digits of the
/// fraction.
enum NumericValue {
    private static let negative: UInt16 = 0x4000
    private static let notANumber: UInt16 = 0xC000

    // MARK: Writing

    static func write(_ decimal: Decimal, to writer: inout BinaryWriter) {
        guard !decimal.isNaN else { return header(0, 0, notANumber, 0, &writer) }
        var mantissa = magnitude(decimal)
        guard mantissa != 0 else { return header(0, 0, 0, 0, &writer) }
        var exponent = decimal.exponent
        // Trailing zeros are no part of the value.
        while mantissa % 10 == 0 {
            mantissa /= 10
            exponent += 1
        }
        // The exponent becomes a multiple of four.
        let shift = ((exponent % 4) + 4) % 4
        for _ in 0..<shift { mantissa *= 10 }
        exponent -= shift
        var groups: [UInt16] = []
        while mantissa > 0 {
            groups.append(UInt16(truncatingIfNeeded: mantissa % 10000))
            mantissa /= 10000
        }
        let scale = max(0, -(decimal.exponent))
        header(groups.count, groups.count - 1 + exponent / 4, decimal.isSignMinus ? negative : 0, scale, &writer)
        for group in groups.reversed() { writer.int16(Int16(bitPattern: group)) }
    }

    private static func header(_ count: Int, _ weight: Int, _ sign: UInt16, _ scale: Int, _ writer: inout BinaryWriter) {
        writer.int16(Int16(count))
        writer.int16(Int16(weight))
        writer.int16(Int16(bitPattern: sign))
        writer.int16(Int16(min(scale, 16383)))
    }

    /// Returns the digits of a decimal as an integer of 128 bits.
    private static func magnitude(_ decimal: Decimal) -> UInt128 {
        let significand = decimal.isSignMinus ? -decimal : decimal
        return withUnsafeBytes(of: significand) { bytes in
            // Foundation's layout: four bytes of exponent and flags, then 16 bytes of digits, the lowest first.
            let low = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
            let high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 12, as: UInt64.self))
            return UInt128(high) << 64 | UInt128(low)
        }
    }

    // MARK: Reading

    /// Reads a value, rounded to 38 digits as `Decimal` holds them.
    ///
    /// - Throws: XX001 for infinity, and for numbers that a decimal cannot hold.
    static func read(_ bytes: UnsafeRawBufferPointer) throws -> Decimal {
        func short(_ index: Int) -> UInt16 {
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))
        }
        guard bytes.count >= 8 else { throw BinaryValue.unreadable("a decimal of \(bytes.count) bytes") }
        let (count, weight, sign) = (Int(short(0)), Int(Int16(bitPattern: short(1))), short(2))
        guard sign != notANumber else { return .nan }
        guard sign == 0 || sign == negative, bytes.count == 8 + 2 * count else {
            throw BinaryValue.unreadable("an infinite decimal")
        }
        var digits = ""
        for group in 0..<count {
            let text = String(short(4 + group))
            digits += String(repeating: "0", count: max(0, 4 - text.count)) + text
        }
        let text = "\(sign == negative ? "-" : "")\(digits.isEmpty ? "0" : digits)e\(4 * (weight + 1 - count))"
        guard let decimal = Decimal(string: text) else { throw BinaryValue.unreadable("the decimal \(text)") }
        return decimal
    }
}
#endif
