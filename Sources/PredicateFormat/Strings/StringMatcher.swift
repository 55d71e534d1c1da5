import Foundation

/// A string operator with its right-hand side and options, prepared once and applied to many strings.
///
/// Evaluation in memory and the SQL functions of the SQLite store share it, so both give the same results. ASCII text and
/// needles are matched as bytes, without creating a `String`.
///
/// Immutable; may be used by several threads at once.
public struct StringMatcher: Sendable {
    // A class, not an enumeration: a method call needs no retain and release, while a switch over payloads does.
    private let test: TextTest

    /// Prepares an operator.
    ///
    /// - Parameters:
    ///   - comparison: an ordering, `equalTo`, `notEqualTo`, `contains`, `beginsWith`, `endsWith`, `like` or `matches`.
    ///   - needle: the right-hand side. An empty needle is contained in nothing, as on Apple's platforms.
    ///   - options: case, diacritics, literal, locale.
    ///   - budget: the step limit for regular expressions over all strings together; without one, each string has its own
    ///     limit, and inside ``MatchingBudget/shared(by:)`` its budget applies.
    /// - Throws: ``PredicateEvaluationError`` for a malformed regular expression, and for operators that do not compare
    ///   strings.
    public init(
        _ comparison: ComparisonOperator, needle: String, options: StringComparisonOptions = [],
        budget: MatchingBudget? = nil
    ) throws {
        let folding = options.folding
        switch comparison {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            test = OrderingTest(comparison, StringCollation(options: options), needle: needle)
        case .equalTo, .notEqualTo:
            test = EqualityTest(SubstringSearch(needle, folding), isEqual: comparison == .equalTo)
        case .contains: test = SubstringTest(SubstringSearch(needle, folding), .anywhere)
        case .beginsWith: test = SubstringTest(SubstringSearch(needle, folding), .start)
        case .endsWith: test = SubstringTest(SubstringSearch(needle, folding), .end)
        case .like: test = PatternTest(LikePattern(needle, folding))
        case .matches: test = ExpressionTest(try RegularExpressionMatcher(needle, folding, budget))
        case .in, .between, .customSelector:
            throw PredicateEvaluationError.notAStringOperator(comparison)
        }
    }

    /// Returns whether `string` satisfies the operator.
    ///
    /// - Throws: ``PredicateEvaluationError`` for a regular expression that takes too many steps; other operators never throw.
    public func matches(_ string: String) throws -> Bool { try test.matches(string) }

    /// Returns whether UTF-8 text satisfies the operator.
    ///
    /// - Throws: as ``matches(_:)``.
    public func matches(utf8 text: UnsafeBufferPointer<UInt8>) throws -> Bool { try test.matches(text) }
}

/// The implementation of a ``StringMatcher``. Immutable, as are all subclasses.
private class TextTest: @unchecked Sendable {
    func matches(_ text: UnsafeBufferPointer<UInt8>) throws -> Bool { false }

    func matches(_ string: String) throws -> Bool {
        try StringFolding.withBytes(of: string) { try matches($0) }
    }
}

private final class OrderingTest: TextTest, @unchecked Sendable {
    private let comparison: ComparisonOperator
    private let collation: StringCollation
    private let needle: [UInt8]

    init(_ comparison: ComparisonOperator, _ collation: StringCollation, needle: String) {
        self.comparison = comparison
        self.collation = collation
        self.needle = Array(needle.utf8)
    }

    override func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        needle.withUnsafeBufferPointer { comparison.accepts(collation.compare(utf8: text, $0)) }
    }
}

private final class EqualityTest: TextTest, @unchecked Sendable {
    private let search: SubstringSearch
    private let isEqual: Bool

    init(_ search: SubstringSearch, isEqual: Bool) {
        self.search = search
        self.isEqual = isEqual
    }

    override func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool { search.equals(text) == isEqual }
}

private final class SubstringTest: TextTest, @unchecked Sendable {
    private let search: SubstringSearch
    private let position: SubstringSearch.Position

    init(_ search: SubstringSearch, _ position: SubstringSearch.Position) {
        self.search = search
        self.position = position
    }

    override func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool { search.isFound(in: text, position) }
}

private final class PatternTest: TextTest, @unchecked Sendable {
    private let pattern: LikePattern

    init(_ pattern: LikePattern) { self.pattern = pattern }

    override func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool { pattern.matches(text) }
}

private final class ExpressionTest: TextTest, @unchecked Sendable {
    private let expression: RegularExpressionMatcher

    init(_ expression: RegularExpressionMatcher) { self.expression = expression }

    override func matches(_ text: UnsafeBufferPointer<UInt8>) throws -> Bool {
        try expression.matches(String(decoding: text, as: UTF8.self))
    }

    override func matches(_ string: String) throws -> Bool { try expression.matches(string) }
}

extension ComparisonOperator {
    /// Returns whether an ordering operator holds for operands that compare as `result`.
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
