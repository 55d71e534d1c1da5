/// A placeholder for an argument in a format string.
package enum FormatSpecifier: Equatable {
    /// `%@`
    case object
    /// `%K`
    case keyPath
    /// `%s`
    case cString
    /// `%p`
    case pointer
    /// `%c`, `%C`
    case character
    /// `%f`, `%e`, `%g`, `%a`
    case real
    /// `%d`, `%ld`, `%llu`, `%x` …; `length` is C's length modifier.
    case integer(length: String, signed: Bool)

    /// Parses the specifier that starts at `bytes[start]`, after the percent sign.
    ///
    /// - Returns: the specifier and its end offset, or nil if there is none.
    static func read(_ bytes: [UInt8], at start: Int) -> (specifier: FormatSpecifier, end: Int)? {
        var position = start
        var length = ""
        while position < bytes.count, let letter = lengthLetter(bytes[position]), length.utf8.count < 2 {
            length += letter
            position += 1
        }
        guard position < bytes.count, let conversion = conversion(bytes[position], length) else { return nil }
        return (conversion, position + 1)
    }

    private static func lengthLetter(_ letter: UInt8) -> String? {
        switch letter {
        case UInt8(ascii: "h"): "h"
        case UInt8(ascii: "l"): "l"
        case UInt8(ascii: "q"): "ll"
        case UInt8(ascii: "z"): "z"
        case UInt8(ascii: "t"): "t"
        case UInt8(ascii: "j"): "j"
        case UInt8(ascii: "L"): "L"
        default: nil
        }
    }

    private static func conversion(_ letter: UInt8, _ length: String) -> FormatSpecifier? {
        switch letter {
        case UInt8(ascii: "d"), UInt8(ascii: "i"), UInt8(ascii: "D"):
            return length == "L" ? nil : .integer(length: length, signed: true)
        case UInt8(ascii: "u"), UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "o"), UInt8(ascii: "U"),
            UInt8(ascii: "O"):
            return length == "L" ? nil : .integer(length: length, signed: false)
        case UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "g"),
            UInt8(ascii: "G"), UInt8(ascii: "a"), UInt8(ascii: "A"):
            return length.isEmpty || length == "l" ? .real : nil
        default:
            break
        }
        guard length.isEmpty else { return nil }
        switch letter {
        case UInt8(ascii: "@"): return .object
        case UInt8(ascii: "K"): return .keyPath
        case UInt8(ascii: "s"): return .cString
        case UInt8(ascii: "p"): return .pointer
        case UInt8(ascii: "c"), UInt8(ascii: "C"): return .character
        default: return nil
        }
    }

    /// Returns the specifiers of a format string, in order; none if it is malformed (parsing will report the error).
    package static func all(in format: String) -> [FormatSpecifier] {
        guard let tokens = try? Lexer.tokens(of: format) else { return [] }
        return tokens.compactMap { token in
            if case .specifier(let specifier) = token.kind { return specifier }
            return nil
        }
    }
}
