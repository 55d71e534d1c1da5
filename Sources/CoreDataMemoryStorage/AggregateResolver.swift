import CoreDataRowStorage
import Foundation
import PredicateFormat

/// Evaluates expressions over a group of rows: aggregate functions see all of them, everything else the first.
struct AggregateResolver {
    private let group: [MemoryObject]
    /// Names of columns, which a predicate over the groups may give as variables.
    private let columns: Set<String>

    init(_ group: [MemoryObject], columns: Set<String> = []) {
        self.group = group
        self.columns = columns
    }

    private static let aggregates: Set<PredicateFunction> = [
        .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation,
    ]

    /// Whether an expression combines several rows.
    static func containsAggregate(_ node: ExpressionNode) -> Bool {
        switch node {
        case .function(let function, let arguments):
            (aggregates.contains(function) && arguments.count == 1 && !leadsToMany(arguments[0]))
                || arguments.contains(where: containsAggregate)
        case .conditional(_, let yes, let no): containsAggregate(yes) || containsAggregate(no)
        default: false
        }
    }

    /// A collection of one row's own is summed up for that row: `SUBQUERY(…)`, lists and paths with operators.
    private static func leadsToMany(_ node: ExpressionNode) -> Bool {
        switch node {
        case .subquery, .aggregate, .set: true
        case .keyPath(let keys, _): keys.contains { $0.hasPrefix("@") }
        default: false
        }
    }

    /// The same predicate with the values of aggregate functions put in.
    func resolve(_ predicate: NSPredicate) throws -> NSPredicate { NSPredicate(node: try resolve(predicate.node)) }

    func value(of node: ExpressionNode) throws -> Any? {
        do {
            return try ExpressionObject(node: resolve(node)).expressionValueThrowing(with: group.first)
        } catch let error as PredicateEvaluationError {
            throw StoreErrors.invalidRequest(error.message)
        }
    }

    private func resolve(_ node: PredicateNode) throws -> PredicateNode {
        switch node {
        case .comparison(var comparison):
            comparison.left = try resolve(comparison.left)
            comparison.right = try resolve(comparison.right)
            return .comparison(comparison)
        case .and(let nodes): return .and(try nodes.map(resolve))
        case .or(let nodes): return .or(try nodes.map(resolve))
        case .not(let node): return .not(try resolve(node))
        case .constant, .opaque: return node
        }
    }

    private func resolve(_ node: ExpressionNode) throws -> ExpressionNode {
        switch node {
        case .function(let function, let arguments):
            guard Self.aggregates.contains(function), arguments.count == 1, !Self.leadsToMany(arguments[0]) else {
                return .function(function, try arguments.map(resolve))
            }
            var values: [Any] = []
            for object in group {
                if case .keyPath(let keys, .evaluatedObject) = arguments[0] {
                    object.collect(keys[...], into: &values)
                } else {
                    let value = try ExpressionObject(node: arguments[0]).expressionValueThrowing(with: object)
                    if let value, !(value is NSNull) { values.append(value) }
                }
            }
            // As in SQL, there is no extreme and no average of nothing.
            if values.isEmpty, function != .count, function != .sum { return .constant(nil) }
            return .function(function, [.constant(values)])
        case .conditional(let predicate, let yes, let no):
            return .conditional(try resolve(predicate), try resolve(yes), try resolve(no))
        case .variable(let name) where columns.contains(name): return .keyPath([name], of: .evaluatedObject)
        default: return node
        }
    }
}
