import CoreDataRuntimeSupport
import Foundation

/// Compiles one comparison operator: specialized for its right side if that is a constant, otherwise for any two values.
struct ComparisonCompiler {
    typealias Test = (PredicateValue) throws -> Bool

    let comparison: ComparisonOperator
    let options: StringComparisonOptions
    /// The selector of a custom operator.
    var selector: Selector?

    /// Returns the test of a value against the constant `right`.
    func test(against right: Any?) throws -> Test {
        let operand = PredicateValue(right)
        switch comparison {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo:
            return try relation(to: operand)
        case .beginsWith, .endsWith, .like, .matches:
            guard case .string(let needle) = operand else { break }
            let matcher = try StringMatcher(comparison, needle: needle, options: options)
            return { [self] in try match($0, matcher, operand) }
        case .contains:
            guard case .string(let needle) = operand else { break }
            let matcher = try StringMatcher(.contains, needle: needle, options: options)
            return { [options] left in
                if case .string(let string) = left { return try matcher.matches(string) }
                return try CollectionTest.contains(left, operand, options)
            }
        case .in:
            guard case .other(let value) = operand, let elements = CollectionTest.elements(of: value) else { break }
            let set = ValueSet(elements, options)
            return { set.contains($0) }
        case .between:
            let (low, high) = try Self.bounds(operand)
            return { [options] in try Self.isBetween($0, low, high, options) }
        case .customSelector: break
        }
        let general = test()
        return { try general($0, operand) }
    }

    /// Returns the test of any two values.
    func test() -> (PredicateValue, PredicateValue) throws -> Bool {
        switch comparison {
        case .equalTo, .notEqualTo:
            let wanted = comparison == .equalTo
            return { [self] in equal($0, $1) == wanted }
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            return { [self] left, right in
                guard let result = try ValueComparison.order(left, right, options) else { return false }
                return comparison.accepts(result)
            }
        case .beginsWith, .endsWith, .like, .matches:
            let matchers = MatcherCache()
            return { [self] left, right in
                switch right {
                case .null: return try match(left, nil, right)
                case .string(let needle):
                    return try match(left, matchers.matcher(comparison, needle, options), right)
                default: throw unsuitable(left, right, value: right)
                }
            }
        case .in:
            return { [options] in try CollectionTest.contains($1, $0, options) }
        case .contains:
            return { [options] in try CollectionTest.contains($0, $1, options) }
        case .between:
            return { [options] left, right in
                if left.isNull { return false }
                let (low, high) = try Self.bounds(right)
                return try Self.isBetween(left, low, high, options)
            }
        case .customSelector:
            return { [selector] in try ClassTest.answer(selector, $0, $1) }
        }
    }

    // MARK: Equality and order

    private func relation(to right: PredicateValue) throws -> Test {
        switch right {
        case .number(let number):
            let comparison = comparison
            if case .int(let wanted) = number { return integerRelation(wanted) }
            return { left in
                guard case .number(let value) = left else { return try comparison.acceptsOtherKind(left, right) }
                guard let result = value.compare(number) else { return comparison == .notEqualTo }
                return comparison.accepts(result)
            }
        case .string(let string):
            let matcher = try StringMatcher(comparison, needle: string, options: options)
            return { [comparison] left in
                guard case .string(let value) = left else { return try comparison.acceptsOtherKind(left, right) }
                return try matcher.matches(value)
            }
        case .null, .date, .other:
            if comparison == .equalTo || comparison == .notEqualTo {
                let wanted = comparison == .equalTo
                return { ValueComparison.equal($0, right) == wanted }
            }
            return { [options, comparison] left in
                guard let result = try ValueComparison.order(left, right, options) else { return false }
                return comparison.accepts(result)
            }
        }
    }

    /// Returns the comparison with an integer, the most frequent test, with a fast path for integers.
    private func integerRelation(_ wanted: Int64) -> Test {
        let comparison = comparison
        return { left in
            guard case .number(let value) = left else {
                return try comparison.acceptsOtherKind(left, .number(.int(wanted)))
            }
            if case .int(let integer) = value { return comparison.accepts(integer, wanted) }
            guard let result = value.compare(.int(wanted)) else { return comparison == .notEqualTo }
            return comparison.accepts(result)
        }
    }

    private func equal(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        if case .string(let a) = left, case .string(let b) = right, !options.folding.isEmpty {
            return StringFolding.fold(a, options) == StringFolding.fold(b, options)
        }
        return ValueComparison.equal(left, right)
    }

    private static func bounds(_ range: PredicateValue) throws -> (low: PredicateValue, high: PredicateValue) {
        guard case .other(let value) = range, let bounds = (value as? any PredicateCollection)?.predicateElements,
            bounds.count == 2
        else {
            throw PredicateEvaluationError.badRange(range.value)
        }
        return (PredicateValue(bounds[0]), PredicateValue(bounds[1]))
    }

    private static func isBetween(
        _ value: PredicateValue, _ low: PredicateValue, _ high: PredicateValue, _ options: StringComparisonOptions
    ) throws -> Bool {
        guard let lower = try ValueComparison.order(low, value, options), lower != .orderedDescending,
            let upper = try ValueComparison.order(value, high, options)
        else { return false }
        return upper != .orderedDescending
    }

    // MARK: Strings

    /// Applies a prepared operator; without a matcher (the right side is nil) nothing matches.
    private func match(_ left: PredicateValue, _ matcher: StringMatcher?, _ right: PredicateValue) throws -> Bool {
        switch left {
        case .null: return false
        case .string(let string): return try matcher?.matches(string) ?? false
        default: throw unsuitable(left, right, value: left)
        }
    }

    private func unsuitable(
        _ left: PredicateValue, _ right: PredicateValue, value: PredicateValue
    ) -> PredicateEvaluationError {
        comparison == .like || comparison == .matches
            ? .notMatchable(value.value) : .notStrings(left.value, right.value)
    }
}

extension ComparisonOperator {
    /// Returns the result for two values of different kinds, which are unequal and unordered.
    ///
    /// - Throws: ``PredicateEvaluationError`` when a managed object is ordered relative to any other kind of value.
    fileprivate func acceptsOtherKind(_ left: PredicateValue, _ right: PredicateValue) throws -> Bool {
        if self == .equalTo || self == .notEqualTo { return self == .notEqualTo }
        _ = try ValueComparison.order(left, right, [])
        return false
    }

    /// Returns whether an ordering or equality operator holds for two integers.
    @inline(__always)
    fileprivate func accepts(_ left: Int64, _ right: Int64) -> Bool {
        switch self {
        case .lessThan: left < right
        case .lessThanOrEqualTo: left <= right
        case .greaterThan: left > right
        case .greaterThanOrEqualTo: left >= right
        case .equalTo: left == right
        case .notEqualTo: left != right
        default: false
        }
    }
}

/// Caches the matcher of the last needle, for right sides that are not constant but seldom change.
private final class MatcherCache: Sendable {
    private let last = Locked<(needle: String, matcher: StringMatcher)?>(nil)

    func matcher(
        _ comparison: ComparisonOperator, _ needle: String, _ options: StringComparisonOptions
    ) throws -> StringMatcher {
        if let last = last.withLock({ $0 }), last.needle == needle { return last.matcher }
        let matcher = try StringMatcher(comparison, needle: needle, options: options)
        last.withLock { $0 = (needle, matcher) }
        return matcher
    }
}
