/// A value in a statement about an entity, as written.
indirect enum StatedValue: Sendable, Hashable {
    case string(String)
    /// A number, with its sign.
    case number(String)
    case bool(Bool)
    /// `.cascadeDeleteRule`: the last name.
    case member(String)
    /// `\.title`, or `\Author.books` with the names of the root type.
    case keyPath(root: [String], keys: [String])
    /// `Author.self`: the names of the type.
    case type([String])
    case list([StatedValue])
    case dictionary([String: String])
    case none
    /// Anything else, which cannot be read.
    case other(String)
}

/// One statement about an entity: `book.index(\.title, name: "byTitle")`.
struct EntityStatement: Sendable, Hashable {
    struct Argument: Sendable, Hashable {
        var label: String?
        var value: StatedValue
        var place: SourcePlace
    }

    /// The name of the called function; nil for code that is no statement.
    var name: String?
    var arguments: [Argument]
    var place: SourcePlace
}

/// A function of statements about the entity of a class.
struct EntityStatements: Sendable, Hashable {
    var owner: DeclarationOwner
    /// The class named in the parameter's type.
    var className: [String]
    var statements: [EntityStatement]
    var place: SourcePlace
    /// True if the function is no static one with this one parameter, so that its statements are not read.
    var isMisplaced = false

    /// The type of the parameter by which such a function is recognized.
    static let parameterType = "EntityDeclaration"
}

/// Parses the body of a function of statements.
struct StatementParser {
    let tokens: [SwiftToken]
    let file: String
    /// The name of the parameter, on which the functions are called.
    let subject: String
    var position: Int

    private func symbol(_ text: String, at offset: Int = 0) -> Bool {
        guard position + offset < tokens.count else { return false }
        return tokens[position + offset].kind == .symbol && tokens[position + offset].text == text
    }

    private func word(at offset: Int = 0) -> String? {
        guard position + offset < tokens.count else { return nil }
        let token = tokens[position + offset]
        return token.kind == .word || token.kind == .escapedWord ? token.text : nil
    }

    private func place() -> SourcePlace {
        SourcePlace(file: file, line: position < tokens.count ? tokens[position].line : tokens.last?.line ?? 1)
    }

    /// Advances past a symbol if it is next.
    mutating func takes(_ text: String) -> Bool {
        guard symbol(text) else { return false }
        position += 1
        return true
    }

    /// Parses from an opening brace to the closing one.
    mutating func body() -> [EntityStatement] {
        var statements: [EntityStatement] = []
        position += 1
        while position < tokens.count, !symbol("}") {
            if symbol(";") {
                position += 1
                continue
            }
            let place = place()
            if word() == subject, symbol(".", at: 1), let name = word(at: 2), symbol("(", at: 3) {
                position += 3
                statements.append(EntityStatement(name: name, arguments: arguments(), place: place))
            } else {
                statements.append(EntityStatement(name: nil, arguments: [], place: place))
                skipLine()
            }
        }
        position += 1
        return statements
    }

    private mutating func skipLine() {
        repeat {
            if symbol("{") || symbol("(") || symbol("[") { skipBrackets() } else { position += 1 }
        } while position < tokens.count && !tokens[position].startsLine && !symbol("}")
    }

    private mutating func skipBrackets() {
        var depth = 0
        while position < tokens.count {
            if tokens[position].kind == .symbol {
                if "([{".contains(tokens[position].text) { depth += 1 }
                if ")]}".contains(tokens[position].text) { depth -= 1 }
            }
            position += 1
            if depth <= 0 { return }
        }
    }

    /// Parses arguments in parentheses.
    private mutating func arguments() -> [EntityStatement.Argument] {
        var arguments: [EntityStatement.Argument] = []
        position += 1
        while position < tokens.count, !symbol(")"), !symbol("}"), !symbol("]") {
            let place = place()
            var label: String?
            if let name = word(), symbol(":", at: 1) {
                label = name
                position += 2
            }
            arguments.append(EntityStatement.Argument(label: label, value: value(), place: place))
            if symbol(",") { position += 1 }
        }
        _ = takes(")")
        return arguments
    }

    /// Parses a value, up to a comma or a closing bracket.
    ///
    /// - Parameter endsWithLine: true for a value that stands by itself, without brackets around it.
    mutating func value(endsWithLine: Bool = false) -> StatedValue {
        let start = position
        if let value = literal() {
            let isEnd = [",", ")", "]", ":", "}", "{", ";"].contains { symbol($0) } || position >= tokens.count
            if isEnd || endsWithLine && tokens[position].startsLine { return value }
        }
        position = start
        while position < tokens.count, !symbol(","), !symbol(")"), !symbol("]"), !symbol("}") {
            if symbol("(") || symbol("[") || symbol("{") { skipBrackets() } else { position += 1 }
        }
        return .other(tokens[start..<max(start, position)].map(\.text).joined())
    }

