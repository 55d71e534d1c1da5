import Foundation

/// A format string that cannot be parsed, or arguments that do not fit it.
public struct PredicateFormatError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Code: Int, Sendable {
        /// The text breaks the grammar.
        case syntax = 1
        /// A specifier has no argument, or one of the wrong type.
        case argument = 2
        /// A function, message or type that does not exist, or the wrong number of arguments for it.
        case unknownName = 3
        /// The text is too long or too deeply nested.
        case tooComplex = 4
    }

    /// What kind of mistake it is.
    public var code: Code
    /// The whole format string.
    public var format: String
    /// Where the mistake is, as an offset in the UTF-8 bytes of `format`.
    public var utf8Offset: Int
    /// What is wrong there, as part of a sentence.
    public var reason: String
}

extension PredicateFormatError: CustomStringConvertible, LocalizedError, CustomNSError {
    public static var errorDomain: String { "PredicateFormatErrorDomain" }
    public var errorCode: Int { code.rawValue }
    public var errorDescription: String? { description }

    /// Apple's sentence, the reason, and the line of the format with a caret under the position.
    public var description: String {
        let before = String(decoding: format.utf8.prefix(utf8Offset), as: UTF8.self)
        let after = String(decoding: format.utf8.dropFirst(utf8Offset), as: UTF8.self)
        let lineStart = before.split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
        let lineEnd = after.split(separator: "\n", omittingEmptySubsequences: false).first ?? ""
        let shownStart = lineStart.suffix(100)
        return """
            Unable to parse the format string "\(format.count > 400 ? format.prefix(400) + "…" : format)": \(reason)
            \(shownStart)\(lineEnd.prefix(60))
            \(String(repeating: " ", count: shownStart.count))^
            """
    }
}
