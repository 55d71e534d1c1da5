import Foundation

extension PredicateNode {
    /// Returns a copy in which variables are replaced. The variable of a subquery shadows an outer one of the same name.
    func substituting(_ value: (String) -> ExpressionNode?) -> PredicateNode {
        switch self {
        case .constant, .opaque: return self
        case .and(let nodes): return .and(nodes.map { $0.substituting(value) })
        case .or(let nodes): return .or(nodes.map { $0.substituting(value) })
        case .not(let node): return .not(node.substituting(value))
        case .comparison(var comparison):
            comparison.left = comparison.left.substituting(value)
            comparison.right = comparison.right.substituting(value)
            return .comparison(comparison)
        }
    }

    /// True if an expression inside assigns a variable.
    var assigns: Bool {
        switch self {
        case .constant, .opaque: false
        case .and(let nodes), .or(let nodes): nodes.contains(where: \.assigns)
        case .not(let node): node.assigns
        case .comparison(let comparison): comparison.left.assigns || comparison.right.assigns
        }
    }
}

extension ExpressionNode {
    /// Returns a copy in which variables are replaced, as ``PredicateNode/substituting(_:)`` does.
    func substituting(_ value: (String) -> ExpressionNode?) -> ExpressionNode {
        switch self {
        case .constant, .evaluatedObject, .symbolicIndex, .anyKey:
            return self
        case .variable(let name):
            return value(name) ?? self
        case .keyPath(let keys, of: let base):
            return .path(keys, of: base.substituting(value))
        case .function(let function, let arguments):
            return .function(function, arguments.map { $0.substituting(value) })
        case .message(let target, let message, let arguments):
            let (target, values) = (target.substituting(value), arguments.map { $0.substituting(value) })
            // A path that ends in a variable becomes a plain path once the variable has a value, so stores can
            // translate it.
            if message == .valueForKeyPath, case .variable? = arguments.first, case .constant(let path)? = values.first,
                case .string(let text) = PredicateValue(path)
            {
                return .path(text, of: target)
            }
            return .message(target, message, values)
        case .aggregate(let elements):
            return .aggregate(elements.map { $0.substituting(value) })
        case .set(let operation, let left, let right):
            return .set(operation, left.substituting(value), right.substituting(value))
        case .subquery(let collection, variable: let name, let predicate):
            let inner = predicate.substituting { $0 == name ? nil : value($0) }
            return .subquery(collection.substituting(value), variable: name, inner)
        case .conditional(let predicate, let yes, let no):
            return .conditional(predicate.substituting(value), yes.substituting(value), no.substituting(value))
        case .assignment(variable: let name, let expression):
            return .assignment(variable: name, expression.substituting(value))
        case .fetch(request: let request, context: let context, countOnly: let countOnly):
            return .fetch(
                request: request.substituting(value),
                context: context.substituting(value),
                countOnly: countOnly.substituting(value)
            )
        case .block(let block, let arguments):
            return .block(block, arguments.map { $0.substituting(value) })
        }
    }

    var assigns: Bool {
        switch self {
        case .constant, .evaluatedObject, .symbolicIndex, .anyKey, .variable: false
        case .keyPath(_, of: let base): base.assigns
        case .function(_, let arguments), .aggregate(let arguments), .block(_, let arguments):
            arguments.contains(where: \.assigns)
        case .message(let target, _, let arguments): target.assigns || arguments.contains(where: \.assigns)
        case .set(_, let left, let right): left.assigns || right.assigns
        case .subquery(let collection, variable: _, let predicate): collection.assigns || predicate.assigns
        case .conditional(let predicate, let yes, let no): predicate.assigns || yes.assigns || no.assigns
        case .assignment: true
        case .fetch(request: let request, context: let context, countOnly: let countOnly):
            request.assigns || context.assigns || countOnly.assigns
        }
    }

    /// The value of a constant, or of a list of constants (as an array); nil for other expressions.
    public var constant: ConstantValue? {
        switch self {
        case .constant(let value):
            return ConstantValue(value: value)
        case .aggregate(let elements):
            var values: [Any] = []
            for element in elements {
                guard let constant = element.constant else { return nil }
                values.append(constant.value ?? NSNull())
            }
            return ConstantValue(value: values)
        default:
            return nil
        }
    }
}

/// The value of a constant expression, which may be nil.
public struct ConstantValue {
    /// The value, unchanged.
    public var value: Any?
}
