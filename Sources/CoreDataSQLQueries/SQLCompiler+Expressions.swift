import CoreDataRowStorage
import PredicateFormat

/// Constants, functions and the other expressions except key paths.
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
            let (one, other) = try aligned(first, second)
            return .value("CASE WHEN \(condition) THEN \(one) ELSE \(other) END", commonType(first, second))
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

    /// Returns the SQL of an operand as a value. A constant is bound in the form of the value it is used with.
    ///
    /// - Parameter isOrdering: whether it is compared by order, so that a constant without that form is an error.
    package func sql(_ operand: Operand, as type: ValueType, _ isOrdering: Bool = false) throws -> SQLFragment {
        switch operand {
        case .value(let sql, _): return sql
        case .object(let place): return place.key
        case .entity(let sql): return sql
        case .query(let sql, _): return "(\(sql))"
        case .constant(let constant):
            switch constant.kind {
            case .null: return "NULL"
            case .value, .text, .emptyText:
                if isOrdering, !type.isExternal { return try parameter(constant, type.bound(.ordered(type.kind))) }
                return try parameter(
                    constant, type.isExternal ? .external : type.bound(.value(type.kind, type.coder)))
            case .entity: return try parameter(constant, .entity)
            case .object where type.isRow: return try parameter(constant, .row)
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
        case .entity: .entity
        case .constant, .toMany, .list, .composite: .unknown
        }
    }

    /// Returns the type of an operand beside a value of a type.
    func type(of operand: Operand, beside type: ValueType) -> ValueType {
        if case .constant(let constant) = operand { return dialect.type(of: constant, beside: type) }
        return self.type(of: operand)
    }

    func commonType(_ left: Operand, _ right: Operand) -> ValueType {
        let (type, other) = (type(of: left), type(of: right))
        return type.kind == nil || (type.kind == .date && other.isInSeconds) ? other : type
    }

    // MARK: Functions

    private func function(
        _ function: PredicateFunction, _ arguments: [ExpressionNode], _ scope: QueryScope
    ) throws -> Operand {
        switch function {
        case .sum, .count, .min, .max, .average: return try statistics(function, arguments, scope)
        case .now: return .value(try parameter(slot: -1, .now), .of(.date))
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
        guard operands.count == 2 else {
            return .value(
                try dialect.function(function, a, self.type(of: first, beside: type)), resultType(function, type))
        }
        let result = computedType(first, operands[1])
        let sql = try dialect.function(
            function, a, sql(operands[1], as: type),
            (self.type(of: first, beside: type), self.type(of: operands[1], beside: type)), result: result)
        return .value(sql, resultType(function, result))
    }

    private func resultType(_ function: PredicateFunction, _ type: ValueType) -> ValueType {
        switch function {
        case .uppercase, .lowercase, .canonical: .of(.string)
        case .length, .onesComplement: .of(.int64)
        case .floor where type.isInteger, .ceiling where type.isInteger, .truncate where type.isInteger: .of(.int64)
        case .squareRoot, .log10, .naturalLog, .exponential, .floor, .ceiling, .truncate, .raise: .of(.double)
        case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift: .of(.int64)
        default: type
        }
    }

    /// Returns the type of a computation with two numbers: decimal if one of them is, else floating-point if one is, else
    /// integer.
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
        case "NSDate":
            return .value(
                try dialect.date(from: sql(source, as: type), type),
                ValueType(kind: .date, isInSeconds: type.isInSeconds))
        case "NSNumber", "NSDecimalNumber":
            return .value(try dialect.number(from: sql(source, as: type), type), .of(.double))
        case "NSString": return .value(try dialect.text(of: sql(source, as: type), type), .of(.string))
        default: throw UnsupportedQuery.function(ExpressionNode.function(.cast, arguments).expressionFormat)
        }
    }
}
