import CoreDataRowStorage
import Foundation
import PredicateFormat

// Sums and their kin: of rows, and of what rows lead to.

extension SQLCompiler {
    /// An aggregate function: over what one row leads to, or, in a column of a fetch of dictionaries, over the rows of a group.
    func statistics(
        _ function: PredicateFunction, _ arguments: [ExpressionNode], _ scope: QueryScope
    ) throws -> Operand {
        guard arguments.count == 1 else { throw UnsupportedQuery.function(function.rawValue) }
        let givesAllDigits = takeAllDigits()
        let argument = try operand(arguments[0], scope)
        if case .toMany(let toMany) = argument {
            // What belongs to one row alone is summed up for that row.
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
            // Every row has a key. SQLite need not carry it through the sorting of groups just to count it.
            return aggregate(.rows, "COUNT(*)", of: "", .of(.int64), .of(.int64))
        }
        if function == .count, case .composite(let whole) = argument {
            let sql = "CASE WHEN \(whole.presence) THEN 1 END"
            return aggregate(.count, "COUNT(\(sql))", of: sql, .of(.int64), .of(.int64))
        }
        let type = type(of: argument)
        let sql = try sql(argument, as: type)
        return switch function {
        case .count: aggregate(.count, "COUNT(\(sql))", of: sql, type, .of(.int64))
        case .sum where type.kind == .decimal:
            aggregate(.sum, decimal("CDSum(\(sql))", givesAllDigits), of: sql, type, .of(.decimal))
        case .average where type.kind == .decimal:
            aggregate(
                .average, decimal("CDRatio(CDSum(\(sql)), COUNT(\(sql)))", givesAllDigits), of: sql, type, .of(.decimal)
            )
        case .sum: aggregate(.sum, "IFNULL(SUM(\(sql)), 0)", of: sql, type, sumType(type))
        case .average:
            aggregate(.average, "AVG(\(sql))", of: sql, type, averageType(type))
        case .min: aggregate(.min, "MIN(\(sql))", of: sql, type, type)
        default: aggregate(.max, "MAX(\(sql))", of: sql, type, type)
        }
    }

    /// An aggregate over what the rows of a group lead to, each by itself: several of them in one fetch do not multiply.
    private func total(_ function: PredicateFunction, of toMany: ToManyOperand) throws -> Operand {
        let givesAllDigits = takeAllDigits()
        var type = ValueType.of(.int64)
        var isDecimal: Bool { type.kind == .decimal }
        func each(_ aggregate: String) throws -> String {
            let query = try select(from: toMany) { element in
                guard case .value(let sql, let known) = element else {
                    guard function == .count else {
                        throw UnsupportedQuery.make("\(function.rawValue) needs values, not objects: \(toMany.text)")
                    }
                    return ("COUNT(*)", try existence(of: element, in: toMany))
                }
                type = known
                return ("\(isDecimal && aggregate == "SUM" ? "CDSum" : aggregate)(\(sql))", nil)
            }
            return "(\(query))"
        }
        switch function {
        case .count: return .value("IFNULL(SUM(\(try each("COUNT"))), 0)", .of(.int64))
        case .sum:
            let sum = try each("SUM")
            guard isDecimal else { return .value("IFNULL(SUM(\(sum)), 0)", sumType(type)) }
            return .value(decimal("CDSum(\(sum))", givesAllDigits), .of(.decimal))
        case .average:
            let (sum, count) = (try each("SUM"), try each("COUNT"))
            guard isDecimal else { return .value("(1.0 * SUM(\(sum)) / SUM(\(count)))", averageType(type)) }
            return .value(decimal("CDRatio(CDSum(\(sum)), SUM(\(count)))", givesAllDigits), .of(.decimal))
        case .min, .max:
            let name = function == .min ? "MIN" : "MAX"
            let sql = "\(name)(\(try each(name)))"
            return .value(sql, type)
        default: throw UnsupportedQuery.function("\(function.rawValue) on \(toMany.text)")
        }
    }

    private func aggregate(
        _ function: AggregateFunction, _ text: String, of argument: String, _ type: ValueType,
        _ result: ValueType
    ) -> Operand {
        lastAggregate = (text, function, argument, type.kind)
        return .value(text, result)
    }

    /// SQL for a decimal that was added up exactly. With all its digits it is text where no number of SQLite's has them.
    private func decimal(_ sql: String, _ givesAllDigits: Bool) -> String {
        givesAllDigits ? sql : "CDNumber(\(sql))"
    }

    /// Whether the sum or mean that is compiled now is one to give with all its digits; those inside it are not.
    private func takeAllDigits() -> Bool {
        defer { givesAllDigits = false }
        return givesAllDigits
    }

    /// A correlated sub-select that counts, adds up or picks from what a to-many relationship leads to.
    func aggregate(_ function: PredicateFunction, of toMany: ToManyOperand) throws -> Operand {
        let givesAllDigits = takeAllDigits()
        var type = ValueType.of(.int64)
        let query = try select(from: toMany) { element in
            if function == .count { return ("COUNT(*)", try existence(of: element, in: toMany)) }
            guard case .value(let sql, let known) = element else {
                throw UnsupportedQuery.make("Unsupported collection operator on objects: \(toMany.text)")
            }
            switch function {
            case .sum where known.kind == .decimal:
                type = sumType(known)
                return (decimal("CDSum(\(sql))", givesAllDigits), nil)
            case .average where known.kind == .decimal:
                type = averageType(known)
                let mean = decimal("CDRatio(CDSum(\(sql)), COUNT(\(sql)))", givesAllDigits)
                return ("IFNULL(\(mean), 0)", nil)
            case .sum:
                type = sumType(known)
                return ("IFNULL(SUM(\(sql)), 0)", nil)
            case .average:
                type = averageType(known)
                return ("IFNULL(AVG(\(sql)), 0)", nil)
            case .min, .max:
                type = known
                return ("\(function == .min ? "MIN" : "MAX")(\(sql))", nil)
            default: throw UnsupportedQuery.function("\(function.rawValue) on \(toMany.text)")
            }
        }
        return .value("(\(query))", type)
    }

    /// The type of a sum, which may be greater than any value of its terms' type.
    private func sumType(_ type: ValueType) -> ValueType {
        switch type.kind {
        case .int16, .int32, .boolean: .of(.int64)
        case .float: .of(.double)
        default: .of(type.kind)
        }
    }

    private func averageType(_ type: ValueType) -> ValueType { .of(type.kind == .decimal ? .decimal : .double) }
}
