import CoreDataRowStorage
import PredicateFormat

/// Constants, functions and the other expressions that are no paths.
extension SQLCompiler {
    package func operand(_ node: ExpressionNode, _ scope: QueryScope) throws -> Operand {
        switch node {
        case .constant(let value):
            guard let constant = value as? NumberedConstant else {
                throw UnsupportedQuery.expression("\(node)", kind: "constant")
            }
            return .constant(constant)
        case .evaluatedObject:
            if let names { return try names(["SELF"]) }
            return .object(scope.root.place)
        case .variable(let name):
            if let computed = computedColumns[name], !scope.binds(name) { return .value(computed.sql, computed.type) }
            return .object(try variable(name, scope).place)
        case .keyPath(let keys, let base): return try path(keys, of: base, scope)
        case .function(let function, let arguments): return try self.function(function, arguments, scope)
        case .aggregate(let elements): return .list(try elements.map { try operand($0, scope) })
        case .subquery(let collection, let variable, let predicate):
            guard case .toMany(var toMany) = try operand(collection, scope), toMany.suffix.isEmpty,
                toMany.filter == nil
            else { throw UnsupportedQuery.expression(node.expressionFormat, kind: "subquery expression") }
            toMany = ToManyOperand(
                source: toMany.source, scope: scope, columns: toMany.columns, destination: toMany.destination,
                suffix: [], filter: (variable, predicate), text: "SUBQUERY(\(toMany.text))")
            return .toMany(toMany)
        case .conditional(let predicate, let yes, let no):
            let condition = try self.predicate(predicate, scope)
            let (first, second) = (try operand(yes, scope), try operand(no, scope))
            let type = commonType(first, second)
            return .value(
                "CASE WHEN \(condition) THEN \(try sql(first, as: type)) ELSE \(try sql(second, as: type)) END", type)
        case .fetch(let request, _, _):
            guard case .constant(let value) = request, let numbered = value as? NumberedFetch else {
                throw UnsupportedQuery.expression(node.expressionFormat, kind: "fetch request expression")
            }
            return try fetch(numbered, scope)
        case .message: throw UnsupportedQuery.function(node.expressionFormat)
        case .set: throw UnsupportedQuery.expression(node.expressionFormat, kind: "set expression")
        case .assignment: throw UnsupportedQuery.expression(node.expressionFormat, kind: "assignment")
        case .symbolicIndex: throw UnsupportedQuery.expression(node.expressionFormat, kind: "index expression")
        case .anyKey: throw UnsupportedQuery.expression(node.expressionFormat)
        case .block: throw UnsupportedQuery.expression(node.expressionFormat, kind: "block expression")
        }
    }

    /// SQL for an operand as a value, a constant being bound in the form of what it is used with.
    ///
    /// - Parameter isOrdering: whether it is compared by order, so that a constant without that form is an error.
    package func sql(_ operand: Operand, as type: ValueType, _ isOrdering: Bool = false) throws -> String {
        switch operand {
        case .value(let sql, _): return sql
        case .object(let place): return place.key
        case .entity(let sql): return sql
        case .query(let sql, _): return "(\(sql))"
        case .constant(let constant):
            switch constant.kind {
            case .null: return "NULL"
            case .value, .text, .emptyText:
                if isOrdering, !type.isExternal { return parameter(constant.slot, .ordered(type.kind)) }
                return parameter(constant.slot, type.isExternal ? .external : .value(type.kind, type.coder))
            case .entity: return parameter(constant.slot, .entity)
            case .object where type.isRow: return parameter(constant.slot, .row)
            case .object, .collection:
                throw UnsupportedQuery.expression(
                    "\(constant.value ?? "nil")", kind: "constant where a single value is needed:")
            }
        case .toMany(let toMany): throw UnsupportedQuery.toManyKey(toMany.text)
        case .composite(let whole): throw whole.unusable()
        case .list: throw UnsupportedQuery.expression("{…}", kind: "aggregate where a single value is needed:")
        }
    }

    package func type(of operand: Operand) -> ValueType {
        switch operand {
        case .value(_, let type), .query(_, let type): type
        case .object: .of(.reference)
        case .entity: .of(.int64)
        case .constant, .toMany, .list, .composite: .unknown
        }
    }

    func commonType(_ left: Operand, _ right: Operand) -> ValueType {
        let type = type(of: left)
        return type.kind == nil ? self.type(of: right) : type
    }

    // MARK: Functions

