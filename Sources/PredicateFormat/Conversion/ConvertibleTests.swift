import Foundation

extension PredicateExpressions.Equal: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        let left = try conversion.expression(lhs)
        return .predicate(.comparison(ComparisonNode(left, .equalTo, try conversion.expression(rhs))))
    }
}

extension PredicateExpressions.NotEqual: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        let left = try conversion.expression(lhs)
        return .predicate(.comparison(ComparisonNode(left, .notEqualTo, try conversion.expression(rhs))))
    }
}

extension PredicateExpressions.Comparison: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        let comparison: ComparisonOperator =
            switch op {
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEqualTo
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEqualTo
            }
        let left = try conversion.expression(lhs)
        return .predicate(.comparison(ComparisonNode(left, comparison, try conversion.expression(rhs))))
    }
}

extension PredicateExpressions.Conjunction: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        .predicate(.and([try conversion.predicate(lhs), try conversion.predicate(rhs)]))
    }
}

extension PredicateExpressions.Disjunction: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        .predicate(.or([try conversion.predicate(lhs), try conversion.predicate(rhs)]))
    }
}

extension PredicateExpressions.Negation: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        .predicate(.not(try conversion.predicate(wrapped)))
    }
}

// MARK: - Strings

extension PredicateExpressions.CollectionContainsCollection: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        try requireStrings(Base.Output.self, Other.Output.self, "contains(_:)")
        let left = try conversion.expression(base)
        return .predicate(.comparison(ComparisonNode(left, .contains, try conversion.expression(other))))
    }
}

extension PredicateExpressions.SequenceStartsWith: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        try requireStrings(Base.Output.self, Prefix.Output.self, "starts(with:)")
        let left = try conversion.expression(base)
        return .predicate(.comparison(ComparisonNode(left, .beginsWith, try conversion.expression(prefix))))
    }
}

private func requireStrings(_ left: Any.Type, _ right: Any.Type, _ function: String) throws {
    guard left is any StringProtocol.Type, right is any StringProtocol.Type else {
        throw PredicateConversionError(expression: function, reason: "it can be converted for strings only")
    }
}

// MARK: - Collections

extension PredicateExpressions.SequenceContains: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        let left = try conversion.expression(element)
        return .predicate(.comparison(ComparisonNode(left, .in, try conversion.expression(sequence))))
    }
}

extension PredicateExpressions.SequenceContainsWhere: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        let collection = try conversion.expression(sequence)
        let kept = try conversion.withLocal(variable.key) { inner, name in
            ExpressionNode.subquery(collection, variable: name, try inner.predicate(test))
        }
        return .predicate(.comparison(ComparisonNode(.path(["@count"], of: kept), .notEqualTo, .constant(0))))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        let collection = try conversion.expression(sequence)
        let failing = try conversion.withLocal(variable.key) { inner, name in
            ExpressionNode.subquery(collection, variable: name, .not(try inner.predicate(test)))
        }
        return .predicate(.comparison(ComparisonNode(.path(["@count"], of: failing), .equalTo, .constant(0))))
    }
}

extension PredicateExpressions.Filter: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        let collection = try conversion.expression(sequence)
        return try conversion.withLocal(variable.key) { inner, name in
            .expression(.subquery(collection, variable: name, try inner.predicate(filter)))
        }
    }
}

extension PredicateExpressions.SequenceMaximum: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        .expression(.path(["@max", "self"], of: try conversion.expression(elements)))
    }
}

extension PredicateExpressions.SequenceMinimum: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        .expression(.path(["@min", "self"], of: try conversion.expression(elements)))
    }
}

extension PredicateExpressions.CollectionIndexSubscript: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        .expression(.function(.index, [try conversion.expression(wrapped), try conversion.expression(index)]))
    }
}

extension PredicateExpressions.DictionaryKeySubscript: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Term {
        .expression(.function(.index, [try conversion.expression(wrapped), try conversion.expression(key)]))
    }
}
