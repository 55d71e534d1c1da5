import PredicateFormat

// Functions that aggregate rows, in columns of dictionaries and in predicates over groups of rows.

extension PredicateFunction {
    /// Whether it aggregates the values of several rows.
    fileprivate var isAggregate: Bool {
        switch self {
        case .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation: true
        default: false
        }
    }
}

extension ExpressionNode {
    /// The function and its argument, if the expression aggregates a value of several rows; nil for all others. A collection
    /// of a single row, such as a subquery, is aggregated for that row.
    package var aggregateOfRows: (function: PredicateFunction, argument: ExpressionNode)? {
        guard case .function(let function, let arguments) = self, function.isAggregate, arguments.count == 1,
            !arguments[0].isCollectionOfOneRow
        else { return nil }
        return (function, arguments[0])
    }

    private var isCollectionOfOneRow: Bool {
        switch self {
        case .subquery, .aggregate, .set: true
        case .keyPath(let keys, .subquery): !keys.contains { $0.hasPrefix("@") }
        case .keyPath(let keys, _): keys.contains { $0.hasPrefix("@") && $0.lowercased().contains("union") }
        default: false
        }
    }

    /// Whether the expression contains an aggregate of several rows.
    package var containsAggregate: Bool {
        if aggregateOfRows != nil { return true }
        return switch self {
        case .function(_, let arguments): arguments.contains(where: \.containsAggregate)
        case .conditional(_, let yes, let no): yes.containsAggregate || no.containsAggregate
        default: false
        }
    }

    /// Returns a copy in which `replacement` has replaced expressions, from the outside in. If it returns nil, the expression
    /// is kept, and the arguments of functions, lists and conditions inside it are visited.
    package func replacing(_ replacement: (ExpressionNode) throws -> ExpressionNode?) rethrows -> ExpressionNode {
        if let found = try replacement(self) { return found }
        switch self {
        case .function(let function, let arguments):
            return .function(function, try arguments.map { try $0.replacing(replacement) })
        case .aggregate(let elements): return .aggregate(try elements.map { try $0.replacing(replacement) })
        case .conditional(let predicate, let yes, let no):
            return .conditional(
                try predicate.replacing(replacement), try yes.replacing(replacement), try no.replacing(replacement))
        default: return self
        }
    }
}

extension PredicateNode {
    /// Returns a copy with replaced expressions in its comparisons. See ``ExpressionNode/replacing(_:)``.
    package func replacing(_ replacement: (ExpressionNode) throws -> ExpressionNode?) rethrows -> PredicateNode {
        switch self {
        case .comparison(var comparison):
            comparison.left = try comparison.left.replacing(replacement)
            comparison.right = try comparison.right.replacing(replacement)
            return .comparison(comparison)
        case .and(let nodes): return .and(try nodes.map { try $0.replacing(replacement) })
        case .or(let nodes): return .or(try nodes.map { try $0.replacing(replacement) })
        case .not(let node): return .not(try node.replacing(replacement))
        case .constant, .opaque: return self
        }
    }
}
