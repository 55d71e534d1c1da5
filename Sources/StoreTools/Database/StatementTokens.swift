/// The tokens of an SQL statement of a file's schema.
struct StatementTokens {
    enum Token: Hashable {
        /// A keyword or a name without quotes.
        case word(String)
        /// A name in quotes, brackets or grave accents.
        case quoted(String)
        /// A text in single quotes.
        case text(String)
        case number(String)
        /// The digits of a blob literal.
        case blob(String)
        case symbol(UInt8)

        /// The name that the token stands for where SQLite expects one; nil for other tokens.
        var name: String? {
            switch self {
            case .word(let name), .quoted(let name), .text(let name): name
            case .number, .blob, .symbol: nil
            }
        }

        /// The upper-case form of a word without quotes; nil for other tokens.
        var keyword: String? { if case .word(let word) = self { word.uppercased() } else { nil } }

        /// Returns true if a token is a certain character.
        func `is`(_ symbol: Unicode.Scalar) -> Bool { self == .symbol(UInt8(ascii: symbol)) }
    }

    let tokens: [Token]
    /// True if there are comments between the tokens.
    let hasComments: Bool

    /// The most bytes and tokens that are read; statements of real stores are far below.
    private static let byteLimit = 1_000_000
    private static let tokenLimit = 100_000

    /// Reads a statement; returns nil if a quote is not closed, for characters outside of SQL, and for too long ones.
    init?(_ sql: String) {
        guard sql.utf8.count <= Self.byteLimit else { return nil }
        var scanner = Scanner(bytes: Array(sql.utf8))
        var tokens: [Token] = []
        while let token = scanner.next() {
            guard tokens.count < Self.tokenLimit else { return nil }
            tokens.append(token)
        }
        guard scanner.isValid else { return nil }
        self.tokens = tokens
        hasComments = scanner.hasComments
    }

    private struct Scanner {
        let bytes: [UInt8]
        var place = 0
        var isValid = true
        var hasComments = false

        private var byte: UInt8? { place < bytes.count ? bytes[place] : nil }
        private var following: UInt8? { place + 1 < bytes.count ? bytes[place + 1] : nil }

        mutating func next() -> Token? {
            skipSpace()
            guard isValid, let byte else { return nil }
            switch byte {
            case UInt8(ascii: "'"): return quoted(byte).map { .text($0) }
            case UInt8(ascii: "\""), UInt8(ascii: "`"): return quoted(byte).map { .quoted($0) }
            case UInt8(ascii: "["): return bracketed().map { .quoted($0) }
            case UInt8(ascii: "x") where following == UInt8(ascii: "'"),
                UInt8(ascii: "X") where following == UInt8(ascii: "'"):
                place += 1
                return quoted(UInt8(ascii: "'")).map { .blob($0) }
            case _ where Self.isDigit(byte), UInt8(ascii: ".") where following.map(Self.isDigit) == true:
                return number()
            case _ where Self.isLetter(byte): return .word(run { Self.isLetter($0) || Self.isDigit($0) })
            case 0x21...0x2f, 0x3a...0x40, 0x7c, 0x7e:
                place += 1
                return .symbol(byte)
            default: return fail()
            }
        }

        private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

        private static func isLetter(_ byte: UInt8) -> Bool {
            (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || byte == 0x5f || byte == 0x24 || byte >= 0x80
        }

        private mutating func fail() -> Token? {
            isValid = false
            return nil
        }

        private mutating func run(_ isPart: (UInt8) -> Bool) -> String {
            let start = place
            while let byte, isPart(byte) { place += 1 }
            return String(decoding: bytes[start..<place], as: UTF8.self)
        }

        private mutating func skipSpace() {
            while let byte {
                if byte == 0x20 || (0x09...0x0d).contains(byte) {
                    place += 1
                } else if byte == UInt8(ascii: "-"), following == byte {
                    hasComments = true
                    while let byte = self.byte, byte != 0x0a { place += 1 }
                } else if byte == UInt8(ascii: "/"), following == UInt8(ascii: "*") {
                    hasComments = true
                    place += 2
                    while place < bytes.count, !(byte_(0) == UInt8(ascii: "*") && byte_(1) == UInt8(ascii: "/")) {
                        place += 1
                    }
                    place = min(place + 2, bytes.count)
                } else {
                    return
                }
            }
        }

        private func byte_(_ offset: Int) -> UInt8? { place + offset < bytes.count ? bytes[place + offset] : nil }

        /// Reads up to the closing quote; two quotes stand for one.
        private mutating func quoted(_ quote: UInt8) -> String? {
            var content: [UInt8] = []
            place += 1
            while let byte {
                place += 1
                if byte == quote {
                    guard self.byte == quote else { return String(decoding: content, as: UTF8.self) }
                    place += 1
                }
                content.append(byte)
            }
            isValid = false
            return nil
        }

        private mutating func bracketed() -> String? {
            place += 1
            let content = run { $0 != UInt8(ascii: "]") }
            guard byte != nil else {
                isValid = false
                return nil
            }
            place += 1
            return content
        }

        private mutating func number() -> Token? {
            let text = run { Self.isDigit($0) || Self.isLetter($0) || $0 == UInt8(ascii: ".") }
            if text.last == "e" || text.last == "E", byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") {
                place += 1
                return .number(text + "-" + run(Self.isDigit))
            }
            return .number(text)
        }
    }
}
