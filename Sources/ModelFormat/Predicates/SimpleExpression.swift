import Foundation

/// Parses the expressions of derived attributes without a full parser: key paths, `now()`, and one function of one key path
/// (`canonical:(name)`, `count:(items)`, `items.@count`).
enum SimpleExpression {
    static func parse(_ text: String) -> ArchivedExpression? {
        let text = withoutSpaces(text)
        if text.hasSuffix(".@count"), let path = keyPath(text.dropLast(".@count".count)) {
            return .function("count:", target: nil, arguments: [.keyPath(path)])
        }
        guard let open = text.firstIndex(of: "(") else { return keyPath(text[...]).map { .keyPath($0) } }
        let selector = String(text[..<open])
        guard text.hasSuffix(")"), isIdentifier(selector.hasSuffix(":") ? selector.dropLast() : selector[...]) else {
            return nil
        }
        let argument = text[text.index(after: open)...].dropLast()
        if argument.isEmpty, !selector.hasSuffix(":") { return .function(selector, target: nil, arguments: []) }
        guard selector.hasSuffix(":"), let path = keyPath(argument) else { return nil }
        return .function(selector, target: nil, arguments: [.keyPath(path)])
    }

    /// Returns a key path, which may contain operators (`@sum`), without the escapes of reserved words (`#size`); `nil` for
    /// other text.
    private static func keyPath(_ text: Substring) -> String? {
        let names = text.split(separator: ".", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("#") ? (name: $0.dropFirst(), isMarked: true) : (name: $0, isMarked: false) }
        for (name, isMarked) in names {
            let plain = name.hasPrefix("@") ? name.dropFirst() : name
            guard isMarked ? isWord(plain) : isIdentifier(plain) else { return nil }
        }
        return names.map { String($0.name) }.joined(separator: ".")
    }

    /// Returns the text without spaces around it and around its punctuation.
    private static func withoutSpaces(_ text: String) -> String {
        var result = ""
        var spaces = ""
        for character in text {
            if character.isWhitespace {
                spaces.append(character)
            } else {
                let isBesidePunctuation = "(.".contains(result.last ?? "(") || "().".contains(character)
                result += (isBesidePunctuation ? "" : spaces) + String(character)
                spaces = ""
            }
        }
        return result
    }

    private static func isWord(_ text: Substring) -> Bool {
        guard let first = text.first, first.isLetter || first == "_" else { return false }
        return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }

    /// Returns whether the text is a name and not a constant.
    private static func isIdentifier(_ text: Substring) -> Bool {
        isWord(text)
            && !["SELF", "TRUEPREDICATE", "FALSEPREDICATE", "NULL", "NIL", "TRUE", "FALSE", "YES", "NO"]
                .contains(text.uppercased())
    }
}
