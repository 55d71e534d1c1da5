import Foundation

/// The expressions derived attributes use, read without a full parser: key paths, `now()`, and one function of one key
/// path (`canonical:(name)`, `count:(items)`, `items.@count`).
enum SimpleExpression {
    static func parse(_ text: String) -> ArchivedExpression? {
        let text = DerivationText.normalized(text)
        guard let open = text.firstIndex(of: "(") else { return isKeyPath(text) ? .keyPath(text) : nil }
        let selector = String(text[..<open])
        guard text.hasSuffix(")"), isIdentifier(selector.hasSuffix(":") ? String(selector.dropLast()) : selector) else {
            return nil
        }
        let argument = text[text.index(after: open)...].dropLast().trimmingCharacters(in: .whitespaces)
        if argument.isEmpty, !selector.hasSuffix(":") { return .function(selector, target: nil, arguments: []) }
        guard selector.hasSuffix(":"), isKeyPath(argument) else { return nil }
        return .function(selector, target: nil, arguments: [.keyPath(argument)])
    }

    private static func isKeyPath(_ text: String) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { isIdentifier(String($0)) }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.first, first.isLetter || first == "_" else { return false }
        return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
            && !["SELF", "TRUEPREDICATE", "FALSEPREDICATE", "NULL", "NIL", "TRUE", "FALSE", "YES", "NO"]
                .contains(text.uppercased())
    }
}
