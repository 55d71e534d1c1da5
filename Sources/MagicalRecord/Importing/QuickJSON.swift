#if !canImport(ObjectiveC)
import Foundation

/// Parses a JSON object several times as fast as `JSONSerialization`, or not at all: returns nil for anything unusual (`\u`
/// escapes, exponents, long numbers, duplicate keys, syntax errors), which the caller then has Foundation parse.
struct QuickJSON {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    private static let deepest = 32
    /// The number of characters above which Foundation may create a decimal number.
    private static let longestNumber = 17

    /// Returns the object, with the types Foundation uses; nil if Foundation has to parse it.
    static func object(in data: Data) -> [String: Any]? {
        data.withUnsafeBytes { bytes in
            var reader = QuickJSON(bytes: bytes)
            guard reader.next() == UInt8(ascii: "{"), let object = reader.object(1) else { return nil }
            return reader.next() == nil ? object : nil
        }
    }

    /// Consumes blanks and the next byte, which it returns.
    private mutating func next() -> UInt8? {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
        }
        return nil
    }

    /// Parses an object, behind its `{`.
    private mutating func object(_ depth: Int) -> [String: Any]? {
        var object = [String: Any](minimumCapacity: 12)
        var byte = next()
        if byte == UInt8(ascii: "}") { return object }
        while true {
            guard byte == UInt8(ascii: "\""), let key = text(), next() == UInt8(ascii: ":"), let value = value(depth),
                object.updateValue(value, forKey: key) == nil
            else { return nil }
            switch next() {
            case UInt8(ascii: ","): byte = next()
            case UInt8(ascii: "}"): return object
            default: return nil
            }
        }
    }

    /// Parses a list, behind its `[`.
    private mutating func list(_ depth: Int) -> [Any]? {
        var list: [Any] = []
        let start = position
        if next() == UInt8(ascii: "]") { return list }
        position = start
        while let value = value(depth) {
            list.append(value)
            switch next() {
            case UInt8(ascii: ","): continue
            case UInt8(ascii: "]"): return list
            default: return nil
            }
        }
        return nil
    }

    private mutating func value(_ depth: Int) -> Any? {
        guard depth < Self.deepest, let first = next() else { return nil }
        switch first {
        case UInt8(ascii: "\""): return text()
        case UInt8(ascii: "{"): return object(depth + 1)
        case UInt8(ascii: "["): return list(depth + 1)
        case UInt8(ascii: "t"): return skip("rue") ? NSNumber(value: true) : nil
        case UInt8(ascii: "f"): return skip("alse") ? NSNumber(value: false) : nil
        case UInt8(ascii: "n"): return skip("ull") ? NSNull() : nil
        default: return number(from: position - 1)
        }
    }

    private mutating func skip(_ rest: StaticString) -> Bool {
        guard rest.withUTF8Buffer({ bytes[position...].starts(with: $0) }) else { return false }
        position += rest.utf8CodeUnitCount
        return true
    }

    /// Parses a text, behind its opening quotation mark.
    private mutating func text() -> String? {
        let start = position
        var allBits: UInt8 = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") {
                let text = UnsafeRawBufferPointer(rebasing: bytes[start..<position - 1])
                // ASCII is valid UTF-8; validation takes several times as long.
                if allBits < 0x80 { return String(decoding: text, as: UTF8.self) }
                return String(validating: text, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") { return escapedText(from: start) }
            if byte < 0x20 { return nil }
            allBits |= byte
        }
        return nil
    }

    /// Parses a text that contains escapes of one letter.
    private mutating func escapedText(from start: Int) -> String? {
        var text: [UInt8] = []
        position = start
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return String(validating: text, as: UTF8.self) }
            if byte < 0x20 { return nil }
            if byte == UInt8(ascii: "\\") {
                guard position < bytes.count, let meant = Self.escapes[bytes[position]] else { return nil }
                byte = meant
                position += 1
            }
            text.append(byte)
        }
        return nil
    }

    private static let escapes = Dictionary(
        uniqueKeysWithValues: zip("\"\\/ntrbf".utf8, "\"\\/\n\t\r\u{8}\u{C}".utf8))

    /// Parses a number that begins at `start`.
    private mutating func number(from start: Int) -> NSNumber? {
        let isNegative = bytes[start] == UInt8(ascii: "-")
        position = isNegative ? start + 1 : start
        var digits: UInt64 = 0
        let whole = position
        readDigits(into: &digits, start)
        let wholeCount = position - whole
        // Leading zeros are left to Foundation.
        guard wholeCount > 0, bytes[whole] != UInt8(ascii: "0") || (wholeCount == 1 && !isNegative) else { return nil }
        guard position < bytes.count, bytes[position] == UInt8(ascii: ".") else {
            guard endsNumber(start) else { return nil }
            return isNegative ? NSNumber(value: -Int64(digits)) : NSNumber(value: digits)
        }
        position += 1
        let fraction = position
        readDigits(into: &digits, start)
        let fractionCount = position - fraction
        // Integers and powers of ten up to here are exact as doubles, so their quotient is correctly rounded.
        guard fractionCount > 0, endsNumber(start), digits < 1 << 53 else { return nil }
        let double = Double(digits) / Self.powersOfTen[fractionCount]
        return NSNumber(value: isNegative ? -double : double)
    }

    private mutating func readDigits(into digits: inout UInt64, _ start: Int) {
        while position < bytes.count, position - start <= Self.longestNumber {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { return }
            digits = digits * 10 + UInt64(digit)
            position += 1
        }
    }

    /// Returns whether the number that began at `start` ends here and is short enough.
    private func endsNumber(_ start: Int) -> Bool {
        guard position < bytes.count, position - start <= Self.longestNumber else { return false }
        switch bytes[position] {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x09, 0x0A, 0x0D: return true
        default: return false
        }
    }

    private static let powersOfTen: [Double] = (0..<20).map { power in (0..<power).reduce(1) { ten, _ in ten * 10 } }
}
#endif
