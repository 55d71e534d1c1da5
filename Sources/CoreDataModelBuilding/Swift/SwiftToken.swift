/// A token of Swift source, as precise as parsing declarations requires.
struct SwiftToken: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// An identifier or keyword, without backticks.
        case word
        /// An identifier in backticks, which is never a keyword.
        case escapedWord
        /// A string, number or regular expression.
        case literal
        /// A single character: punctuation, or part of an operator.
        case symbol
        /// `#if`, `#elseif`, `#else`, `#endif`; the text is the whole line.
        case directive
    }

    var kind: Kind
    var text: String
    var line: Int
    /// The column in bytes, from 1, as in compiler diagnostics.
    var column: Int
    /// True if white space or the start of the file precedes it.
    var followsSpace: Bool
    /// True if it is the first token of its line.
    var startsLine: Bool
}

/// Splits Swift source into tokens; comments are dropped, and each string is one literal.
///
/// Never fails: unknown input becomes one token per character, and the compiler will report it.
struct SwiftTokenizer {
    private let source: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0
    private var tokens: [SwiftToken] = []

    static func tokens(of source: String) -> [SwiftToken] {
        var tokenizer = SwiftTokenizer(source: Array(source.utf8))
        tokenizer.run()
        return tokenizer.tokens
    }

    private init(source: [UInt8]) { self.source = source }

    private func peek(_ offset: Int = 0) -> UInt8 {
        position + offset < source.count ? source[position + offset] : 0
    }

    private func starts(with text: StaticString) -> Bool {
        guard position + text.utf8CodeUnitCount <= source.count else { return false }
        return text.withUTF8Buffer { buffer in
            buffer.indices.allSatisfy { source[position + $0] == buffer[$0] }
        }
    }

    private mutating func advance(_ count: Int = 1) {
        let end = min(position + count, source.count)
        while position < end {
            if source[position] == UInt8(ascii: "\n") {
                line += 1
                lineStart = position + 1
            }
            position += 1
        }
    }

