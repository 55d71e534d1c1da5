import Foundation

/// The right-hand side of `MATCHES`: an ICU regular expression that must match the whole string.
///
/// Unchecked because Foundation does not declare `NSRegularExpression` sendable; it is immutable.
struct RegularExpressionMatcher: @unchecked Sendable {
    private let expression: NSRegularExpression
    private let foldsDiacritics: Bool

    init(_ pattern: String, _ options: StringComparisonOptions) throws {
        foldsDiacritics = options.contains(.diacriticInsensitive)
        let folded = foldsDiacritics ? Self.withoutDiacritics(pattern) : pattern
        do {
            // Tried on its own first: inside the anchors a stray parenthesis could go unnoticed.
            _ = try NSRegularExpression(pattern: folded)
            expression = try NSRegularExpression(
                pattern: "\\A(?:\(folded))\\z",
                options: options.contains(.caseInsensitive) ? .caseInsensitive : []
            )
        } catch {
            throw PredicateEvaluationError.badRegularExpression(pattern)
        }
    }

    func matches(_ string: String) -> Bool {
        let string = foldsDiacritics ? Self.withoutDiacritics(string) : string
        return expression.firstMatch(in: string, range: NSRange(location: 0, length: string.utf16.count)) != nil
    }

    private static func withoutDiacritics(_ string: String) -> String {
        String(decoding: StringFolding.fold(string, .diacriticInsensitive), as: UTF8.self)
    }
}
