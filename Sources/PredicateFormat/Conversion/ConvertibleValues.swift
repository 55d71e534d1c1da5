import Foundation

extension PredicateExpressions.Variable: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        .expression(try conversion.value(of: key))
    }
}

extension PredicateExpressions.Value: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        .expression(.constant(try PredicateConversion.constant(value)))
    }
}

extension PredicateExpressions.NilLiteral: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        .expression(.constant(nil))
    }
}

extension PredicateExpressions.KeyPath: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        let base = try conversion.expression(root)
        if let known = (Root.Output.self as? any CountedByKeyPath.Type)?.property(keyPath) {
            switch known {
            case .count(let key): return .expression(.path([key], of: base))
            case .isEmpty(let key):
                return .predicate(.comparison(ComparisonNode(.path([key], of: base), .equalTo, .constant(0))))
            case .element(let index): return .expression(.function(.index, [base, .symbolicIndex(index)]))
            }
        }
        let path: AnyKeyPath = keyPath
        if path == \Root.Output.self { return .expression(base) }
        guard let name = KeyPathNaming.name(of: path) else {
            throw PredicateConversionError(
                expression: "\(path)", reason: "the key path has no name; see KeyPathNaming")
        }
        let result = ExpressionNode.path(name, of: base)
        // Objects that store values by key may lack a value whatever the property's type.
        if !(Output.self is any OptionalType.Type), !(Root.Output.self is any KeyPathNamed.Type) {
            conversion.notePresent(result, of: base)
        }
        return .expression(result)
    }
}

private protocol OptionalType {}

extension Optional: OptionalType {}

/// The counterpart of a well-known collection property in the format language.
enum CollectionProperty {
    case count(String)
    case isEmpty(String)
    case element(SymbolicIndex)
}

/// A collection type. The format language has its own spellings of `count`, `isEmpty`, `first` and `last`.
protocol CountedByKeyPath {
    static func property(_ keyPath: AnyKeyPath) -> CollectionProperty?
}

extension String: CountedByKeyPath {
    static func property(_ keyPath: AnyKeyPath) -> CollectionProperty? {
        switch keyPath {
        case \String.count: .count("length")
        case \String.isEmpty: .isEmpty("length")
        default: nil
        }
    }
}

extension Array: CountedByKeyPath {
    static func property(_ keyPath: AnyKeyPath) -> CollectionProperty? {
        switch keyPath {
        case \Self.count: .count("@count")
        case \Self.isEmpty: .isEmpty("@count")
        case \Self.first: .element(.first)
        case \Self.last: .element(.last)
        default: nil
        }
    }
}

extension Set: CountedByKeyPath {
    static func property(_ keyPath: AnyKeyPath) -> CollectionProperty? {
        switch keyPath {
        case \Self.count: .count("@count")
        case \Self.isEmpty: .isEmpty("@count")
        default: nil
        }
    }
}

extension Dictionary: CountedByKeyPath {
    static func property(_ keyPath: AnyKeyPath) -> CollectionProperty? {
        switch keyPath {
        case \Self.count: .count("@count")
        case \Self.isEmpty: .isEmpty("@count")
        default: nil
        }
    }
}

extension PredicateExpressions.Arithmetic: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        let function: PredicateFunction =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            }
        return .expression(.function(function, [try conversion.expression(lhs), try conversion.expression(rhs)]))
    }
}

extension PredicateExpressions.FloatDivision: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        .expression(.function(.divide, [try conversion.expression(lhs), try conversion.expression(rhs)]))
    }
}

extension PredicateExpressions.UnaryMinus: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        let value = try conversion.expression(wrapped)
        if case .constant(let constant) = value, let number = PredicateNumber(constant) {
            return .expression(.constant(PredicateNumber.compute(.multiply, number, .int(-1)).value))
        }
        return .expression(.function(.multiply, [value, .constant(-1)]))
    }
}

extension PredicateExpressions.Conditional: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        let condition = try conversion.predicate(test)
        return .expression(
            .conditional(condition, try conversion.expression(trueBranch), try conversion.expression(falseBranch)))
    }
}

extension PredicateExpressions.NilCoalesce: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        let value = try conversion.expression(lhs)
        let isPresent = PredicateNode.comparison(ComparisonNode(value, .notEqualTo, .constant(nil)))
        return .expression(.conditional(isPresent, value, try conversion.expression(rhs)))
    }
}

extension PredicateExpressions.OptionalFlatMap: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        // The next link of an optional chain extends the path itself: a path has no value where its beginning has none, and SQL
        // cannot follow a path through TERNARY.
        let whole = try conversion.expression(wrapped)
        let value = whole.chainedPath ?? whole
        let isPresent = PredicateNode.comparison(ComparisonNode(value, .notEqualTo, .constant(nil)))
        let result = try conversion.with(variable.key, value) { try $0.expression(transform) }
        return .expression(.conditional(isPresent, result, .constant(nil)))
    }
}

extension PredicateExpressions.ForcedUnwrap: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        .expression(try conversion.expression(inner))
    }
}
