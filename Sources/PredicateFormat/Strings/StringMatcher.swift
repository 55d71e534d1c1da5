import Foundation

/// A string operator with its right-hand side and options, prepared once and applied to many strings.
///
/// Evaluation in memory and the functions the SQLite store registers share it, so both give the same answers.
/// Text and needles in ASCII are matched as bytes, without making a `String`.
///
/// Threads: may be used from several at once.
public struct StringMatcher: Sendable {
    private let kind: Kind

    private enum Kind: Sendable {
        case ordering(ComparisonOperator, StringCollation, needle: [UInt8])
        case equality(isEqual: Bool, SubstringSearch)
        case substring(SubstringSearch.Position, SubstringSearch)
        case like(LikePattern)
        case matches(RegularExpressionMatcher)
    }

    /// Prepares an operator.
    ///
    /// - Parameters:
    ///   - comparison: an ordering, `equalTo`, `notEqualTo`, `contains`, `beginsWith`, `endsWith`, `like` or `matches`.
    ///   - needle: the right-hand side. An empty one is contained in nothing, as at Apple.
    ///   - options: case, diacritics, literal, locale.
    /// - Throws: ``PredicateEvaluationError`` for a regular expression that is not one, and for operators that do not
    ///   compare strings.
    public init(_ comparison: ComparisonOperator, needle: String, options: StringComparisonOptions = []) throws {
        let folding = options.folding
        switch comparison {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            kind = .ordering(comparison, StringCollation(options: options), needle: Array(needle.utf8))
        case .equalTo, .notEqualTo:
            kind = .equality(isEqual: comparison == .equalTo, SubstringSearch(needle, folding))
        case .contains:
            kind = .substring(.anywhere, SubstringSearch(needle, folding))
        case .beginsWith:
            kind = .substring(.start, SubstringSearch(needle, folding))
        case .endsWith:
            kind = .substring(.end, SubstringSearch(needle, folding))
        case .like:
            kind = .like(LikePattern(needle, folding))
        case .matches:
            kind = .matches(try RegularExpressionMatcher(needle, folding))
        case .in, .between:
            throw PredicateEvaluationError.notAStringOperator(comparison)
        }
    }

    /// Whether `string` satisfies the operator.
    ///
    /// - Throws: ``PredicateEvaluationError`` for a regular expression that takes too many steps; nothing for any other
    ///   operator.
    public func matches(_ string: String) throws -> Bool {
        if case .matches(let expression) = kind { return try expression.matches(string) }
        return try StringFolding.withBytes(of: string) { try matches(utf8: $0) }
    }

    /// Whether UTF-8 text satisfies the operator.
    ///
    /// - Throws: as ``matches(_:)``.
    public func matches(utf8 text: UnsafeBufferPointer<UInt8>) throws -> Bool {
        switch kind {
        case .ordering(let comparison, let collation, let needle):
            return needle.withUnsafeBufferPointer { comparison.accepts(collation.compare(utf8: text, $0)) }
        case .equality(let isEqual, let search):
            return search.equals(text) == isEqual
        case .substring(let position, let search):
            return search.isFound(in: text, position)
        case .like(let pattern):
            return pattern.matches(text)
        case .matches(let expression):
            return try expression.matches(String(decoding: text, as: UTF8.self))
        }
    }
}

extension ComparisonOperator {
    /// Whether an ordering operator holds for operands that compare as `result`.
    func accepts(_ result: ComparisonResult) -> Bool {
        switch self {
        case .lessThan: result == .orderedAscending
        case .lessThanOrEqualTo: result != .orderedDescending
        case .greaterThan: result == .orderedDescending
        case .greaterThanOrEqualTo: result != .orderedAscending
        case .equalTo: result == .orderedSame
        case .notEqualTo: result != .orderedSame
        default: false
        }
    }
}