    private mutating func literal() -> StatedValue? {
        guard position < tokens.count else { return nil }
        let token = tokens[position]
        if token.kind == .literal {
            position += 1
            if token.text.first?.isNumber == true { return .number(token.text.filter { $0 != "_" }) }
            return SwiftLiteral.string(token.text).map { .string($0) }
        }
        if symbol("-"), position + 1 < tokens.count, tokens[position + 1].kind == .literal {
            position += 2
            return .number("-" + tokens[position - 1].text.filter { $0 != "_" })
        }
        if symbol("\\") { return keyPath() }
        if symbol("["), let list = list() { return list }
        if symbol("."), let name = word(at: 1) {
            position += 2
            return .member(name)
        }
        return names()
    }

    /// Parses `true`, `false`, `nil`, `Author.self`, `NSDeleteRule.cascadeDeleteRule`.
    private mutating func names() -> StatedValue? {
        var names: [String] = []
        while let name = word() {
            names.append(name)
            position += 1
            guard symbol("."), word(at: 1) != nil else { break }
            position += 1
        }
        switch names {
        case []: return nil
        case ["true"]: return .bool(true)
        case ["false"]: return .bool(false)
        case ["nil"]: return StatedValue.none
        default: break
        }
        if names.count > 1, names.last == "self" { return .type(names.dropLast()) }
        return names.count > 1 ? names.last.map { .member($0) } : nil
    }

    private mutating func keyPath() -> StatedValue? {
        position += 1
        var root: [String] = []
        while let name = word() {
            root.append(name)
            position += 1
            guard symbol("."), word(at: 1) != nil, word(at: 1)?.first?.isUppercase == true else { break }
            position += 1
        }
        var keys: [String] = []
        while symbol("."), let name = word(at: 1) {
            keys.append(name)
            position += 2
            if symbol("?") || symbol("!") { position += 1 }
        }
        return keys.isEmpty ? nil : .keyPath(root: root, keys: keys)
    }

    private mutating func list() -> StatedValue? {
        position += 1
        var values: [StatedValue] = []
        var entries: [String: String] = [:]
        if symbol(":"), symbol("]", at: 1) {
            position += 2
            return .dictionary([:])
        }
        while position < tokens.count, !symbol("]") {
            let first = value()
            if symbol(":") {
                position += 1
                guard case .string(let key) = first, case .string(let text) = value() else { return nil }
                entries[key] = text
            } else {
                values.append(first)
            }
            if symbol(",") { position += 1 } else if !symbol("]") { return nil }
        }
        position += 1
        return entries.isEmpty ? .list(values) : .dictionary(entries)
    }
}

/// Decodes literals.
enum SwiftLiteral {
    /// Returns the value of an integer literal without underscores, in base 2, 8, 10 or 16.
    static func integer(_ literal: String) -> Int64? {
        let isNegative = literal.hasPrefix("-")
        let digits = isNegative ? String(literal.dropFirst()) : literal
        let radix = digits.hasPrefix("0x") ? 16 : digits.hasPrefix("0o") ? 8 : digits.hasPrefix("0b") ? 2 : 10
        return Int64((isNegative ? "-" : "") + digits.dropFirst(radix == 10 ? 0 : 2), radix: radix)
    }

    /// Returns the text of a string literal; nil for interpolation, and for other literals.
    static func string(_ literal: String) -> String? {
        let hashes = literal.prefix { $0 == "#" }.count
        var body = literal.dropFirst(hashes).dropLast(hashes)
        guard body.hasPrefix("\""), !body.hasPrefix("\"\"\""), body.count > 1, body.hasSuffix("\"") else { return nil }
        body = body.dropFirst().dropLast()
        let escape = "\\" + String(repeating: "#", count: hashes)
        var text = ""
        while let range = body.range(of: escape) {
            text += body[..<range.lowerBound]
            body = body[range.upperBound...]
            guard let letter = body.popFirst() else { return nil }
            switch letter {
            case "n": text += "\n"
            case "t": text += "\t"
            case "r": text += "\r"
            case "0": text += "\0"
            case "\"", "\\", "'": text.append(letter)
            case "u":
                guard body.first == "{", let end = body.firstIndex(of: "}"),
                    let scalar = UInt32(body[..<end].dropFirst(), radix: 16).flatMap(Unicode.Scalar.init)
                else { return nil }
                text.unicodeScalars.append(scalar)
                body = body[body.index(after: end)...]
            default: return nil
            }
        }
        return text + body
    }
}
