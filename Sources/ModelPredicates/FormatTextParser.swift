import Foundation
public import ModelFormat
import PredicateSyntax

/// Parses the predicates and expressions of models in Apple's format.
///
/// Connects two independent modules: PredicateSyntax, which parses, and ModelFormat, which archives. Pass it to
/// ``ModelFormat/Model/archive(parser:)`` and similar functions.
public struct FormatTextParser: PredicateTextParser {
    /// Creates a parser.
    public init() {}

    /// Parses a predicate.
    ///
    /// - Throws: `PredicateFormatError` for malformed text, ``ModelFormatError`` for constructs that cannot be archived.
    public func predicate(_ text: String) throws -> ArchivedPredicate {
        try archived(PredicateNode(text: text))
    }

    /// Parses an expression. Throws as ``predicate(_:)`` does.
    public func expression(_ text: String) throws -> ArchivedExpression {
        try archived(ExpressionNode(text: text))
    }

    private func archived(_ node: PredicateNode) throws -> ArchivedPredicate {
        switch node {
        case .constant(let value): .constant(value)
        case .and(let parts): .and(try parts.map(archived))
        case .or(let parts): .or(try parts.map(archived))
        case .not(let part): .not(try archived(part))
        case .comparison(let comparison): .comparison(try archived(comparison))
        case .opaque: throw unsupported("code")
        }
    }

    private func archived(_ node: ComparisonNode) throws -> ArchivedComparison {
        guard let comparison = ArchivedComparison.Operator(rawValue: node.comparison.rawValue),
            let modifier = ArchivedComparison.Modifier(rawValue: node.modifier.rawValue)
        else { throw unsupported("the operator \(node.comparison.symbol)") }
        return ArchivedComparison(
            try archived(node.left), comparison, try archived(node.right), modifier: modifier,
            options: node.options.rawValue, selector: node.selector?.name)
    }

    private func archived(_ node: ExpressionNode) throws -> ArchivedExpression {
        switch node {
        case .constant(let value): return .constant(try value.map(constant))
        case .evaluatedObject: return .evaluatedObject
        case .variable(let name): return .variable(name)
        case .keyPath(let keys, let base): return try keyPath(keys, of: base)
        case .function(let function, let arguments):
            return .function(function.rawValue, target: nil, arguments: try arguments.map(archived))
        case .message(let target, let message, let arguments):
            return .function(message.rawValue, target: try archived(target), arguments: try arguments.map(archived))
        case .aggregate(let items): return .aggregate(try items.map(archived))
        case .set(let operation, let left, let right):
            let kind: ArchivedExpression.SetOperation =
                switch operation {
                case .union: .union
                case .intersection: .intersect
                case .difference: .minus
                }
            return .set(kind, try archived(left), try archived(right))
        case .subquery(let collection, let variable, let predicate):
            return .subquery(try archived(collection), variable: variable, try archived(predicate))
        case .conditional(let test, let yes, let no):
            return .conditional(try archived(test), try archived(yes), try archived(no))
        case .fetch(let request, let context, let countOnly):
            guard case .constant(let flag) = countOnly else { throw unsupported("FETCH with a computed flag") }
            return .fetch(
                request: try archived(request), context: try archived(context), countOnly: flag as? Bool ?? false)
        case .assignment: throw unsupported("an assignment")
        case .symbolicIndex(let index): throw unsupported("the index \(index.rawValue)")
        case .anyKey: throw unsupported("ANYKEY")
        case .block: throw unsupported("code")
        }
    }

    /// Archives a key path. A count at the end of a path becomes the function `count:`.
    private func keyPath(_ keys: [String], of base: ExpressionNode) throws -> ArchivedExpression {
        let origin = try archived(base)
        guard keys.last == "@count" else { return .keyPath(keys.joined(separator: "."), of: origin) }
        let path = keys.dropLast().joined(separator: ".")
        let counted = path.isEmpty ? origin : ArchivedExpression.keyPath(path, of: origin)
        return .function("count:", target: nil, arguments: [counted])
    }

    private func constant(_ value: Any) throws -> ModelValue {
        switch value {
        case let value as Bool: .bool(value)
        case let value as Int: .integer(Int64(value))
        case let value as Int64: .integer(value)
        case let value as Decimal: .decimal(value)
        case let value as Double: .double(value)
        case let value as String: .string(value)
        case let value as Date: .date(value.timeIntervalSinceReferenceDate)
        case let value as Data: .data(value)
        case let value as UUID: .uuid(value)
        case let value as URL: .url(value.absoluteString)
        case let values as [Any]: .array(try values.map(constant))
        default: throw unsupported("a constant of type \(type(of: value))")
        }
    }

    private func unsupported(_ what: String) -> ModelFormatError {
        ModelFormatError(.unsupported, "the text has \(what), which models cannot hold")
    }
}
