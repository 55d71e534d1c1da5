/// A type as written.
indirect enum TypeSyntax: Sendable, Hashable {
    /// A qualified name, with the generic arguments of its last component: `App.Box<Int>`.
    case named([String], arguments: [TypeSyntax])
    case optional(TypeSyntax)
    case array(TypeSyntax)
    case dictionary(TypeSyntax, TypeSyntax)
    /// `any P`, `P & Q`.
    case composition([TypeSyntax])
    case tuple([TypeSyntax])
    /// A function type, opaque type, metatype, and so on, with its source text.
    case unsupported(String)

    /// The type as Swift source.
    var text: String {
        switch self {
        case .named(let path, let arguments):
            arguments.isEmpty
                ? path.joined(separator: ".")
                : "\(path.joined(separator: "."))<\(arguments.map(\.text).joined(separator: ", "))>"
        case .optional(.composition(let parts)): "(\(TypeSyntax.composition(parts).text))?"
        case .optional(let wrapped): wrapped.text + "?"
        case .array(let element): "[\(element.text)]"
        case .dictionary(let key, let value): "[\(key.text): \(value.text)]"
        case .composition(let parts): "any " + parts.map(\.text).joined(separator: " & ")
        case .tuple(let parts): "(\(parts.map(\.text).joined(separator: ", ")))"
        case .unsupported(let text): text
        }
    }
}

/// Parses types from a list of tokens.
struct TypeParser {
    let tokens: [SwiftToken]
    var position: Int

    private func symbol(_ text: String, at offset: Int = 0) -> Bool {
        guard position + offset < tokens.count else { return false }
        return tokens[position + offset].kind == .symbol && tokens[position + offset].text == text
    }

    private func word(_ text: String) -> Bool {
        position < tokens.count && tokens[position].kind == .word && tokens[position].text == text
    }

    /// Parses the type at the current position and advances past it; returns `nil` if there is none.
    mutating func type(depth: Int = 0) -> TypeSyntax? {
        guard depth < 32 else { return nil }
        skipAttributes()
        if word("any") {
            position += 1
            guard let first = type(depth: depth + 1) else { return nil }
            if case .optional(let wrapped) = first { return .optional(Self.existential(wrapped)) }
            return Self.existential(first)
        }
        if word("some") || word("inout") || word("borrowing") || word("consuming") {
            let keyword = tokens[position].text
            position += 1
            guard let rest = type(depth: depth + 1) else { return nil }
            return .unsupported("\(keyword) \(rest.text)")
        }
        guard var result = primary(depth: depth) else { return nil }
        result = suffixed(result)
        if symbol("&") {
            var parts = [result]
            while symbol("&") {
                position += 1
                guard let next = primary(depth: depth + 1) else { return nil }
                parts.append(next)
            }
            result = .composition(parts)
        }
        if symbol("-"), symbol(">", at: 1) || word("async") || word("throws") {
            position += 2
            guard let output = type(depth: depth + 1) else { return nil }
            return .unsupported("\(result.text) -> \(output.text)")
        }
        return result
    }

    private static func existential(_ type: TypeSyntax) -> TypeSyntax {
        if case .composition = type { return type }
        return .composition([type])
    }

    private mutating func suffixed(_ type: TypeSyntax) -> TypeSyntax {
        var result = type
        while position < tokens.count, !tokens[position].followsSpace, symbol("?") || symbol("!") {
            position += 1
            result = .optional(result)
        }
        return result
    }

    private mutating func skipAttributes() {
        while symbol("@"), position + 1 < tokens.count {
            position += 2
            if symbol("("), !tokens[position].followsSpace { skipParentheses() }
        }
    }

    private mutating func skipParentheses() {
        var depth = 0
        while position < tokens.count {
            if symbol("(") { depth += 1 }
            if symbol(")") { depth -= 1 }
            position += 1
            if depth == 0 { return }
        }
    }

    private mutating func primary(depth: Int) -> TypeSyntax? {
        guard position < tokens.count, depth < 32 else { return nil }
        if symbol("[") {
            position += 1
            guard let first = type(depth: depth + 1) else { return nil }
            if symbol(":") {
                position += 1
                guard let value = type(depth: depth + 1), symbol("]") else { return nil }
                position += 1
                return .dictionary(first, value)
            }
            guard symbol("]") else { return nil }
            position += 1
            return .array(first)
        }
        if symbol("(") { return tuple(depth: depth) }
        return named(depth: depth)
    }

    private mutating func tuple(depth: Int) -> TypeSyntax? {
        position += 1
        var parts: [TypeSyntax] = []
        while !symbol(")") {
            // A label, or two, before a colon.
            for labels in [2, 1] where symbol(":", at: labels) && tokens[position].kind != .symbol {
                position += labels + 1
                break
            }
            guard let part = type(depth: depth + 1) else { return nil }
            parts.append(part)
            if symbol(",") { position += 1 } else if !symbol(")") { return nil }
        }
        position += 1
        // Parentheses around a single type have no meaning.
        return parts.count == 1 ? parts[0] : .tuple(parts)
    }

    private mutating func named(depth: Int) -> TypeSyntax? {
        var path: [String] = []
        var arguments: [TypeSyntax] = []
        while position < tokens.count, tokens[position].kind == .word || tokens[position].kind == .escapedWord {
            path.append(tokens[position].text)
            position += 1
            if symbol("<"), !tokens[position].followsSpace {
                position += 1
                arguments = []
                while !symbol(">") {
                    guard let argument = type(depth: depth + 1) else { return nil }
                    arguments.append(argument)
                    if symbol(",") { position += 1 } else if !symbol(">") { return nil }
                }
                position += 1
                if symbol(".") { return .unsupported("\(path.joined(separator: "."))<…>.…") }
            }
            guard symbol("."), position + 1 < tokens.count, tokens[position + 1].kind != .symbol else { break }
            position += 1
        }
        guard let last = path.last else { return nil }
        if last == "Type" || last == "Protocol", path.count > 1 { return .unsupported(path.joined(separator: ".")) }
        if path == ["Optional"], arguments.count == 1 { return .optional(arguments[0]) }
        if path == ["Array"], arguments.count == 1 { return .array(arguments[0]) }
        if path == ["Dictionary"], arguments.count == 2 { return .dictionary(arguments[0], arguments[1]) }
        return .named(path, arguments: arguments)
    }
}
