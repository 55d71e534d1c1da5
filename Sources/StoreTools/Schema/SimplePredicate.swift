import Foundation
import ModelFormat

/// Parses the predicates of partial indexes and the expressions of derived attributes, as far as a schema needs them:
/// comparisons of key paths with constants, AND, OR and NOT; key paths, and functions of one key path.
struct SimplePredicate {
    private enum Token: Equatable {
        case name(String)
        /// A name after a hash sign, which is no reserved word, or after an at sign.
        case escaped(String)
        case selector(String)
        case integer(Int64)
        case real(Double)
        case string(String)
        case symbol(String)
    }

    /// Text that this parser does not know.
    private struct Unknown: Error {}

    private static let maximumLength = 1 << 16
    private static let maximumNesting = 100

    private var tokens: [Token] = []
    private var position = 0
    private var nesting = 0

    /// Parses a predicate; returns nil for other text.
    static func predicate(_ text: String) -> ArchivedPredicate? {
        guard var parser = try? SimplePredicate(text), let result = try? parser.disjunction(), parser.isAtEnd else {
            return nil
        }
        return result
    }

    /// Parses a key path, or a function of one key path; returns nil for other text. Functions have their names without the
    /// colon, in lower case.
    static func expression(_ text: String) -> ArchivedExpression? {
        guard var parser = try? SimplePredicate(text), let result = try? parser.call(), parser.isAtEnd else {
            return nil
        }
        return result
    }

    private init(_ text: String) throws {
        guard text.utf8.count <= Self.maximumLength else { throw Unknown() }
        try split(Array(text.utf8))
    }

    // MARK: Tokens

    private mutating func split(_ bytes: [UInt8]) throws {
        var place = 0
        func name(from start: Int) -> (text: String, end: Int) {
            var end = start
            while end < bytes.count, Self.isLetter(bytes[end]) || Self.isDigit(bytes[end]) { end += 1 }
            return (String(decoding: bytes[start..<end], as: UTF8.self), end)
        }
        while place < bytes.count {
            let byte = bytes[place]
            let next = place + 1 < bytes.count ? bytes[place + 1] : 0
            switch byte {
            case 0x20, 0x09...0x0D: place += 1
            case UInt8(ascii: "#"), UInt8(ascii: "@"):
                guard Self.isLetter(next) else { throw Unknown() }
                let (text, end) = name(from: place + 1)
                tokens.append(.escaped(byte == UInt8(ascii: "@") ? "@" + text : text))
                place = end
            case UInt8(ascii: "'"), UInt8(ascii: "\""): try string(bytes, &place)
            case _ where Self.isDigit(byte): try number(bytes, &place)
            case _ where Self.isLetter(byte):
                let (text, end) = name(from: place)
                let isSelector = end < bytes.count && bytes[end] == UInt8(ascii: ":")
                tokens.append(isSelector ? .selector(text) : .name(text))
                place = isSelector ? end + 1 : end
            default:
                let pair = String(decoding: [byte, next], as: UTF8.self)
                let isPair = ["==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||"].contains(pair)
                tokens.append(.symbol(isPair ? pair : String(decoding: [byte], as: UTF8.self)))
                place += isPair ? 2 : 1
            }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    private mutating func number(_ bytes: [UInt8], _ place: inout Int) throws {
        let start = place
        var isReal = false
        func digit(_ index: Int) -> Bool { index < bytes.count && Self.isDigit(bytes[index]) }
        while digit(place) { place += 1 }
        if place < bytes.count, bytes[place] == UInt8(ascii: "."), digit(place + 1) {
            isReal = true
            place += 1
            while digit(place) { place += 1 }
        }
        if place < bytes.count, bytes[place] | 0x20 == UInt8(ascii: "e") {
            let isSigned = place + 1 < bytes.count && [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[place + 1])
            let first = place + (isSigned ? 2 : 1)
            if digit(first) {
                isReal = true
                place = first
                while digit(place) { place += 1 }
            }
        }
        guard place == bytes.count || !Self.isLetter(bytes[place]) else { throw Unknown() }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        if !isReal, let value = Int64(text) {
            tokens.append(.integer(value))
        } else if isReal, let value = Double(text), value.isFinite {
            tokens.append(.real(value))
        } else {
            throw Unknown()
        }
    }

    private mutating func string(_ bytes: [UInt8], _ place: inout Int) throws {
        let quote = bytes[place]
        var text: [UInt8] = []
        place += 1
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if byte == quote {
                tokens.append(.string(String(decoding: text, as: UTF8.self)))
                return
            }
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            guard place < bytes.count else { throw Unknown() }
            switch bytes[place] {
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"): text.append(bytes[place])
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "x"), UInt8(ascii: "u"): throw Unknown()
            default: text += [byte, bytes[place]]
            }
            place += 1
        }
        throw Unknown()
    }

    private var isAtEnd: Bool { position == tokens.count }
    private var token: Token? { position < tokens.count ? tokens[position] : nil }

