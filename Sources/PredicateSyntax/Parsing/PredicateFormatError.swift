import Foundation

/// A format string that cannot be parsed, or arguments that do not match it.
public struct PredicateFormatError: Error, Hashable, Sendable {
    /// The kind of error.
    public enum Code: Int, Sendable {
        /// The text violates the grammar.
        case syntax = 1
        /// A specifier has no argument, or one of the wrong type.
        case argument = 2
        /// A function, message or type that does not exist, or the wrong number of arguments for it.
        case unknownName = 3
        /// The text is too long or too deeply nested.
        case tooComplex = 4
    }

    /// The kind of error.
    public var code: Code
    /// The whole format string.
    public var format: String
    /// The position of the error, as an offset in the UTF-8 bytes of `format`.
    public var utf8Offset: Int
    /// The description of the error, as part of a sentence.
    public var reason: String
}

extension PredicateFormatError: CustomStringConvertible, LocalizedError, CustomNSError {
    public static var errorDomain: String { "PredicateFormatErrorDomain" }
    public var errorCode: Int { code.rawValue }
    public var errorDescription: String? { description }

    /// Apple's message, the reason, and the line of the format with a caret below the position.
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
