import Foundation

/// Text in UTF-8 that is built piece by piece.
package struct ByteText {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package var text: String { String(decoding: bytes, as: UTF8.self) }
    package var count: Int { bytes.count }

    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    package mutating func append(_ byte: UInt8) { bytes.append(byte) }

    package mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    package mutating func append(text: String) { bytes.append(contentsOf: text.utf8) }

    package mutating func append(_ other: [UInt8]) { bytes.append(contentsOf: other) }

    package mutating func append(_ number: Int64) {
        var rest = number.magnitude
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    /// Appends a number with at least `digits` digits.
    private mutating func append(_ number: Int, digits: Int) {
        var divisor = 1
        for _ in 1..<max(digits, 2) { divisor *= 10 }
        if digits == 1 { divisor = 1 }
        var rest = number
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(rest / divisor % 10))
            rest %= divisor
            divisor /= 10
        }
    }

    /// Appends a finite number: in JSON's form, without a fraction if it has none.
    package mutating func append(_ number: Double) {
        if number == number.rounded(), abs(number) < 1e15, !(number == 0 && number.sign == .minus) {
            append(Int64(number))
        } else {
            append(text: number.description)
        }
    }

    // MARK: Dates

    /// Appends a date as ISO 8601 in UTC, with a fraction only if it has one: microseconds. A date that has no such form is
    /// written as its seconds since 2001.
    package mutating func append(_ date: Date, wholeSeconds: Bool = false) {
        let reference = date.timeIntervalSinceReferenceDate
        // The years 1 to 9999.
        guard reference >= -63_114_076_800, reference < 252_455_616_000 else {
            return append(text: "\(reference)")
        }
        // Before October 15, 1582, in the calendar of Foundation's formatters, which imports use, the Julian one.
        guard reference >= -13_197_600_000 else {
            let whole = Date(timeIntervalSinceReferenceDate: reference.rounded(.down))
            return append(text: ISO8601DateFormatter().string(from: whole))
        }
        let microseconds = (date.timeIntervalSince1970 * 1e6).rounded()
        let seconds = (microseconds / 1e6).rounded(.down)
        let fraction = Int(microseconds - seconds * 1e6)
        let total = Int(seconds)
        let days = total >= 0 ? total / 86_400 : (total - 86_399) / 86_400
        let second = total - days * 86_400
        let (year, month, day) = Self.civil(days)
        append(year, digits: 4)
        append(UInt8(ascii: "-"))
        append(month, digits: 2)
        append(UInt8(ascii: "-"))
        append(day, digits: 2)
        append(UInt8(ascii: "T"))
        append(second / 3600, digits: 2)
        append(UInt8(ascii: ":"))
        append(second / 60 % 60, digits: 2)
        append(UInt8(ascii: ":"))
        append(second % 60, digits: 2)
        if fraction > 0, !wholeSeconds {
            append(UInt8(ascii: "."))
            append(fraction, digits: 6)
        }
        append(UInt8(ascii: "Z"))
    }

    /// Returns the date of a day counted from 1970, in the Gregorian calendar.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        // Counted from March 1 of the year 0, in eras of 400 years.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    // MARK: Escapes

    /// Appends a JSON string with its quotes. Control characters, those of C1 included, are escaped.
    package mutating func appendJSON(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { appendEscaped($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ source: UnsafeBufferPointer<UInt8>) {
        var start = 0
        var index = 0
        while index < source.count {
            let byte = source[index]
            // C1 characters are 0xC2 and 0x80 to 0x9F.
            let isC1 = byte == 0xc2 && index + 1 < source.count && source[index + 1] < 0xa0
            guard byte < 0x20 || byte == 0x22 || byte == 0x5c || byte == 0x7f || isC1 else {
                index += 1
                continue
            }
            bytes.append(contentsOf: source[start..<index])
            switch byte {
            case 0x22: append("\\\"")
            case 0x5c: append("\\\\")
            case 0x0a: append("\\n")
            case 0x0d: append("\\r")
            case 0x09: append("\\t")
            default: appendCode(isC1 ? source[index + 1] : byte)
            }
            index += isC1 ? 2 : 1
            start = index
        }
        bytes.append(contentsOf: source[start...])
    }

    private mutating func appendCode(_ code: UInt8) {
        append("\\u00")
        for digit in [code >> 4, code & 15] { bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
    }

    /// Appends a field of CSV (RFC 4180), in quotes if it needs them. An empty text has quotes, to differ from no value.
    package mutating func appendCSV(_ text: String) {
        var text = text
        text.withUTF8 { source in
            let needsQuotes =
                source.isEmpty || source.first == 0x20 || source.last == 0x20
                || source.contains { $0 == 0x22 || $0 == 0x2c || $0 == 0x0a || $0 == 0x0d }
            guard needsQuotes else { return bytes.append(contentsOf: source) }
            bytes.append(0x22)
            for byte in source {
                if byte == 0x22 { bytes.append(0x22) }
                bytes.append(byte)
            }
            bytes.append(0x22)
        }
    }
}
