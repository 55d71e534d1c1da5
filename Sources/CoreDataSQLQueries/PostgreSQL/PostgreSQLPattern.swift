import CoreDataRowStorage
import PredicateFormat

/// Patterns of `LIKE` and `MATCHES` in PostgreSQL's syntax, as far as both have the same meaning.
package enum PostgreSQLPattern {
    /// Translates a predicate's `LIKE` pattern to PostgreSQL's, folded as the options require. For `?`, which matches a character
    /// with its combining marks, the pattern matches more; see ``characters(in:_:)``.
    package static func like(_ pattern: String, _ options: StringComparisonOptions = []) -> String {
        parts(of: pattern).map { part in
            switch part {
            case .anyRun: "%"
            case .anyCharacter: "_%"
            case .literal(let text): escaped(folded(text, options), "%_\\")
            }
        }.joined()
    }

    /// Returns a regular expression for a `LIKE` pattern with `?`; nil for a pattern without it.
    package static func characters(in pattern: String, _ options: StringComparisonOptions = []) -> String? {
        let parts = parts(of: pattern)
        guard parts.contains(.anyCharacter) else { return nil }
        let marks = "[\(FoldingTables.marks)]"
        let expression = parts.map { part in
            switch part {
            case .anyRun: ".*"
            case .anyCharacter: ".\(marks)*(?!\(marks))"
            case .literal(let text): escaped(folded(text, options), special)
            }
        }.joined()
        return "^\(expression)$"
    }

    private enum Part: Equatable { case literal(String), anyCharacter, anyRun }

    private static func parts(of pattern: String) -> [Part] {
        var (parts, literal, isEscaped): ([Part], String, Bool) = ([], "", false)
        func end(_ part: Part) {
            if !literal.isEmpty { parts.append(.literal(literal)) }
            literal = ""
            parts.append(part)
        }
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "*" where !isEscaped: end(.anyRun)
            case "?" where !isEscaped: end(.anyCharacter)
            default: literal.unicodeScalars.append(scalar)
            }
            isEscaped = false
        }
        if isEscaped { literal += "\\" }
        return literal.isEmpty ? parts : parts + [.literal(literal)]
    }

    private static func folded(_ text: String, _ options: StringComparisonOptions) -> String {
        String(decoding: StringFolding.fold(text, options), as: UTF8.self)
    }

    /// The characters with a meaning in regular expressions.
    fileprivate static let special = "\\.^$*+?()[]{}|"

    private static func escaped(_ text: String, _ special: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if special.unicodeScalars.contains(scalar) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    /// Translates a predicate's regular expression, which must match a whole text, to PostgreSQL's: literals, `.`, sets of
    /// literals and ranges, groups, `|`, and the quantifiers `*`, `+`, `?` and `{m,n}`.
    ///
    /// - Throws: an error for all other syntax.
    package static func regularExpression(_ pattern: String) throws -> String {
        guard !pattern.isEmpty else { throw refusal(pattern, "the lack of a pattern") }
        var translation = Translation(pattern)
        return "^(?:\(try translation.expression()))$"
    }

    fileprivate static func refusal(_ pattern: String, _ part: String) -> Error {
        UnsupportedQuery.make(
            "PostgreSQL does not match the pattern \(pattern) as evaluation in memory does, for \(part) in it",
            advice: "Fetch by other conditions, then filter the result.")
    }
}

/// The state of translating one regular expression.
private struct Translation {
    private let pattern: String
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var result = ""