    private func function(
        _ function: PredicateFunction, _ arguments: [ExpressionNode], _ scope: QueryScope
    ) throws -> Operand {
        switch function {
        case .sum, .count, .min, .max, .average: return try statistics(function, arguments, scope)
        case .now: return .value(parameter(-1, .now), .of(.date))
        case .cast: return try cast(arguments, scope)
        case .median, .mode, .standardDeviation, .random, .randomBelow, .index:
            throw UnsupportedQuery.function(ExpressionNode.function(function, arguments).expressionFormat)
        default: break
        }
        let operands = try arguments.map { try operand($0, scope) }
        guard function.argumentCounts.contains(operands.count), let first = operands.first else {
            throw UnsupportedQuery.function("\(function.rawValue) with \(operands.count) arguments")
        }
        let type = operands.count == 2 ? commonType(first, operands[1]) : type(of: first)
        let a = try sql(first, as: type)
        if operands.count == 1 { return try unary(function, a, type) }
        return try binary(function, a, sql(operands[1], as: type), computedType(first, operands[1]))
    }

    private func unary(_ function: PredicateFunction, _ a: String, _ type: ValueType) throws -> Operand {
        switch function {
        case .uppercase: .value("CDUpper(\(a))", .of(.string))
        case .lowercase: .value("CDLower(\(a))", .of(.string))
        case .canonical: .value("CDCanonical(\(a))", .of(.string))
        case .length: .value("CDLength(\(a))", .of(.int64))
        case .absolute: .value("CDAbs(\(a))", type)
        case .squareRoot: .value("CDSqrt(\(a))", .of(.double))
        case .log10: .value("CDLog(\(a))", .of(.double))
        case .naturalLog: .value("CDLn(\(a))", .of(.double))
        case .exponential: .value("CDExp(\(a))", .of(.double))
        case .floor: .value("CDFloor(\(a))", .of(.double))
        case .ceiling: .value("CDCeiling(\(a))", .of(.double))
        case .truncate: .value("CDTrunc(\(a))", .of(.double))
        case .onesComplement: .value("(~\(a))", .of(.int64))
        // Keeps SQLite from using an index of the column.
        case .noIndex: .value("+\(a)", type)
        default: throw UnsupportedQuery.function(function.rawValue)
        }
    }

    private func binary(
        _ function: PredicateFunction, _ a: String, _ b: String, _ type: ValueType
    ) throws -> Operand {
        switch function {
        case .add: computed("(\(a) + \(b))", type)
        case .subtract: computed("(\(a) - \(b))", type)
        case .multiply: computed("(\(a) * \(b))", type)
        // Integers divide to an integer, in memory too; but decimal numbers without a fraction are stored as integers.
        case .divide: computed(type.kind == .decimal ? "(CAST(\(a) AS REAL) / \(b))" : "(\(a) / \(b))", type)
        case .modulus: .value("(\(a) % \(b))", type)
        case .raise: .value("CDPower(\(a), \(b))", .of(.double))
        case .bitwiseAnd: .value("(\(a) & \(b))", .of(.int64))
        case .bitwiseOr: .value("(\(a) | \(b))", .of(.int64))
        case .bitwiseXor: .value("((\(a) | \(b)) - (\(a) & \(b)))", .of(.int64))
        case .leftShift: .value("(\(a) << \(b))", .of(.int64))
        case .rightShift: .value("(\(a) >> \(b))", .of(.int64))
        default: throw UnsupportedQuery.function(function.rawValue)
        }
    }

    private func computed(_ sql: String, _ type: ValueType) -> Operand {
        // 19.99 * 100 is 1999, as with decimals in memory.
        .value(type.kind == .decimal ? "CDDecimal(\(sql))" : sql, type)
    }

    /// What is computed of two numbers: a decimal if one of them is, else a floating-point number, else an integer.
    private func computedType(_ left: Operand, _ right: Operand) -> ValueType {
        let kinds = [numberKind(left), numberKind(right)]
        if kinds.contains(.date) { return .of(.date) }
        if kinds.contains(.decimal) { return .of(.decimal) }
        if kinds.contains(.double) || kinds.contains(.float) { return .of(.double) }
        return kinds == [nil, nil] ? .unknown : .of(.int64)
    }

    private func numberKind(_ operand: Operand) -> CellKind? {
        guard case .constant(let constant) = operand else { return type(of: operand).kind }
        guard case .number(let number) = PredicateValue(constant.value) else { return nil }
        return number.isInteger ? .int64 : number.isDecimal ? .decimal : .double
    }

    private func cast(_ arguments: [ExpressionNode], _ scope: QueryScope) throws -> Operand {
        guard arguments.count == 2, case .constant(let second) = arguments[1], let name = second as? NumberedConstant,
            let target = name.value as? String
        else { throw UnsupportedQuery.function("CAST") }
        let source = try operand(arguments[0], scope)
        let type = type(of: source)
        switch target {
        case "NSDate": return .value(try sql(source, as: type), .of(.date))
        case "NSNumber", "NSDecimalNumber":
            return .value("CAST(\(try sql(source, as: type)) AS NUMERIC)", .of(.double))
        case "NSString": return .value("CDText(\(try sql(source, as: type)))", .of(.string))
        default: throw UnsupportedQuery.function(ExpressionNode.function(.cast, arguments).expressionFormat)
        }
    }
}