    private mutating func run() {
        var followsSpace = true
        var startsLine = true
        while position < source.count {
            let byte = peek()
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                startsLine = true
                followsSpace = true
                advance()
                continue
            }
            if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == 0xEF && starts(with: "\u{FEFF}") {
                followsSpace = true
                advance(byte == 0xEF ? 3 : 1)
                continue
            }
            if starts(with: "//") || starts(with: "#!") && position == 0 {
                while position < source.count, peek() != UInt8(ascii: "\n") { advance() }
                continue
            }
            if starts(with: "/*") {
                let before = line
                skipBlockComment()
                followsSpace = true
                if line != before { startsLine = true }
                continue
            }
            let start = position
            let startLine = line
            let column = start - lineStart + 1
            let kind = takeToken()
            var text = String(decoding: source[start..<position], as: UTF8.self)
            if kind == .escapedWord { text = text.replacingOccurrences(of: "`", with: "") }
            tokens.append(
                SwiftToken(
                    kind: kind, text: text, line: startLine, column: column, followsSpace: followsSpace,
                    startsLine: startsLine))
            followsSpace = false
            startsLine = false
        }
    }

    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if starts(with: "/*") {
                depth += 1
                advance(2)
            } else if starts(with: "*/") {
                depth -= 1
                advance(2)
            } else {
                advance()
            }
        } while depth > 0 && position < source.count
    }

    private static func isWordStart(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private mutating func takeToken() -> SwiftToken.Kind {
        let byte = peek()
        if Self.isWordStart(byte) {
            while position < source.count, Self.isWordStart(peek()) || Self.isDigit(peek()) { advance() }
            return .word
        }
        if Self.isDigit(byte) {
            while Self.isWordStart(peek()) || Self.isDigit(peek())
                || peek() == UInt8(ascii: ".") && Self.isDigit(peek(1))
            {
                advance()
            }
            return .literal
        }
        switch byte {
        case UInt8(ascii: "`"):
            advance()
            while position < source.count, peek() != UInt8(ascii: "`"), peek() != UInt8(ascii: "\n") { advance() }
            advance()
            return .escapedWord
        case UInt8(ascii: "\""):
            skipString(hashes: 0)
            return .literal
        case UInt8(ascii: "#"): return takeHash()
        case UInt8(ascii: "/") where opensRegex():
            skipRegex(hashes: 0)
            return .literal
        default:
            advance()
            return .symbol
        }
    }

    /// Scans `#if` and other directives, raw strings, raw regular expressions, or the character itself.
    private mutating func takeHash() -> SwiftToken.Kind {
        var hashes = 0
        while peek(hashes) == UInt8(ascii: "#") { hashes += 1 }
        if peek(hashes) == UInt8(ascii: "\"") {
            advance(hashes)
            skipString(hashes: hashes)
            return .literal
        }
        if peek(hashes) == UInt8(ascii: "/") {
            advance(hashes)
            skipRegex(hashes: hashes)
            return .literal
        }
        for directive in ["#if", "#elseif", "#else", "#endif"] {
            let bytes = Array(directive.utf8)
            guard position + bytes.count <= source.count, Array(source[position..<position + bytes.count]) == bytes,
                !Self.isWordStart(peek(bytes.count))
            else { continue }
            while position < source.count, peek() != UInt8(ascii: "\n"), !starts(with: "//"), !starts(with: "/*") {
                advance()
            }
            return .directive
        }
        advance()
        return .symbol
    }

    /// Skips a string with its interpolations, including strings inside those.
    private mutating func skipString(hashes: Int) {
        let isMultiline = starts(with: "\"\"\"")
        advance(isMultiline ? 3 : 1)
        while position < source.count {
            let byte = peek()
            if byte == UInt8(ascii: "\\"), closes(hashes, after: 1) {
                if peek(1 + hashes) == UInt8(ascii: "(") {
                    advance(2 + hashes)
                    skipInterpolation()
                } else {
                    advance(2 + hashes)
                }
            } else if byte == UInt8(ascii: "\""), !isMultiline, closes(hashes, after: 1) {
                return advance(1 + hashes)
            } else if isMultiline, starts(with: "\"\"\""), closes(hashes, after: 3) {
                return advance(3 + hashes)
            } else if byte == UInt8(ascii: "\n"), !isMultiline {
                return
            } else {
                advance()
            }
        }
    }

    private func closes(_ hashes: Int, after offset: Int) -> Bool {
        (0..<hashes).allSatisfy { peek(offset + $0) == UInt8(ascii: "#") }
    }

    private mutating func skipInterpolation() {
        var depth = 1
        while position < source.count, depth > 0 {
            switch peek() {
            case UInt8(ascii: "("):
                depth += 1
                advance()
            case UInt8(ascii: ")"):
                depth -= 1
                advance()
            case UInt8(ascii: "\""): skipString(hashes: 0)
            case UInt8(ascii: "#"): _ = takeHash()
            case UInt8(ascii: "/") where starts(with: "/*"): skipBlockComment()
            default: advance()
            }
        }
    }

    /// Returns whether a slash starts a regular expression: where an operand is expected, and if it is closed on the same line.
    private func opensRegex() -> Bool {
        guard peek(1) != UInt8(ascii: " "), peek(1) != UInt8(ascii: "\n"), peek(1) != UInt8(ascii: "/") else {
            return false
        }
        if let last = tokens.last {
            let expectsOperand = ["=", "(", "[", "{", ",", ":", "return", "in", "case", "?", "&", "|", "!"]
            guard expectsOperand.contains(last.text), last.kind != .escapedWord else { return false }
        }
        var offset = 1
        while position + offset < source.count, peek(offset) != UInt8(ascii: "\n") {
            if peek(offset) == UInt8(ascii: "\\") {
                offset += 1
            } else if peek(offset) == UInt8(ascii: "/") {
                return true
            }
            offset += 1
        }
        return false
    }

    private mutating func skipRegex(hashes: Int) {
        advance()
        while position < source.count {
            if peek() == UInt8(ascii: "\\") {
                advance(2)
            } else if peek() == UInt8(ascii: "/"), closes(hashes, after: 1) {
                return advance(1 + hashes)
            } else if peek() == UInt8(ascii: "\n"), hashes == 0 {
                return
            } else {
                advance()
            }
        }
    }
}
