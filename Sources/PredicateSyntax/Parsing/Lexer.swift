import Foundation

/// Splits a format string into tokens.
struct Lexer {
    /// The maximum length of a format in bytes.
    static let maximumLength = 1 << 20
    /// The maximum length of an archived format. Archives contain the printed predicate, which may be longer than its source.
    static let maximumArchivedLength = 1 << 26

    private let format: String
    private let bytes: [UInt8]
    private var position = 0

    static func tokens(of format: String, upTo maximumLength: Int = Self.maximumLength) throws -> [Token] {
        var lexer = Lexer(format)
        var tokens: [Token] = []
        guard lexer.bytes.count <= maximumLength else {
            throw lexer.error(0, "it is longer than \(maximumLength) bytes", .tooComplex)
        }
        tokens.reserveCapacity(lexer.bytes.count / 4 + 2)
        repeat {
            tokens.append(try lexer.next())
        } while tokens[tokens.count - 1].kind != .end
        return tokens
    }

    private init(_ format: String) {
        self.format = format
        bytes = Array(format.utf8)
    }

    private func error(
        _ offset: Int, _ reason: String, _ code: PredicateFormatError.Code = .syntax
    ) -> PredicateFormatError {
        PredicateFormatError(code: code, format: format, utf8Offset: offset, reason: reason)
    }

    private func byte(_ offset: Int = 0) -> UInt8 {
        position + offset < bytes.count ? bytes[position + offset] : 0
    }

