import Foundation

// An extension of a protocol, because only there may an initializer choose the class of the new object.
extension NSCopying where Self: NSExpression {
    /// Creates an expression from a format string and its arguments, in the language of `NSPredicate(format:)`. A format that
    /// cannot be parsed is a fatal error; see `NSExpression.parse(_:arguments:)` for strings from users.
    public init(format expressionFormat: String, _ args: CVarArg...) {
        self = ExpressionObjects.make(FormatTrap.expression(expressionFormat, args.map { $0 as Any }), as: Self.self)
    }

    /// Creates an expression from a format string and an array with one argument for each specifier.
    public init(format expressionFormat: String, argumentArray arguments: [Any]) {
        self = ExpressionObjects.make(FormatTrap.expression(expressionFormat, arguments), as: Self.self)
    }

    /// Creates an expression from a format string and a C argument list.
    public init(format expressionFormat: String, arguments argList: CVaListPointer) {
        let arguments = VariadicArguments.decode(argList, for: expressionFormat)
        self = ExpressionObjects.make(FormatTrap.expression(expressionFormat, arguments), as: Self.self)
    }

    /// Creates an expression object from a tree.
    public init(node: ExpressionNode) {
        self = ExpressionObjects.make(node, as: Self.self)
    }

    /// Creates an expression that yields `obj`.
    public init(forConstantValue obj: Any?) {
        self = ExpressionObjects.make(.constant(given: obj), as: Self.self)
    }

    /// Returns the expression that yields the evaluated object, `SELF`.
    public static func expressionForEvaluatedObject() -> NSExpression {
        ExpressionObjects.make(.evaluatedObject)
    }

    /// Creates an expression that yields the value bound to `$string`.
    public init(forVariable string: String) {
        self = ExpressionObjects.make(.variable(string), as: Self.self)
    }

    /// Creates an expression that follows `keyPath` from the evaluated object.
    ///
    /// - Precondition: `keyPath` is not empty.
    public init(forKeyPath keyPath: String) {
        guard !keyPath.isEmpty else {
            fatalError("NSExpression(forKeyPath:) needs a key path that is not empty")
        }
        self = ExpressionObjects.make(.path(keyPath), as: Self.self)
    }

    /// Creates an expression that follows a Swift key path, by the name that ``KeyPathNaming`` finds for it. A key path without
    /// a name is a fatal error.
    public init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        self = ExpressionObjects.make(.path(KeyPathNaming.requireName(of: keyPath)), as: Self.self)
    }

    /// Creates an expression that calls a predefined function, such as `sum:` or `add:to:`.
    ///
    /// - Parameters:
    ///   - name: one of the raw values of ``PredicateFunction``; any other name is a fatal error.
    ///   - parameters: expressions, or constants.
    public init(forFunction name: String, arguments parameters: [Any]) {
        guard let function = PredicateFunction(named: name) else {
            fatalError("Unable to parse function name '\(name)' into supported selector (\(name))")
        }
        guard function.argumentCounts.contains(parameters.count) else {
            fatalError(
                "The function '\(name)' takes \(function.argumentCounts.lowerBound) arguments, not \(parameters.count)")
        }
        let node = ExpressionNode.function(function, parameters.map(ExpressionObjects.node(ofElement:)))
        self = ExpressionObjects.make(node, as: Self.self)
    }

    /// Creates an expression that sends a message of ``PredicateMessage`` to the value of `target`. If `target` is a variable,
    /// any message is accepted.
    public init(forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?) {
        let arguments = (parameters ?? []).map(ExpressionObjects.node(ofElement:))
        guard let message = PredicateMessage(name, to: target.node), message.argumentCount == arguments.count else {
            fatalError("'\(name)' with \(arguments.count) arguments is not one of the messages a predicate may send")
        }
        self = ExpressionObjects.make(.message(target.node, message, arguments), as: Self.self)
    }

    /// Creates an expression that yields an array of the values of `subexpressions`.
    ///
    /// - Parameter subexpressions: expressions, or constants.
    public init(forAggregate subexpressions: [Any]) {
        let node = ExpressionNode.aggregate(subexpressions.map(ExpressionObjects.node(ofElement:)))
        self = ExpressionObjects.make(node, as: Self.self)
    }

    /// Creates an expression that yields the union of two collections, as a set.
    public init(forUnionSet left: NSExpression, with right: NSExpression) {
        self = ExpressionObjects.make(.set(.union, left.node, right.node), as: Self.self)
    }

    /// Creates an expression that yields the intersection of two collections, as a set.
    public init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self = ExpressionObjects.make(.set(.intersection, left.node, right.node), as: Self.self)
    }

    /// Creates an expression that yields the elements of `left` that are not in `right`, as a set.
    public init(forMinusSet left: NSExpression, with right: NSExpression) {
        self = ExpressionObjects.make(.set(.difference, left.node, right.node), as: Self.self)
    }

    /// Creates an expression that yields the elements of a collection that match `predicate`.
    ///
    /// - Parameters:
    ///   - expression: yields the collection.
    ///   - variable: the name, without the dollar sign, of the variable that is bound to each element in `predicate`.
    ///   - predicate: the condition.
    public init(
        forSubquery expression: NSExpression,
        usingIteratorVariable variable: String,
        predicate: NSPredicate
    ) {
        let node = ExpressionNode.subquery(expression.node, variable: variable, predicate.node)
        self = ExpressionObjects.make(node, as: Self.self)
    }

    /// Creates an expression that yields one of two values, depending on a predicate.
    public init(
        forConditional predicate: NSPredicate,
        trueExpression: NSExpression,
        falseExpression: NSExpression
    ) {
        let node = ExpressionNode.conditional(predicate.node, trueExpression.node, falseExpression.node)
        self = ExpressionObjects.make(node, as: Self.self)
    }

    /// Returns the expression `ANYKEY`.
    public static func expressionForAnyKey() -> NSExpression {
        ExpressionObjects.make(.anyKey)
    }

    /// Creates an expression that calls a block. It can be evaluated in memory only.
    public init(
        block: @escaping (Any?, [Any], NSMutableDictionary?) -> Any,
        arguments: [NSExpression]?
    ) {
        let node = ExpressionNode.block(ExpressionBlock(block), (arguments ?? []).map(\.node))
        self = ExpressionObjects.make(node, as: Self.self)
    }
}
