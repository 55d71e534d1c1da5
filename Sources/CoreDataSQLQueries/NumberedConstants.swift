import CoreDataRowStorage
import PredicateFormat

/// A constant in a predicate that is being compiled: its number among the request's constants. Its value is only looked at
/// where the shape says enough about it.
package struct NumberedConstant {
    package let slot: Int
    package let kind: ConstantKind
    package let value: Any?
}

extension NumberedConstant: CustomStringConvertible {
    /// The constant as the format language writes it, for messages.
    package var description: String { ExpressionNode.constant(value).expressionFormat }
}

/// A fetch inside a predicate that is being compiled.
struct NumberedFetch {
    let fetch: NestedFetch
    let predicate: PredicateNode?
}

/// Replaces the constants of a tree by numbered ones, in the order of ``ShapeWriter``.
package struct NumberedConstants {
    private(set) var count = 0

    package init() {}

    package mutating func number(_ node: PredicateNode) -> PredicateNode {
        switch node {
        case .comparison(var comparison):
            comparison.left = number(comparison.left)
            comparison.right = number(comparison.right)
            return .comparison(comparison)
        case .and(let nodes): return .and(nodes.map { number($0) })
        case .or(let nodes): return .or(nodes.map { number($0) })
        case .not(let node): return .not(number(node))
        case .constant, .opaque: return node
        }
    }

    package mutating func number(_ node: ExpressionNode) -> ExpressionNode {
        switch node.withKnownValue {
        case .constant(let value):
            defer { count += 1 }
            return .constant(NumberedConstant(slot: count, kind: ConstantKind(value), value: value))
        case .keyPath(let keys, let base): return .keyPath(keys, of: number(base))
        case .function(let function, let arguments): return .function(function, arguments.map { number($0) })
        case .message(let target, let message, let arguments):
            let target = number(target)
            return .message(target, message, arguments.map { number($0) })
        case .aggregate(let elements): return .aggregate(elements.map { number($0) })
        case .set(let operation, let left, let right):
            let left = number(left)
            return .set(operation, left, number(right))
        case .subquery(let collection, let variable, let predicate):
            let collection = number(collection)
            return .subquery(collection, variable: variable, number(predicate))
        case .conditional(let predicate, let yes, let no):
            let predicate = number(predicate)
            let yes = number(yes)
            return .conditional(predicate, yes, number(no))
        case .assignment(let variable, let value): return .assignment(variable: variable, number(value))
        case .fetch(let request, let context, let countOnly):
            guard let fetch = NestedFetch(request, countOnly: countOnly) else { return node }
            let numbered = NumberedFetch(fetch: fetch, predicate: fetch.predicate.map { number($0) })
            return .fetch(request: .constant(numbered), context: context, countOnly: countOnly)
        case .evaluatedObject, .variable, .symbolicIndex, .anyKey, .block: return node
        }
    }
}
