import CoreDataRowStorage
import Foundation
import PredicateFormat

/// Evaluates expressions over a group of rows: aggregate functions use all rows, all other expressions the first.
struct AggregateResolver {
    private let group: [MemoryObject]
    /// The names of columns, which a predicate over the groups may use as variables.
    private let columns: Set<String>

    init(_ group: [MemoryObject], columns: Set<String> = []) {
        self.group = group
        self.columns = columns
    }

    /// Returns the predicate with its aggregate functions replaced by their values.
    func resolve(_ predicate: NSPredicate) throws -> NSPredicate {
        NSPredicate(node: try predicate.node.replacing(value(inPlaceOf:)))
    }

    func value(of node: ExpressionNode) throws -> Any? {
        do {
            let resolved = try node.replacing(value(inPlaceOf:))
            return try ExpressionObject(node: resolved).expressionValueThrowing(with: group.first)
        } catch let error as PredicateEvaluationError {
            throw StoreErrors.invalidRequest(error.message)
        }
    }

    private func value(inPlaceOf node: ExpressionNode) throws -> ExpressionNode? {
        if case .variable(let name) = node, columns.contains(name) { return .keyPath([name], of: .evaluatedObject) }
        guard let (function, argument) = node.aggregateOfRows else { return nil }
        var values: [Any] = []
        for object in group {
            if case .keyPath(let keys, .evaluatedObject) = argument, !keys.contains(where: { $0.hasPrefix("@") }) {
                object.collect(keys[...], into: &values)
            } else {
                let value = try ExpressionObject(node: argument).expressionValueThrowing(with: object)
                if let value, !(value is NSNull) { values.append(value) }
            }
        }
        // As in SQL, the extremes and the average of no values are nil.
        if values.isEmpty, function != .count, function != .sum { return .constant(nil) }
        return .function(function, [.constant(values)])
    }
}