    private mutating func next() throws -> Token {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        let start = position
        guard start < bytes.count else { return Token(kind: .end, offset: start, text: "") }
        let first = bytes[start]
        if Self.startsName(first) { return word(start) }
        let kind: Token.Kind =
            switch first {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): try number(start)
            case UInt8(ascii: "'"), UInt8(ascii: "\""): .string(try string(start))
            case UInt8(ascii: "$"): .variable(try prefixedName(start))
            case UInt8(ascii: "@"): .collectionOperator(try prefixedName(start))
            case UInt8(ascii: "#"): .escapedName(try prefixedName(start))
            case UInt8(ascii: "%"): try specifier(start)
            default: .symbol(try symbol(start))
            }
        return Token(kind: kind, offset: start, text: "")
    }

    // MARK: Names

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (byte >= 0x09 && byte <= 0x0D)
    }

    private static func startsName(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    private static func continuesName(_ byte: UInt8) -> Bool {
        startsName(byte) || byte &- 0x30 < 10
    }

    private mutating func name() -> String {
        let start = position
        while position < bytes.count, Self.continuesName(bytes[position]) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func prefixedName(_ start: Int) throws -> String {
        position += 1
        guard position < bytes.count, Self.startsName(bytes[position]) else {
            throw error(start, "a name must follow the \(Unicode.Scalar(bytes[start]))")
        }
        return name()
    }

    private mutating func word(_ start: Int) -> Token {
        var text = name()
        if byte() == UInt8(ascii: ":"), byte(1) != UInt8(ascii: "=") {
            position = endOfSelector() ?? position + 1
            text = String(decoding: bytes[start..<position], as: UTF8.self)
            return Token(kind: .selector(text), offset: start, text: text)
        }
        if byte() == UInt8(ascii: "-"), text.lowercased() == "uti" {
            for keyword in [Keyword.utiConformsTo, .utiEquals] {
                let end = start + keyword.rawValue.utf8.count
                guard end <= bytes.count else { continue }
                if String(decoding: bytes[start..<end], as: UTF8.self).lowercased() == keyword.rawValue {
                    position = end
                    return Token(kind: .keyword(keyword), offset: start, text: keyword.rawValue)
                }
            }
        }
        if let keyword = Keyword(text) {
            return Token(kind: .keyword(keyword), offset: start, text: text)
        }
        return Token(kind: .identifier(text), offset: start, text: text)
    }

    /// Returns the end of a function name such as `add:to:`, if one starts here: colons and names up to a colon before `(`.
    private func endOfSelector() -> Int? {
        var end = position
        while end < bytes.count, bytes[end] == UInt8(ascii: ":") {
            end += 1
            if end < bytes.count, Self.startsName(bytes[end]) {
                while end < bytes.count, Self.continuesName(bytes[end]) { end += 1 }
                guard end < bytes.count, bytes[end] == UInt8(ascii: ":") else { return nil }
            } else {
                break
            }
        }
        var next = end
        while next < bytes.count, Self.isSpace(bytes[next]) { next += 1 }
        return next < bytes.count && bytes[next] == UInt8(ascii: "(") ? end : nil
    }

    // MARK: Literals

    private mutating func number(_ start: Int) throws -> Token.Kind {
        if byte() == UInt8(ascii: "0") {
            let radix: Int? =
                switch byte(1) | 0x20 {
                case UInt8(ascii: "x"): 16
                case UInt8(ascii: "o"): 8
                case UInt8(ascii: "b"): 2
                default: nil
                }
            if let radix {
                position += 2
                let digits = name()
                guard let value = UInt64(digits, radix: radix) else {
                    throw error(start, "\"\(digits)\" is not a 64-bit number of base \(radix)")
                }
                return Int64(exactly: value).map(Token.Kind.integer) ?? .unsigned(value)
            }
        }
        skipDigits()
        var isReal = false
        if byte() == UInt8(ascii: "."), byte(1) &- 0x30 < 10 {
            isReal = true
            position += 1
            skipDigits()
        }
        if byte() | 0x20 == UInt8(ascii: "e") {
            let sign = byte(1) == UInt8(ascii: "+") || byte(1) == UInt8(ascii: "-") ? 1 : 0
            if byte(1 + sign) &- 0x30 < 10 {
                isReal = true
                position += 1 + sign
                skipDigits()
            }
        }
        if position < bytes.count, Self.startsName(bytes[position]) {
            throw error(position, "a number must not run into a name")
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if !isReal {
            if let value = Int64(text) { return .integer(value) }
            if let value = UInt64(text) { return .unsigned(value) }
        }
        guard let value = Double(text), value.isFinite else {
            throw error(start, "\"\(text)\" is not a number a double can hold")
        }
        return .real(value)
    }

    private mutating func skipDigits() {
        while byte() &- 0x30 < 10 { position += 1 }
    }

    private mutating func string(_ start: Int) throws -> String {
        let quote = bytes[start]
        position += 1
        var result: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            if byte == quote {
                position += 1
                return String(decoding: result, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                try escape(&result)
            } else {
                result.append(byte)
                position += 1
            }
        }
        throw error(start, "the string that starts here has no end")
    }

    /// Reads a backslash escape. An unknown escape is kept as written, to preserve the backslashes of regular expressions and
    /// `LIKE` patterns.
    private mutating func escape(_ result: inout [UInt8]) throws {
        let start = position
        guard position + 1 < bytes.count else { throw error(start, "a string must not end with a backslash") }
        let letter = bytes[position + 1]
        position += 2
        switch letter {
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"): result.append(letter)
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "x"): append(try hexadecimal(2, start), to: &result)
        case UInt8(ascii: "u"):
            var value = try hexadecimal(4, start)
            if 0xD800..<0xDC00 ~= value, byte() == UInt8(ascii: "\\"), byte(1) == UInt8(ascii: "u") {
                position += 2
                let low = try hexadecimal(4, start)
                guard 0xDC00..<0xE000 ~= low else { throw error(start, "half of a surrogate pair") }
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
            guard Unicode.Scalar(value) != nil else { throw error(start, "half of a surrogate pair") }
            append(value, to: &result)
        default: result += [UInt8(ascii: "\\"), letter]
        }
    }

    private func append(_ value: UInt32, to result: inout [UInt8]) {
        result.append(contentsOf: String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
    }

    private mutating func hexadecimal(_ digits: Int, _ start: Int) throws -> UInt32 {
        let end = position + digits
        guard end <= bytes.count else { throw error(start, "\(digits) hexadecimal digits must follow") }
        let slice = bytes[position..<end]
        guard slice.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
            let value = UInt32(String(decoding: slice, as: UTF8.self), radix: 16)
        else { throw error(start, "\(digits) hexadecimal digits must follow") }
        position = end
        return value
    }

    private mutating func specifier(_ start: Int) throws -> Token.Kind {
        guard let (specifier, end) = FormatSpecifier.read(bytes, at: start + 1) else {
            throw error(start, "this is not a specifier such as %@, %K or %d")
        }
        position = end
        return .specifier(specifier)
    }

    // MARK: Symbols

    private mutating func symbol(_ start: Int) throws -> Symbol {
        if let symbol = Self.pair(byte(), byte(1)) {
            position += 2
            return symbol
        }
        guard let symbol = Self.single(byte()) else {
            throw error(start, "a character that has no meaning here")
        }
        position += 1
        return symbol
    }

    /// Returns the symbol for two characters. A switch, since building a table would cost more than lexing most formats.
    private static func pair(_ first: UInt8, _ second: UInt8) -> Symbol? {
        switch (Unicode.Scalar(first), Unicode.Scalar(second)) {
        case ("=", "="): .equal
        case ("!", "="), ("<", ">"): .notEqual
        case ("<", "="), ("=", "<"): .lessOrEqual
        case (">", "="), ("=", ">"): .greaterOrEqual
        case ("&", "&"): .and
        case ("|", "|"): .or
        case (":", "="): .assign
        case ("*", "*"): .power
        case ("<", "<"): .shiftLeft
        case (">", ">"): .shiftRight
        default: nil
        }
    }

    private static func single(_ byte: UInt8) -> Symbol? {
        switch Unicode.Scalar(byte) {
        case "=": .equal
        case let scalar: Symbol(rawValue: String(scalar))
        }
    }
}
