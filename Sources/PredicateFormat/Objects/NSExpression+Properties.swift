import Foundation

extension NSCopying where Self: NSExpression {
    /// The expression as a value tree.
    public var node: ExpressionNode {
        storage.node
    }

    /// Creates an expression from a format string, throwing where `init(format:)` raises a fatal error.
    ///
    /// - Throws: ``PredicateFormatError`` with the reason and the position.
    public static func parse(_ format: String, arguments: [Any?] = []) throws -> NSExpression {
        ExpressionObjects.make(try ExpressionNode(format: format, arguments: arguments))
    }

    /// The kind of expression, as Foundation's type.
    ///
    /// As on Apple's platforms, a path that does not start at the evaluated object is a function, `valueForKeyPath:`.
    /// Assignments, fetches and symbolic indices, for which Foundation's type has no case, are functions as well.
    public var expressionType: FoundationNames.ExpressionType {
        switch node {
        case .constant: .constantValue
        case .evaluatedObject: .evaluatedObject
        case .variable: .variable
        case .keyPath(_, of: .evaluatedObject): .keyPath
        case .keyPath, .function, .message, .assignment, .fetch, .symbolicIndex: .function
        case .aggregate: .aggregate
        case .set(.union, _, _): .unionSet
        case .set(.intersection, _, _): .intersectSet
        case .set(.difference, _, _): .minusSet
        case .subquery: .subquery
        case .conditional: .conditional
        case .anyKey: .anyKey
        case .block: .block
        }
    }

    /// The constant of a constant expression.
    public var constantValue: Any? {
        guard case .constant(let value) = node else { inapplicable("constantValue") }
        return value
    }

    /// The dotted path of a key path expression.
    public var keyPath: String {
        guard case .keyPath(let keys, _) = node else { inapplicable("keyPath") }
        return keys.joined(separator: ".")
    }

    /// The name of a function expression.
    public var function: String {
        switch node {
        case .function(let function, _): function.rawValue
        case .message(_, let message, _): message.rawValue
        case .keyPath(_, of: let base) where !base.isEvaluatedObject: PredicateMessage.valueForKeyPath.rawValue
        default: inapplicable("function")
        }
    }

    /// The name of a variable expression, without the dollar sign; of a subquery, its iterator variable.
    public var variable: String {
        switch node {
        case .variable(let name), .subquery(_, variable: let name, _), .assignment(variable: let name, _): name
        default: inapplicable("variable")
        }
    }

    /// The receiver of a message, or the start of a path.
    public var operand: NSExpression {
        switch node {
        case .message(let target, _, _), .keyPath(_, of: let target): ExpressionObjects.make(target)
        case .function: ExpressionObjects.make(.constant("_NSPredicateUtilities"))
        default: inapplicable("operand")
        }
    }

    /// The arguments of a function, message or block.
    public var arguments: [NSExpression]? {
        switch node {
        case .function(_, let arguments), .message(_, _, let arguments), .block(_, let arguments):
            arguments.map { ExpressionObjects.make($0) }
        case .keyPath(let keys, of: let base) where !base.isEvaluatedObject:
            [ExpressionObjects.make(.keyPath(keys, of: .evaluatedObject))]
        default: inapplicable("arguments")
        }
    }

    /// The elements of an aggregate (an array of expressions), or the collection expression of a subquery.
    public var collection: Any {
        switch node {
        case .aggregate(let elements): elements.map { ExpressionObjects.make($0) }
        case .subquery(let collection, _, _): ExpressionObjects.make(collection)
        default: inapplicable("collection")
        }
    }

    /// The predicate of a subquery or conditional.
    public var predicate: NSPredicate {
        switch node {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): PredicateObjects.make(predicate)
        default: inapplicable("predicate")
        }
    }

    /// The left operand of a set expression.
    public var left: NSExpression {
        guard case .set(_, let left, _) = node else { inapplicable("left") }
        return ExpressionObjects.make(left)
    }

    /// The right operand of a set expression.
    public var right: NSExpression {
        guard case .set(_, _, let right) = node else { inapplicable("right") }
        return ExpressionObjects.make(right)
    }

    /// The expression a conditional evaluates when its predicate is true.
    public var `true`: NSExpression {
        guard case .conditional(_, let value, _) = node else { inapplicable("true") }
        return ExpressionObjects.make(value)
    }

    /// The expression a conditional evaluates when its predicate is false.
    public var `false`: NSExpression {
        guard case .conditional(_, _, let value) = node else { inapplicable("false") }
        return ExpressionObjects.make(value)
    }

    /// The block of a block expression.
    public var expressionBlock: (Any?, [Any], NSMutableDictionary?) -> Any {
        guard case .block(let block, _) = node else { inapplicable("expressionBlock") }
        return block.body
    }

    /// Evaluates the expression. Yields nil if the file of an externally stored value is missing; any other error is a
    /// fatal error.
    ///
    /// - Parameters:
    ///   - object: the object that `SELF` and key paths refer to.
    ///   - context: the values of variables by name; receives the values of assignments.
    public func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        do {
            return try storage.evaluate(with: object, context: context)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            fatalError("\(error)")
        }
    }

    /// Evaluates the expression, throwing where ``expressionValue(with:context:)`` raises a fatal error.
    ///
    /// - Throws: ``PredicateEvaluationError``.
    public func expressionValueThrowing(with object: Any?, context: NSMutableDictionary? = nil) throws -> Any? {
        try storage.evaluate(with: object, context: context)
    }

    /// Allows the evaluation of an expression that was decoded by a secure coder. Has no effect on other expressions.
    public func allowEvaluation() {
        storage.allowEvaluation()
    }

    private var storage: ExpressionStorage {
        ExpressionObjects.storage(of: self)
    }

    private func inapplicable(_ property: String) -> Never {
        fatalError("\(property) is not defined for the expression \(node.expressionFormat)")
    }
}
