import Foundation

/// The right-hand side of `MATCHES`: an ICU regular expression that must match the whole string.
///
/// Unchecked because Foundation does not declare `NSRegularExpression` sendable; it is immutable.
struct RegularExpressionMatcher: @unchecked Sendable {
    private let expression: NSRegularExpression
    private let foldsDiacritics: Bool
    private let pattern: String
    /// The step limit for all matches together; nil for the budget of the thread, if it has one.
    private let budget: MatchingBudget?

    init(_ pattern: String, _ options: StringComparisonOptions, _ budget: MatchingBudget?) throws {
        self.pattern = pattern
        self.budget = budget
        foldsDiacritics = options.contains(.diacriticInsensitive)
        let folded = foldsDiacritics ? Self.withoutDiacritics(pattern) : pattern
        do {
            // Compiled without anchors first: inside them a stray parenthesis could go unnoticed.
            _ = try NSRegularExpression(pattern: folded)
            expression = try NSRegularExpression(
                pattern: "\\A(?:\(folded))\\z",
                options: options.contains(.caseInsensitive) ? .caseInsensitive : []
            )
        } catch {
            throw PredicateEvaluationError.badRegularExpression(pattern)
        }
    }

    /// Returns whether the whole of `string` matches.
    ///
    /// - Throws: ``PredicateEvaluationError`` if the expression takes too many steps on the string (some, such as `(a+)+`, take
    ///   time exponential in its length), or if the strings of one fetch together take too many.
    func matches(_ string: String) throws -> Bool {
        let string = foldsDiacritics ? Self.withoutDiacritics(string) : string
        var (isMatch, reports) = (false, 0)
        let range = NSRange(location: 0, length: string.utf16.count)
        // ICU reports its progress about every ten thousand steps.
        expression.enumerateMatches(in: string, options: .reportProgress, range: range) { result, _, stop in
            if result != nil {
                isMatch = true
                stop.pointee = true
            } else {
                reports += 1
                if reports > Self.maximumReports { stop.pointee = true }
            }
        }
        guard reports <= Self.maximumReports else {
            throw PredicateEvaluationError.matchingTakesTooLong(pattern)
        }
        if reports > 0, let budget = budget ?? .current, !budget.spend(reports, on: range.length) {
            throw PredicateEvaluationError.matchingTakesTooLong(pattern)
        }
        return isMatch
    }

    /// The number of progress reports after which a match is aborted: some 10 million steps, or a quarter of a second.
    private static let maximumReports = 1000

    private static func withoutDiacritics(_ string: String) -> String {
        String(decoding: StringFolding.fold(string, .diacriticInsensitive), as: UTF8.self)
    }
}
