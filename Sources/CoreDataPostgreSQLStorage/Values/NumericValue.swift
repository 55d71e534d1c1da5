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
        // The double of a short significand is exact, and faster than the text.
        let significand = abs(NSDecimalNumber(decimal: decimal.significand).doubleValue)
        guard significand >= 0x1p53 else { return write(UInt64(significand), decimal, to: &writer) }
        var text = decimal.description
        let (groups, weight, scale) = text.withUTF8(groups)
        header(groups.count, weight, decimal.isSignMinus ? negative : 0, scale, &writer)
        for group in groups { writer.int16(Int16(group)) }
    }

    /// Writes an infinity, which compares with decimals as numbers do that are beyond all of them.
    static func writeInfinity(isNegative: Bool, to writer: inout BinaryWriter) {
        header(0, 0, isNegative ? 0xF000 : 0xD000, 0, &writer)
    }

    /// Writes a number that is closer to zero than every other decimal.
    static func writeLeast(isNegative: Bool, to writer: inout BinaryWriter) {
        header(1, -34, isNegative ? negative : 0, 136, &writer)
        writer.int16(1)
    }

    private static func write(_ significand: UInt64, _ decimal: Decimal, to writer: inout BinaryWriter) {
        guard significand > 0 else { return header(0, 0, 0, 0, &writer) }
        var (rest, exponent) = (significand, decimal.exponent)
        // The exponent becomes a multiple of four.
        while exponent % 4 != 0 {
            rest *= 10
            exponent -= 1
        }
        while rest % 10000 == 0 {
            rest /= 10000
            exponent += 4
        }
        var (power, count) = (UInt64(1), 1)
        while rest / power >= 10000 {
            power *= 10000
            count += 1
        }
        let sign = decimal.isSignMinus ? negative : 0
        header(count, count - 1 + exponent / 4, sign, max(0, -decimal.exponent), &writer)
        while power > 0 {
            writer.int16(Int16(rest / power % 10000))
            power /= 10000
        }
    }

    /// Returns the groups of digits of a decimal's text, without those that are zero at both ends; the power of the first; and
    /// the number of digits after the point.
    private static func groups(
        _ text: UnsafeBufferPointer<UInt8>
    ) -> (groups: ContiguousArray<UInt16>, weight: Int, scale: Int) {
        let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        let point = digits.firstIndex(of: UInt8(ascii: ".")) ?? digits.endIndex
        var groups: ContiguousArray<UInt16> = []
        // The first group of the whole part may have fewer digits, the last one of the fraction is filled with zeros.
        var (weight, group, missing) = (-1, UInt16(0), (point - digits.startIndex + 3) % 4 + 1)
        func end() {
            if group == 0, groups.isEmpty { weight -= 1 } else { groups.append(group) }
            (group, missing) = (0, 4)
        }
        weight += (point - digits.startIndex + 3) / 4
        for index in digits.indices where index != point {
            group = group * 10 + UInt16(digits[index] &- UInt8(ascii: "0"))
            missing -= 1
            if missing == 0 { end() }
        }
        let fraction = max(0, digits.endIndex - point - 1)
        if fraction % 4 > 0 {
            for _ in 0..<missing { group *= 10 }
            end()
        }
        while groups.last == 0 { groups.removeLast() }
        return (groups, groups.isEmpty ? 0 : weight, fraction)
    }

    private static func header(_ count: Int, _ weight: Int, _ sign: UInt16, _ scale: Int, _ writer: inout BinaryWriter)
    {
        writer.int16(Int16(count))
        writer.int16(Int16(weight))
        writer.int16(Int16(bitPattern: sign))
        writer.int16(Int16(min(scale, 16383)))
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
        guard sign == 0 || sign == negative else { throw BinaryValue.unreadable("an infinite decimal") }
        guard bytes.count == 8 + 2 * count else {
            throw BinaryValue.unreadable("a decimal of \(count) groups in \(bytes.count) bytes")
        }
        var digits = ""
        for group in 0..<count {
            guard short(4 + group) < 10_000 else { throw BinaryValue.unreadable("a decimal without decimal digits") }
            let text = String(short(4 + group))
            digits += String(repeating: "0", count: max(0, 4 - text.count)) + text
        }
        var exponent = 4 * (weight + 1 - count)
        // Decimals have exponents up to 127, and the server leaves zeros out.
        while exponent > 127, digits.count < 38 {
            digits += "0"
            exponent -= 1
        }
        let text = "\(sign == negative ? "-" : "")\(digits.isEmpty ? "0" : digits)e\(exponent)"
        guard let decimal = Decimal(string: text) else { throw BinaryValue.unreadable("the decimal \(text)") }
        return decimal
    }
}
#endif
