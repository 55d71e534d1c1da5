import Foundation

/// The bounds of a range as expressions; nil for an unbounded side.
private struct ConvertedRange {
    var lower: ExpressionNode?
    var upper: ExpressionNode?
    var includesUpper: Bool
}

/// A range, or an expression that produces one, inside `range.contains(x)`.
private protocol ConvertibleRange {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedRange
}

extension PredicateExpressions.ClosedRange: ConvertibleRange {
    fileprivate func converted(_ conversion: inout PredicateConversion) throws -> ConvertedRange {
        let low = try conversion.expression(lower)
        return ConvertedRange(lower: low, upper: try conversion.expression(upper), includesUpper: true)
    }
}

extension PredicateExpressions.Range: ConvertibleRange {
    fileprivate func converted(_ conversion: inout PredicateConversion) throws -> ConvertedRange {
        let low = try conversion.expression(lower)
        return ConvertedRange(lower: low, upper: try conversion.expression(upper), includesUpper: false)
    }
}

extension PredicateExpressions.Value: ConvertibleRange {
    fileprivate func converted(_ conversion: inout PredicateConversion) throws -> ConvertedRange {
        guard let bounds = (value as? any BoundedRange)?.ends else {
            throw PredicateConversionError(
                expression: "\(Output.self)", reason: "a range is needed whose ends can be read")
        }
        func node(_ end: Any?) throws -> ExpressionNode? {
            try end.map { .constant(try PredicateConversion.constant($0)) }
        }
        return ConvertedRange(
            lower: try node(bounds.lower), upper: try node(bounds.upper), includesUpper: bounds.includesUpper)
    }
}

/// A range of the standard library.
private protocol BoundedRange {
    var ends: (lower: Any?, upper: Any?, includesUpper: Bool) { get }
}

extension Range: BoundedRange {
    fileprivate var ends: (lower: Any?, upper: Any?, includesUpper: Bool) { (lowerBound, upperBound, false) }
}

extension ClosedRange: BoundedRange {
    fileprivate var ends: (lower: Any?, upper: Any?, includesUpper: Bool) { (lowerBound, upperBound, true) }
}

extension PartialRangeFrom: BoundedRange {
    fileprivate var ends: (lower: Any?, upper: Any?, includesUpper: Bool) { (lowerBound, nil, false) }
}

extension PartialRangeUpTo: BoundedRange {
    fileprivate var ends: (lower: Any?, upper: Any?, includesUpper: Bool) { (nil, upperBound, false) }
}

extension PartialRangeThrough: BoundedRange {
    fileprivate var ends: (lower: Any?, upper: Any?, includesUpper: Bool) { (nil, upperBound, true) }
}

extension PredicateExpressions.RangeExpressionContains: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        guard let convertible = range as? any ConvertibleRange else {
            throw PredicateConversionError(
                expression: "\(RangeExpression.Output.self)", reason: "a range is needed whose ends can be read")
        }
        let ends = try convertible.converted(&conversion)
        let value = try conversion.expression(element)
        if let lower = ends.lower, let upper = ends.upper, ends.includesUpper {
            return .predicate(.comparison(ComparisonNode(value, .between, .aggregate([lower, upper]))))
        }
        var tests: [PredicateNode] = []
        if let lower = ends.lower { tests.append(.comparison(ComparisonNode(value, .greaterThanOrEqualTo, lower))) }
        if let upper = ends.upper {
            tests.append(.comparison(ComparisonNode(value, ends.includesUpper ? .lessThanOrEqualTo : .lessThan, upper)))
        }
        return .predicate(tests.count == 1 ? tests[0] : .and(tests))
    }
}
