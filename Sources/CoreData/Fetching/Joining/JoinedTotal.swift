import CoreDataRowStorage
import Foundation
import PredicateFormat

/// An aggregate over several stores: the columns to fetch from each store, and their combined value.
struct JoinedTotal {
    /// The name of the variable that replaces the aggregate.
    let name: String
    let parts: [NSExpressionDescription]
    private let function: PredicateFunction

    /// Creates the columns for an aggregate.
    ///
    /// - Throws: `NSCoreDataError` for a function with a value that cannot be computed from those of each store.
    init(_ function: PredicateFunction, of argument: ExpressionNode, number: Int, _ layout: EntityLayout) throws {
        self.function = function
        let name = "total \(number)"
        self.name = name
        let needed: [PredicateFunction]
        switch function {
        case .sum, .count, .min, .max: needed = [function]
        case .average: needed = [.sum, .count]
        default: throw JoinedTotals.unsupported(ExpressionNode.function(function, [argument]).expressionFormat, layout)
        }
        parts = needed.map { function in
            let part = NSExpressionDescription()
            part.name = "\(name) \(function.rawValue)"
            part.expression = NSExpression(node: .function(function, [argument]))
            return part
        }
    }

    /// Returns the combined value.
    ///
    /// - Parameter rows: The rows fetched from the stores.
    func value(of rows: [[String: Any]]) throws -> Any? {
        let values = parts.map { part in rows.compactMap { $0[part.name] } }
        switch function {
        case .min, .max: return values[0].isEmpty ? nil : try Self.evaluate(.function(function, [.constant(values[0])]))
        case .average:
            let (sum, count) = (try Self.sum(values[0]), try Self.sum(values[1]))
            guard case .number(let total) = PredicateValue(sum), case .number(let number) = PredicateValue(count),
                let number = number.integer, number > 0
            else { return nil }
            guard total.isDecimal else { return NSNumber(value: total.double / Double(number)) }
            return NSDecimalNumber(decimal: total.decimal / Decimal(number))
        default: return try Self.sum(values[0])
        }
    }

    private static func sum(_ values: [Any]) throws -> Any? { try evaluate(.function(.sum, [.constant(values)])) }

    /// Returns the value of an expression without an object, with numbers boxed.
    static func evaluate(_ node: ExpressionNode) throws -> Any? {
        do {
            let value = try ExpressionObject(node: node).expressionValueThrowing(with: nil)
            guard let value, !(value is NSNull) else { return nil }
            return BoxedValue.number(from: value) ?? value
        } catch let error as PredicateEvaluationError {
            throw StoreErrors.invalidRequest(error.message)
        }
    }
}
