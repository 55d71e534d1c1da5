import CoreDataRowStorage
import Foundation
import PredicateFormat

// Aggregates: over rows, and over the members of to-many relationships.

extension SQLCompiler {
    /// Compiles an aggregate function: over the members of one row's relationship or, in a column of a fetch of dictionaries,
    /// over the rows of a group.
    func statistics(
        _ function: PredicateFunction, _ arguments: [ExpressionNode], _ scope: QueryScope
    ) throws -> Operand {
        guard arguments.count == 1 else { throw UnsupportedQuery.function(function.rawValue) }
        let givesAllDigits = takeAllDigits()
        let argument = try operand(arguments[0], scope)
        if case .toMany(let toMany) = argument {
            // A collection of one row is aggregated for that row.
            self.givesAllDigits = givesAllDigits
            guard aggregatesRows, toMany.filter == nil else { return try aggregate(function, of: toMany) }
            aggregates += 1
            return try total(function, of: toMany)
        }
        guard aggregatesRows else {
            throw UnsupportedQuery.function("\(function.rawValue) needs a to-many relationship in a predicate")
        }
        aggregates += 1
        if function == .count, case .object(let place) = argument, place.key == scope.root.place.key {
            // Every row has a key, so SQLite need not sort the keys with the groups just to count them.
            return aggregate(.rows, "COUNT(*)", of: "", .of(.int64), .of(.int64))
        }
        if function == .count, case .composite(let whole) = argument {
            let sql: SQLFragment = "CASE WHEN \(whole.presence) THEN 1 END"
            return aggregate(.count, "COUNT(\(sql))", of: sql, .of(.int64), .of(.int64))
        }
        let type = type(of: argument)
        let sql = try sql(argument, as: type)
        return switch function {
        case .count: aggregate(.count, "COUNT(\(sql))", of: sql, type, .of(.int64))
        case .sum:
            aggregate(
                .sum, decimal(try dialect.total(sql, type), type, givesAllDigits), of: sql, type, sumType(type))
        case .average:
            aggregate(.average, try mean(sql, type, givesAllDigits), of: sql, type, averageType(type))
        case .min: aggregate(.min, try dialect.extreme("MIN", sql, type), of: sql, type, type)
        default: aggregate(.max, try dialect.extreme("MAX", sql, type), of: sql, type, type)
        }
    }

    /// Aggregates the members of all rows of a group, each row in a subselect, so that several aggregates do not multiply
    /// each other's rows.
    private func total(_ function: PredicateFunction, of toMany: ToManyOperand) throws -> Operand {
        let givesAllDigits = takeAllDigits()
        var type = ValueType.of(.int64)
        func each(_ aggregate: (SQLFragment, ValueType) throws -> SQLFragment) throws -> SQLFragment {
            let query = try select(from: toMany) { element in
                guard case .value(let sql, let known) = element else {
                    guard function == .count else {
                        throw UnsupportedQuery.make("\(function.rawValue) needs values, not objects: \(toMany.text)")
                    }
                    return ("COUNT(*)", try existence(of: element, in: toMany))
                }
                type = known
                return (try aggregate(sql, known), nil)
            }
            return "(\(query))"
        }
        func number(_ sql: SQLFragment, _ type: ValueType) -> SQLFragment { "COUNT(\(sql))" }
        switch function {
        case .count: return .value(try dialect.total(try each(number), .of(.int64)), .of(.int64))
        case .sum:
            let sum = try each(dialect.sum)
            return .value(decimal(try dialect.total(sum, sumType(type)), type, givesAllDigits), sumType(type))
        case .average:
            let (sum, count) = (try each(dialect.sum), try each(number))
            let mean = try dialect.mean(
                sum: dialect.sum(sum, sumType(type)), count: dialect.sum(count, .of(.int64)), type)
            return .value(decimal(mean, type, givesAllDigits), averageType(type))
        case .min, .max:
            let name = function == .min ? "MIN" : "MAX"
            let value = try each { try dialect.extreme(name, $0, $1) }
            return .value(try dialect.extreme(name, value, type), type)
        default: throw UnsupportedQuery.function("\(function.rawValue) on \(toMany.text)")
        }
    }

    private func aggregate(
        _ function: AggregateFunction, _ text: SQLFragment, of argument: SQLFragment, _ type: ValueType,
        _ result: ValueType
    ) -> Operand {
        lastAggregate = (text, function, argument, type.kind)
        return .value(text, result)
    }

    /// Returns the SQL of a sum or mean. A sum of decimals, which is computed exactly, has all its digits or a comparable
    /// form.
    private func decimal(_ sql: SQLFragment, _ type: ValueType, _ givesAllDigits: Bool) -> SQLFragment {
        givesAllDigits || type.kind != .decimal ? sql : dialect.comparableDecimal(sql)
    }

    private func mean(_ value: SQLFragment, _ type: ValueType, _ givesAllDigits: Bool) throws -> SQLFragment {
        if givesAllDigits, let parts = dialect.partsOfMean(value, type) { return parts }
        return decimal(try dialect.average(value, type), type, givesAllDigits)
    }

    /// Returns whether the current sum or mean must have all its digits, and clears the flag for nested ones.
    private func takeAllDigits() -> Bool {
        defer { givesAllDigits = false }
        return givesAllDigits
    }

    /// Returns a correlated subselect that aggregates the members of a to-many relationship.
    func aggregate(_ function: PredicateFunction, of toMany: ToManyOperand) throws -> Operand {
        let givesAllDigits = takeAllDigits()
        var type = ValueType.of(.int64)
        let query = try select(from: toMany) { element in
            if function == .count { return ("COUNT(*)", try existence(of: element, in: toMany)) }
            guard case .value(let sql, let known) = element else {
                throw UnsupportedQuery.make("Unsupported collection operator on objects: \(toMany.text)")
            }
            switch function {
            case .sum:
                type = sumType(known)
                return (decimal(try dialect.total(sql, known), known, givesAllDigits), nil)
            case .average:
                type = averageType(known)
                if isTwoValued {
                    // As in memory, nil values count.
                    let mean = try dialect.mean(sum: dialect.total(sql, known), count: "COUNT(*)", known)
                    return (dialect.orZero(mean), nil)
                }
                return (dialect.orZero(decimal(try dialect.average(sql, known), known, givesAllDigits)), nil)
            case .min, .max:
                type = known
                return (try dialect.extreme(function == .min ? "MIN" : "MAX", sql, known), nil)
            default: throw UnsupportedQuery.function("\(function.rawValue) on \(toMany.text)")
            }
        }
        return .value("(\(query))", type)
    }

    /// Returns the type of a sum, which may exceed the range of its terms' type.
    private func sumType(_ type: ValueType) -> ValueType {
        switch type.kind {
        case .int16, .int32, .boolean: .of(.int64)
        case .float: .of(.double)
        default: .of(type.kind)
        }
    }

    private func averageType(_ type: ValueType) -> ValueType { .of(type.kind == .decimal ? .decimal : .double) }
}
