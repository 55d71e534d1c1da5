import Foundation

extension NSCopying where Self: NSPredicate {
    /// Creates the equivalent of a Swift predicate made with `#Predicate`; nil when it has none.
    ///
    /// Key paths become strings by ``KeyPathNaming``. To learn why a predicate cannot be converted, call
    /// ``Foundation/NSPredicate/converting(_:)``.
    public init?<Input>(_ predicate: Predicate<Input>) {
        guard let node = try? PredicateNode(predicate), let result = PredicateObjects.make(node) as? Self else {
            return nil
        }
        self = result
    }
}

extension NSPredicate {
    /// Returns the equivalent of a Swift predicate made with `#Predicate`.
    ///
    /// Missing values compare as optionals do in Swift, in SQL as in memory: `$0.style != "jazz"` becomes `style != "jazz" OR
    /// style == nil` (Apple's conversion adds nothing, and its SQLite store leaves such rows out). A property of a managed
    /// object is missing where its attribute has no value, even if the property's type is a non-optional number.
    ///
    /// - Throws: ``PredicateConversionError``, which names the expression that has no equivalent.
    public static func converting<Input>(_ predicate: Predicate<Input>) throws -> NSPredicate {
        PredicateObjects.make(try PredicateNode(predicate))
    }
}

extension PredicateNode {
    /// Converts a Swift predicate.
    ///
    /// - Throws: ``PredicateConversionError``.
    public init<Input>(_ predicate: Predicate<Input>) throws {
        var conversion = PredicateConversion(input: predicate.variable.key)
        let node = try conversion.predicate(predicate.expression)
        self = conversion.missingValues.holds(node)
    }
}

/// Converts the expression of a Swift predicate.
struct PredicateConversion {
    /// The result of a conversion. Swift does not distinguish predicates from Boolean expressions; the format language does.
    enum Term {
        case predicate(PredicateNode)
        case expression(ExpressionNode)
    }

    private var variables: [PredicateExpressions.VariableID: ExpressionNode]
    private var localVariables = 0
    /// The paths that always have a value.
    private var present: Set<ExpressionNode> = []

    init(input: PredicateExpressions.VariableID) {
        variables = [input: .evaluatedObject]
    }

    /// Converts an expression that is used as a predicate. A Boolean value `x` becomes `x == YES`.
    mutating func predicate<E: PredicateExpression>(_ expression: E) throws -> PredicateNode {
        switch try term(expression) {
        case .predicate(let node): node
        case .expression(.constant(let value as Bool)): .constant(value)
        case .expression(let node): .comparison(ComparisonNode(node, .equalTo, .constant(true)))
        }
    }

    /// Converts an expression that is used as a value. A predicate `p` becomes `TERNARY(p, YES, NO)`.
    mutating func expression<E: PredicateExpression>(_ expression: E) throws -> ExpressionNode {
        switch try term(expression) {
        case .expression(let node): node
        case .predicate(let node): .conditional(node, .constant(true), .constant(false))
        }
    }

    /// Converts an expression. An expression that has no equivalent but does not depend on the input is evaluated instead.
    private mutating func term<E: PredicateExpression>(_ expression: E) throws -> Term {
        do {
            guard let convertible = expression as? any ConvertibleExpression else {
                throw PredicateConversionError(
                    expression: String(describing: E.self).prefix { $0 != "<" }.description,
                    reason: "the predicate language has nothing like it")
            }
            return try convertible.convert(&self)
        } catch {
            guard let value = try? expression.evaluate(PredicateBindings()) else { throw error }
            return .expression(.constant(try Self.constant(value)))
        }
    }

    // MARK: Variables

    func value(of variable: PredicateExpressions.VariableID) throws -> ExpressionNode {
        guard let node = variables[variable] else {
            throw PredicateConversionError(expression: "Variable", reason: "it belongs to another predicate")
        }
        return node
    }

    /// Runs `body` with `variable` bound to a new `$_local_n`, and passes it the name.
    mutating func withLocal<Result>(
        _ variable: PredicateExpressions.VariableID, _ body: (inout PredicateConversion, String) throws -> Result
    ) rethrows -> Result {
        localVariables += 1
        let name = "_local_\(localVariables)"
        return try with(variable, .variable(name)) { try body(&$0, name) }
    }

    /// Runs `body` with `variable` bound to `node`.
    mutating func with<Result>(
        _ variable: PredicateExpressions.VariableID, _ node: ExpressionNode,
        _ body: (inout PredicateConversion) throws -> Result
    ) rethrows -> Result {
        let outer = variables[variable]
        variables[variable] = node
        defer { variables[variable] = outer }
        return try body(&self)
    }

    // MARK: Missing values

    /// Records that `path` has a value wherever `base` has one.
    mutating func notePresent(_ path: ExpressionNode, of base: ExpressionNode) {
        switch base {
        case .evaluatedObject, .variable: present.insert(path)
        default: if present.contains(base) { present.insert(path) }
        }
    }

    /// The rewriting that gives the result Swift's semantics for missing values.
    var missingValues: MissingValues { MissingValues(present: present) }

    // MARK: Constants

    /// Returns a captured value as a constant.
    static func constant(_ value: Any) throws -> Any? {
        switch PredicateValue(value) {
        case .null: return nil
        case .number(let number): return value is Bool ? value : number.value
        case .string(let string): return string
        case .date: return value
        case .other(let other):
            if other is UUID || other is Data || other is URL { return other }
            if let result = other as? ComparisonResult { return result.rawValue }
            if let range = other as? any ClosedBounds { return try range.bounds.map { try constant($0) ?? NSNull() } }
            if let set = other as? Set<AnyHashable> { return Set(try set.map { try hashable($0.base) }) }
            if let collection = other as? any PredicateCollection {
                return try collection.predicateElements.map { try constant($0) ?? NSNull() }
            }
            if type(of: other) is AnyClass, other is NSObject { return other }
            throw PredicateConversionError(
                expression: "\(type(of: other))", reason: "values of this type have no place in a predicate")
        }
    }

    private static func hashable(_ value: Any) throws -> AnyHashable {
        try constant(value).flatMap(KeyValueAccess.hashable) ?? AnyHashable(NSNull())
    }
}

/// An expression of a Swift predicate that has an equivalent.
protocol ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term
}

/// A range with both ends included.
protocol ClosedBounds {
    var bounds: [Any] { get }
}

extension ClosedRange: ClosedBounds {
    var bounds: [Any] { [lowerBound, upperBound] }
}
