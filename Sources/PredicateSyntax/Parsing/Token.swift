/// A token of a format string.
struct Token {
    enum Kind: Equatable {
        case identifier(String)
        /// A function name with colons, `add:to:`, or a method name used as an operator, `isKindOfClass:`.
        case selector(String)
        /// `#name`: a name even if it is a reserved word.
        case escapedName(String)
        /// `@name`: a collection operator.
        case collectionOperator(String)
        /// `$name`
        case variable(String)
        case keyword(Keyword)
        case integer(Int64)
        case unsigned(UInt64)
        case real(Double)
        case string(String)
        case specifier(FormatSpecifier)
        case symbol(Symbol)
        case end
    }

    let kind: Kind
    /// The offset of the token in the UTF-8 of the format.
    let offset: Int
    /// The text of a keyword as written, which may also be used as a name.
    let text: String
}

/// Reserved words. Case does not matter.
package enum Keyword: String {
    case and, or, not, `in`, between, contains, beginswith, endswith, like, matches
    case any, all, some, none
    case `self`, `true`, `false`, yes, no, null, `nil`
    case first, last, size, anykey
    case subquery, fetch, cast, function, ternary, truepredicate, falsepredicate
    case caseinsensitive, ci
    case utiConformsTo = "uti-conforms-to"
    case utiEquals = "uti-equals"

    /// Looks up a keyword, ignoring case.
    package init?(_ text: String) {
        guard let first = text.utf8.first, Self.mayBegin(with: first | 0x20, count: text.utf8.count) else { return nil }
        self.init(rawValue: text.lowercased())
    }

    /// Returns whether any keyword of that length begins with the letter: a fast check that rejects most names.
    private static func mayBegin(with letter: UInt8, count: Int) -> Bool {
        let letters: StaticString
        switch count {
        case 2: letters = "cino"
        case 3: letters = "any"
        case 4: letters = "clnst"
        case 5, 14: letters = "f"
        case 6: letters = "a"
        case 7: letters = "bmt"
        case 8: letters = "cefs"
        case 10: letters = "bu"
        case 13: letters = "t"
        case 15: letters = "cu"
        default: return false
        }
        return letters.withUTF8Buffer { $0.contains(letter) }
    }
}

/// Operators and punctuation; synonyms share a case.
enum Symbol: String {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "&&"
    case or = "||"
    case not = "!"
    case assign = ":="
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divide = "/"
    case power = "**"
    case bitAnd = "&"
    case bitOr = "|"
    case bitXor = "^"
    case bitNot = "~"
    case shiftLeft = "<<"
    case shiftRight = ">>"
    case leftParenthesis = "("
    case rightParenthesis = ")"
    case leftBracket = "["
    case rightBracket = "]"
    case leftBrace = "{"
    case rightBrace = "}"
    case comma = ","
    case dot = "."
}
