import Foundation

/// The functions of a list of values, shared by function calls and collection operators.
enum Statistics {
    /// Computes `function` of `values`. Missing values count as 0 in sums and averages and are left out otherwise;
    /// without values, sums and averages are 0 and the rest nil.
    static func value(_ function: PredicateFunction, _ values: [Any?]) throws -> Any? {
        switch function {
        case .count: return values.count
        case .min: return try extreme(values, .orderedAscending)
        case .max: return try extreme(values, .orderedDescending)
        case .sum: return try sum(values, function).value
        case .average:
            guard !values.isEmpty else { return 0 }
            let sum = try sum(values, function)
            return sum.isDecimal
                ? PredicateNumber.compute(.divide, sum, .int(Int64(values.count))).value
                : sum.double / Double(values.count)
        case .median: return try median(try numbers(values, function))
        case .standardDeviation: return try deviation(try numbers(values, function))
        case .mode: return mode(try numbers(values, function))
        default: throw PredicateEvaluationError.unsupported("\(function.rawValue) is not a statistic")
        }
    }

    private static func numbers(_ values: [Any?], _ function: PredicateFunction) throws -> [PredicateNumber] {
        try values.compactMap { value in
            switch PredicateValue(value) {
            case .null: return nil
            case .number(let number): return number
            default: throw PredicateEvaluationError.notANumber(value, function.rawValue)
            }
        }
    }

    private static func sum(_ values: [Any?], _ function: PredicateFunction) throws -> PredicateNumber {
        try numbers(values, function).reduce(.int(0)) { PredicateNumber.compute(.add, $0, $1) }
    }

    private static func extreme(_ values: [Any?], _ wanted: ComparisonResult) throws -> Any? {
        var best: Any?
        for value in values where !PredicateValue(value).isNull {
            guard let current = best else {
                best = value
                continue
            }
            if try ValueComparison.order(PredicateValue(value), PredicateValue(current), []) == wanted { best = value }
        }
        return best
    }

    private static func median(_ numbers: [PredicateNumber]) throws -> Any? {
        guard !numbers.isEmpty else { return nil }
        let sorted = numbers.sorted { $0.compare($1) == .orderedAscending }
        let middle = sorted.count / 2
        if sorted.count % 2 == 1 { return sorted[middle].value }
        return (sorted[middle - 1].double + sorted[middle].double) / 2
    }

    /// Computes the standard deviation of the whole population, as Apple's `stddev:` does.
    private static func deviation(_ numbers: [PredicateNumber]) throws -> Any? {
        guard !numbers.isEmpty else { return nil }
        let values = numbers.map(\.double)
        let mean = values.reduce(0, +) / Double(values.count)
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / Double(values.count)).squareRoot()
    }

    /// Returns all most frequent values, in order of first appearance.
    private static func mode(_ numbers: [PredicateNumber]) -> Any? {
        var counts: [PredicateNumber: Int] = [:]
        for number in numbers { counts[number, default: 0] += 1 }
        let highest = counts.values.max() ?? 0
        var seen = Set<PredicateNumber>()
        return numbers.filter { counts[$0] == highest && seen.insert($0).inserted }.map(\.value)
    }
}
