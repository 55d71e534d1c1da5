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

    package mutating func append(_ text: UnsafeRawBufferPointer) { bytes.append(contentsOf: text) }

    package mutating func append(text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    package mutating func append(_ other: [UInt8]) { bytes.append(contentsOf: other) }

    package mutating func append(_ number: Int64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var place = digits.count
            var rest = number.magnitude
            repeat {
                place -= 1
                digits[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 {
                place -= 1
                digits[place] = UInt8(ascii: "-")
            }
            bytes.append(contentsOf: digits[place...])
        }
    }

    /// Appends a UUID as `uuidString` writes it.
    package mutating func append(_ uuid: UUID) {
        withUnsafeBytes(of: uuid.uuid) { source in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { text in
                var place = 0
                for (index, byte) in source.enumerated() {
                    if [4, 6, 8, 10].contains(index) {
                        text[place] = UInt8(ascii: "-")
                        place += 1
                    }
                    for digit in [byte >> 4, byte & 15] {
                        text[place] = digit < 10 ? 0x30 + digit : 0x37 + digit
                        place += 1
                    }
                }
                bytes.append(contentsOf: text)
            }
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
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 27) { text in
            var place = 0
            func put(_ number: Int, _ digits: Int, before separator: Unicode.Scalar) {
                var rest = number
                for index in stride(from: place + digits - 1, through: place, by: -1) {
                    text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                    rest /= 10
                }
                text[place + digits] = UInt8(ascii: separator)
                place += digits + 1
            }
            put(year, 4, before: "-")
            put(month, 2, before: "-")
            put(day, 2, before: "T")
            put(second / 3600, 2, before: ":")
            put(second / 60 % 60, 2, before: ":")
            let isFraction = fraction > 0 && !wholeSeconds
            put(second % 60, 2, before: isFraction ? "." : "Z")
            if isFraction { put(fraction, 6, before: "Z") }
            bytes.append(contentsOf: text[..<place])
        }
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
        var text = text
        text.withUTF8 { appendJSON(UnsafeRawBufferPointer($0)) }
    }

    package mutating func appendJSON(_ text: UnsafeRawBufferPointer) {
        bytes.append(UInt8(ascii: "\""))
        appendEscaped(text)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ source: UnsafeRawBufferPointer) {
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
        text.withUTF8 { appendCSV(UnsafeRawBufferPointer($0)) }
    }

    package mutating func appendCSV(_ source: UnsafeRawBufferPointer) {
        let needsQuotes =
            source.isEmpty || source.first == 0x20 || source.last == 0x20
            || source.contains { $0 == 0x22 || $0 == 0x2c || $0 == 0x0a || $0 == 0x0d }
        guard needsQuotes else { return append(source) }
        bytes.append(0x22)
        for byte in source {
            if byte == 0x22 { bytes.append(0x22) }
            bytes.append(byte)
        }
        bytes.append(0x22)
    }
}