    init(_ pattern: String) {
        self.pattern = pattern
        scalars = Array(pattern.unicodeScalars)
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    mutating func expression() throws -> String {
        try alternatives(depth: 0)
        if let stray = next { throw refusal(stray) }
        return result
    }

    private mutating func alternatives(depth: Int) throws {
        while let scalar = next {
            switch scalar {
            case ")" where depth > 0: return
            case "|":
                position += 1
                result += "|"
            case "*", "+", "?", "{", "}", ")", "]", "^", "$": throw refusal(scalar)
            default:
                try atom(scalar, depth)
                try quantifier()
            }
        }
    }

    private mutating func atom(_ scalar: Unicode.Scalar, _ depth: Int) throws {
        position += 1
        switch scalar {
        case "(":
            if let first = next, first == "?" { throw refusal(first) }
            guard depth < 100 else { throw refusal(scalar) }
            result += "(?:"
            try alternatives(depth: depth + 1)
            guard next == ")" else { throw refusal(scalar) }
            position += 1
            result += ")"
        case "[": try set()
        // Any character except line terminators.
        case ".": result += "[^\\n\\u000B\\u000C\\r\\u0085\\u2028\\u2029]"
        case "\\": append(literal: try escaped())
        default: append(literal: scalar)
        }
    }

    /// Translates a quantifier. Reluctant and possessive quantifiers do not affect whether a whole text matches, but have
    /// another syntax.
    private mutating func quantifier() throws {
        guard let scalar = next else { return }
        switch scalar {
        case "*", "+", "?":
            position += 1
            result.unicodeScalars.append(scalar)
        case "{":
            let start = position
            while let digit = next, digit != "}" {
                guard position == start || digit == "," || ("0"..."9").contains(digit) else { throw refusal(scalar) }
                position += 1
            }
            let bounds = scalars[start..<position].dropFirst().split(separator: ",", omittingEmptySubsequences: false)
                .map { String(String.UnicodeScalarView($0)) }
            // PostgreSQL's repetition counts end at 255.
            guard next == "}", bounds.count <= 2, let least = Int(bounds[0]), least <= 255,
                bounds.count == 1 || bounds[1].isEmpty || Int(bounds[1]).map({ $0 >= least && $0 <= 255 }) == true
            else { throw refusal(scalar) }
            position += 1
            result += "{\(bounds.joined(separator: ","))}"
        default: return
        }
        if let more = next, "*+?{".unicodeScalars.contains(more) { throw refusal(more) }
    }

    private mutating func set() throws {
        result += "["
        if next == "^" {
            position += 1
            result += "^"
        }
        var isEmpty = true
        while let scalar = next, scalar != "]" {
            let first = try member()
            append(inSet: first)
            isEmpty = false
            guard next == "-" else { continue }
            position += 1
            guard let end = next, end != "]" else { throw refusal("-") }
            let last = try member()
            guard first <= last else { throw refusal("-") }
            result += "-"
            append(inSet: last)
        }
        guard next == "]", !isEmpty else { throw refusal("[") }
        position += 1
        result += "]"
    }

    private mutating func member() throws -> Unicode.Scalar {
        guard let scalar = next else { throw refusal("[") }
        position += 1
        switch scalar {
        case "\\": return try escaped()
        case "[", "&", "-", "^", ":", "$", "{", "}": throw refusal(scalar)
        default: return scalar
        }
    }

    /// Returns the escaped character after a backslash. Throws for letters and digits, which denote classes and positions.
    private mutating func escaped() throws -> Unicode.Scalar {
        guard let scalar = next, scalar.isASCII, !scalar.properties.isAlphabetic, scalar.properties.numericType == nil,
            scalar.value > 0x20
        else { throw refusal("\\") }
        position += 1
        return scalar
    }

    private mutating func append(literal scalar: Unicode.Scalar) {
        if PostgreSQLPattern.special.unicodeScalars.contains(scalar) { result += "\\" }
        result.unicodeScalars.append(scalar)
    }

    private mutating func append(inSet scalar: Unicode.Scalar) {
        if "\\[]^-".unicodeScalars.contains(scalar) { result += "\\" }
        result.unicodeScalars.append(scalar)
    }

    private func refusal(_ scalar: Unicode.Scalar) -> Error {
        PostgreSQLPattern.refusal(pattern, String(Character(scalar)))
    }
}
