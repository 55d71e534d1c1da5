public import ModelFormat
public import PredicateSyntax

/// Converts trees from compiled models and mapping models to trees that can be evaluated.
///
/// The inverse of ``FormatTextParser``. Unlike a conversion through text, it preserves every constant.
extension ExpressionNode {
    /// Converts an archived expression.
    ///
    /// - Throws: ``ModelFormatError`` for unknown functions and messages.
    public init(_ archived: ArchivedExpression) throws {
        switch archived {
        case .constant(let value): self = .constant(value?.foundationValue)
        case .evaluatedObject: self = .evaluatedObject
        case .variable(let name): self = .variable(name)
        case .keyPath(let path, let base): self = .path(path, of: try ExpressionNode(base))
        case .function(let selector, nil, let arguments):
            guard let function = PredicateFunction(rawValue: selector) else {
                throw ModelFormatError(.unsupported, "the function \(selector) is unknown")
            }
            self = .function(function, try arguments.map { try ExpressionNode($0) })
        case .function(let selector, let target?, let arguments):
            let receiver = try ExpressionNode(target)
            guard let message = PredicateMessage(selector, to: receiver) else {
                throw ModelFormatError(.unsupported, "the message \(selector) is unknown")
            }
            self = .message(receiver, message, try arguments.map { try ExpressionNode($0) })
        case .aggregate(let items): self = .aggregate(try items.map { try ExpressionNode($0) })
        case .subquery(let collection, let variable, let predicate):
            self = .subquery(try ExpressionNode(collection), variable: variable, try PredicateNode(predicate))
        case .set(let operation, let left, let right):
            let kind: SetOperation =
                switch operation {
                case .union: .union
                case .intersect: .intersection
                case .minus: .difference
                }
            self = .set(kind, try ExpressionNode(left), try ExpressionNode(right))
        case .conditional(let test, let yes, let no):
            self = .conditional(try PredicateNode(test), try ExpressionNode(yes), try ExpressionNode(no))
        case .fetch(let request, let context, let countOnly):
            self = .fetch(
                request: try ExpressionNode(request), context: try ExpressionNode(context),
                countOnly: .constant(countOnly))
        }
    }
}

extension PredicateNode {
    /// Converts an archived predicate.
    ///
    /// - Throws: ``ModelFormatError`` for unknown functions, messages and operators.
    public init(_ archived: ArchivedPredicate) throws {
        switch archived {
        case .constant(let value): self = .constant(value)
        case .and(let parts): self = .and(try parts.map { try PredicateNode($0) })
        case .or(let parts): self = .or(try parts.map { try PredicateNode($0) })
        case .not(let part): self = .not(try PredicateNode(part))
        case .comparison(let comparison):
            guard let symbol = ComparisonOperator(rawValue: comparison.comparison.rawValue),
                let modifier = ComparisonModifier(rawValue: comparison.modifier.rawValue)
            else {
                throw ModelFormatError(.unsupported, "a comparison with an unknown operator")
            }
            self = .comparison(
                ComparisonNode(
                    try ExpressionNode(comparison.left), symbol, try ExpressionNode(comparison.right),
                    modifier: modifier, options: StringComparisonOptions(rawValue: comparison.options),
                    selector: symbol == .customSelector ? Selector(comparison.selector ?? "") : nil))
        }
    }
}
