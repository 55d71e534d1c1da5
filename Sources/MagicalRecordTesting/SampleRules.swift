import CoreData

/// The bounds and lists in validation predicates, from which values are generated. Other conditions are checked by evaluation.
struct SampleRules {
    private(set) var low: Double?
    private(set) var high: Double?
    /// The smallest and the largest integer in the bounds.
    private(set) var lowest: Int?
    private(set) var highest: Int?
    private(set) var earliest: Date?
    private(set) var latest: Date?
    private(set) var shortest: Int?
    private(set) var longest: Int?
    /// The values of a list of allowed ones.
    private(set) var listed: [Any] = []

    init(_ predicates: [NSPredicate]) {
        for predicate in predicates { read(predicate) }
    }

    private mutating func read(_ predicate: NSPredicate) {
        if let all = predicate as? NSCompoundPredicate, all.compoundPredicateType == .and {
            // An array of `Any` on Apple's platforms.
            for part: Any in all.subpredicates {
                if let part = part as? NSPredicate { read(part) }
            }
        }
        guard let comparison = predicate as? NSComparisonPredicate else { return }
        let right = comparison.rightExpression
        if comparison.predicateOperatorType == .in || comparison.predicateOperatorType == .between {
            let values = Self.values(of: right)
            if comparison.predicateOperatorType == .in {
                listed = values
            } else if values.count == 2 {
                bound(comparison.leftExpression, values[0], isLower: true, isStrict: false)
                bound(comparison.leftExpression, values[1], isLower: false, isStrict: false)
            }
            return
        }
        guard right.expressionType == .constantValue, let constant = right.constantValue else { return }
        switch comparison.predicateOperatorType {
        case .equalTo where comparison.leftExpression.expressionType == .evaluatedObject: listed = [constant]
        case .greaterThan: bound(comparison.leftExpression, constant, isLower: true, isStrict: true)
        case .greaterThanOrEqualTo: bound(comparison.leftExpression, constant, isLower: true, isStrict: false)
        case .lessThan: bound(comparison.leftExpression, constant, isLower: false, isStrict: true)
        case .lessThanOrEqualTo: bound(comparison.leftExpression, constant, isLower: false, isStrict: false)
        default: break
        }
    }

    private mutating func bound(_ subject: NSExpression, _ value: Any, isLower: Bool, isStrict: Bool) {
        if let date = value as? Date {
            if isLower { earliest = max(earliest ?? date, date) } else { latest = min(latest ?? date, date) }
            return
        }
        guard let number = (value as? NSNumber)?.doubleValue else { return }
        if subject.expressionType == .keyPath, subject.keyPath == "length" {
            let length = Int(clamping: number.rounded(isLower ? .up : .down))
            if isLower {
                shortest = max(shortest ?? 0, isStrict ? length + 1 : length)
            } else {
                longest = min(longest ?? .max, isStrict ? length - 1 : length)
            }
        } else if isLower {
            low = max(low ?? number, number)
            let whole = isStrict ? Int(clamping: number.rounded(.down)) + 1 : Int(clamping: number.rounded(.up))
            lowest = max(lowest ?? whole, whole)
        } else {
            high = min(high ?? number, number)
            let whole = isStrict ? Int(clamping: number.rounded(.up)) - 1 : Int(clamping: number.rounded(.down))
            highest = min(highest ?? whole, whole)
        }
    }

    /// Returns the elements of a list, which is a constant or an aggregate of constants.
    private static func values(of expression: NSExpression) -> [Any] {
        switch expression.expressionType {
        case .aggregate: (expression.collection as? [NSExpression] ?? []).compactMap(\.constantValue)
        case .constantValue:
            switch expression.constantValue {
            case let array as [Any]: array
            case let set as NSSet: set.allObjects
            default: []
            }
        default: []
        }
    }
}

extension Int {
    /// Converts to the nearest integer that has a predecessor and a successor.
    init(clamping value: Double) {
        self = value.isNaN ? 0 : Int(exactly: value) ?? (value < 0 ? -Int.max + 1 : Int.max - 1)
        self = Swift.max(-Int.max + 1, Swift.min(self, Int.max - 1))
    }
}