    private mutating func accept(_ symbols: String...) -> Bool {
        guard case .symbol(let symbol)? = token, symbols.contains(symbol) else { return false }
        position += 1
        return true
    }

    private mutating func accept(word: String) -> Bool {
        guard case .name(let name)? = token, name.uppercased() == word else { return false }
        position += 1
        return true
    }

    // MARK: Predicates

    private mutating func disjunction() throws -> ArchivedPredicate {
        var parts = [try conjunction()]
        while accept("||") || accept(word: "OR") {
            if parts.count == 1, case .or(let first) = parts[0] { parts = first }
            parts.append(try conjunction())
        }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    /// Parses a conjunction. As in Apple's parser, `(a AND b) AND c` is one compound of three, and `a AND (b AND c)` is not.
    private mutating func conjunction() throws -> ArchivedPredicate {
        var parts = [try negation()]
        while accept("&&") || accept(word: "AND") {
            if parts.count == 1, case .and(let first) = parts[0] { parts = first }
            parts.append(try negation())
        }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func negation() throws -> ArchivedPredicate {
        guard nesting < Self.maximumNesting else { throw Unknown() }
        nesting += 1
        defer { nesting -= 1 }
        if accept("!") || accept(word: "NOT") { return .not(try negation()) }
        if accept("(") {
            let inner = try disjunction()
            guard accept(")") else { throw Unknown() }
            return inner
        }
        let left = ArchivedExpression.keyPath(try keyPath())
        guard case .symbol(let symbol)? = token, let comparison = Self.comparison(symbol) else { throw Unknown() }
        position += 1
        return .comparison(ArchivedComparison(left, comparison, .constant(try constant())))
    }

    private static func comparison(_ symbol: String) -> ArchivedComparison.Operator? {
        switch symbol {
        case "=", "==": .equal
        case "!=", "<>": .notEqual
        case "<": .lessThan
        case "<=", "=<": .lessThanOrEqual
        case ">": .greaterThan
        case ">=", "=>": .greaterThanOrEqual
        default: nil
        }
    }

    private mutating func constant() throws -> ModelValue? {
        let isNegative = accept("-")
        let token = token
        position += 1
        switch token {
        case .integer(let value)?: return .integer(isNegative ? -value : value)
        case .real(let value)?: return .double(isNegative ? -value : value)
        case .string(let text)? where !isNegative: return .string(text)
        case .name(let name)? where !isNegative:
            switch name.uppercased() {
            case "TRUE", "YES": return .bool(true)
            case "FALSE", "NO": return .bool(false)
            case "NIL", "NULL": return nil
            case "CAST": return try date()
            default: throw Unknown()
            }
        default: throw Unknown()
        }
    }

    /// Parses the rest of the date literal `CAST(number, "NSDate")`.
    private mutating func date() throws -> ModelValue {
        guard accept("(") else { throw Unknown() }
        let seconds: Double
        switch try constant() {
        case .integer(let value)?: seconds = Double(value)
        case .double(let value)?: seconds = value
        default: throw Unknown()
        }
        guard accept(","), token == .string("NSDate") else { throw Unknown() }
        position += 1
        guard accept(")") else { throw Unknown() }
        return .date(seconds)
    }

    // MARK: Expressions

    private static let reservedWords: Set<String> = [
        "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH",
        "BETWEEN", "NULL", "NIL", "TRUE", "YES", "FALSE", "NO", "FIRST", "LAST", "SIZE", "ANYKEY", "SUBQUERY",
        "FETCH", "CAST", "TERNARY", "FUNCTION", "TRUEPREDICATE", "FALSEPREDICATE",
    ]

    /// Parses a key path; returns `SELF` for the object itself.
    private mutating func keyPath() throws -> String {
        var keys: [String] = []
        repeat {
            switch token {
            case .escaped(let name)?: keys.append(name)
            case .name(let name)?:
                guard !keys.isEmpty || !Self.reservedWords.contains(name.uppercased()) else { throw Unknown() }
                keys.append(keys.isEmpty && name.uppercased() == "SELF" ? "SELF" : name)
            default: throw Unknown()
            }
            position += 1
        } while accept(".")
        if keys.count > 1, keys[0] == "SELF" { keys.removeFirst() }
        return keys.joined(separator: ".")
    }

    private mutating func call() throws -> ArchivedExpression {
        let function: String
        switch token {
        case .selector(let name)?: function = name
        case .name(let name)? where position + 1 < tokens.count && tokens[position + 1] == .symbol("("): function = name
        default: return .keyPath(try keyPath())
        }
        position += 1
        guard accept("(") else { throw Unknown() }
        var arguments: [ArchivedExpression] = []
        if !accept(")") {
            arguments.append(.keyPath(try keyPath()))
            guard accept(")") else { throw Unknown() }
        }
        return .function(function.lowercased(), target: nil, arguments: arguments)
    }
}
