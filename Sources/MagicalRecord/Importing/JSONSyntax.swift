import Foundation

/// Finds the first syntax error in a JSON text that a parser has refused.
struct JSONSyntax {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    /// The opening brackets of the containers around the position.
    private var open: [UInt8] = []

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The offset of an error, and what is wrong there.
    typealias Finding = (offset: Int, reason: String)

    /// The elements that may come next.
    private enum Expected: String {
        case value = "a value"
        case valueOrEnd = "a value or \"]\""
        case key = "a key in quotation marks"
        case keyOrEnd = "a key in quotation marks or \"}\""
        case colon = "\":\""
        case separator = "\",\" or a closing bracket"
        case end = "the end"
    }

    /// Returns the first error; nil if there is none. Does not check UTF-8.
    func firstError() -> Finding? {
        var copy = self
        return copy.scan()
    }

    private mutating func scan() -> Finding? {
        // Foundation also reads UTF-16 and UTF-32, and a byte order mark.
        guard !bytes.prefix(4).contains(0) else { return nil }
        if bytes.starts(with: "\u{FEFF}".utf8) { position = 3 }
        var expected = Expected.value
        while let byte = next() {
            let start = position - 1
            switch (byte, expected) {
            case (UInt8(ascii: "{"), .value), (UInt8(ascii: "{"), .valueOrEnd):
                open.append(byte)
                expected = .keyOrEnd
            case (UInt8(ascii: "["), .value), (UInt8(ascii: "["), .valueOrEnd):
                open.append(byte)
                expected = .valueOrEnd
            case (UInt8(ascii: "}"), .keyOrEnd), (UInt8(ascii: "]"), .valueOrEnd): expected = close()
            case (UInt8(ascii: "}"), .separator) where open.last == UInt8(ascii: "{"): expected = close()
            case (UInt8(ascii: "]"), .separator) where open.last == UInt8(ascii: "["): expected = close()
            case (UInt8(ascii: ","), .separator): expected = open.last == UInt8(ascii: "{") ? .key : .value
            case (UInt8(ascii: ":"), .colon): expected = .value
            case (UInt8(ascii: "\""), .key), (UInt8(ascii: "\""), .keyOrEnd):
                if let finding = text(from: start) { return finding }
                expected = .colon
            case (UInt8(ascii: "\""), .value), (UInt8(ascii: "\""), .valueOrEnd):
                if let finding = text(from: start) { return finding }
                expected = open.isEmpty ? .end : .separator
            case (_, .value), (_, .valueOrEnd):
                guard isWord(from: start) else { return unexpected(start, expected) }
                expected = open.isEmpty ? .end : .separator
            default: return unexpected(start, expected)
            }
        }
        return expected == .end ? nil : (bytes.count, "the text ends where \(expected.rawValue) is expected,")
    }

    private mutating func close() -> Expected {
        open.removeLast()
        return open.isEmpty ? .end : .separator
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

    private func unexpected(_ offset: Int, _ expected: Expected) -> Finding {
        let rest = String(decoding: bytes[offset...].prefix(8), as: UTF8.self)
        return (offset, "\(String(reflecting: String(rest.prefix(1)))) instead of \(expected.rawValue)")
    }

    /// Consumes a text behind its quotation mark; returns the error in it.
    private mutating func text(from start: Int) -> Finding? {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return nil }
            if byte < 0x20 { return (position - 1, "a control character that is not escaped, in a text,") }
            guard byte == UInt8(ascii: "\\") else { continue }
            guard position < bytes.count, "\"\\/bfnrtu".utf8.contains(bytes[position]) else {
                return (position - 1, "an unknown escape in a text")
            }
            position += 1
            guard bytes[position - 1] == UInt8(ascii: "u") else { continue }
            let digits = bytes[position...].prefix(4).prefix { Character(UnicodeScalar($0)).isHexDigit }
            if digits.count < 4 { return (position - 2, "\"\\u\" without four hexadecimal digits, in a text,") }
            position += 4
        }
        return (start, "a text without an end")
    }

    /// Consumes a number, `true`, `false` or `null`; returns false for any other word.
    private mutating func isWord(from start: Int) -> Bool {
        let isPart = { (byte: UInt8) in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || "+-.".utf8.contains(byte)
        }
        let word = bytes[start...].prefix(while: isPart)
        position = word.endIndex
        return ["true", "false", "null"].contains { word.elementsEqual($0.utf8) } || Self.isNumber(word)
    }

    private static func isNumber(_ word: Slice<UnsafeRawBufferPointer>) -> Bool {
        var rest = word
        func skips(_ characters: String) -> Bool {
            guard let first = rest.first, characters.utf8.contains(first) else { return false }
            rest.removeFirst()
            return true
        }
        func skipsDigits() -> Bool {
            let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            rest.removeFirst(digits.count)
            return !digits.isEmpty
        }
        _ = skips("-")
        // No digit follows a leading zero.
        guard skips("0") || skipsDigits() else { return false }
        if skips("."), !skipsDigits() { return false }
        if skips("eE") {
            _ = skips("+-")
            guard skipsDigits() else { return false }
        }
        return rest.isEmpty
    }
}
