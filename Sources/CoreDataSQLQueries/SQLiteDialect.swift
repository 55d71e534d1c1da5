import CoreDataRowStorage
import PredicateFormat

/// SQLite's SQL, for stores with Core Data's schema.
///
/// SQLite's values are dynamically typed, and most functions are the store's, which share their code with evaluation in
/// memory. Names are already quoted where necessary.
package struct SQLiteDialect: SQLDialect {
    package init() {}

    // MARK: Names

    package func identifier(_ name: String) -> SQLFragment { SQLFragment(raw: name) }

    package var keyColumn: SQLFragment { "Z_PK" }
    package var entityColumn: SQLFragment { "Z_ENT" }

    package func entity(_ layout: EntityLayout, _ tables: any TableNames) -> SQLFragment {
        "\(raw: tables.number(inFileOf: layout.number))"
    }

    package func entity(
        of layout: EntityLayout, key: SQLFragment, _ tables: any TableNames, alias: () throws -> String
    ) rethrows -> SQLFragment {
        "\(raw: try alias()).\(entityColumn)"
    }

    // MARK: Writing

    /// The version may be NULL in rows written by other programs.
    package var nextVersion: SQLFragment { "Z_OPT = IFNULL(Z_OPT, 0) + 1" }

    package func assigned(_ value: SQLFragment, _ type: ValueType, to column: ValueType) -> SQLFragment { value }

    package func returningReferences(_ columns: EntityColumns) -> SQLFragment { "" }

    // MARK: Parameters

    package func parameter(_ number: Int, as type: String) -> String { "?\(number)" }

    package var separatesNumbers: Bool { false }

    package func parameterType(_ form: ParameterBinding.Form, of constant: NumberedConstant?) -> String { "" }

    package func type(of constant: NumberedConstant, beside type: ValueType) -> ValueType { type }

    // MARK: Comparisons

    package func sameness(_ left: SQLFragment, _ right: SQLFragment, negated: Bool) -> SQLFragment {
        negated ? "\(left) IS NOT \(right)" : "\(left) IS \(right)"
    }

    package func aligned(
        _ left: SQLFragment, _ leftType: ValueType, _ right: SQLFragment, _ rightType: ValueType, isOrdering: Bool
    ) -> (SQLFragment, SQLFragment) {
        (left, right)
    }

    package func membership(
        of value: SQLFragment, in list: SQLFragment, folding options: StringComparisonOptions
    ) -> SQLFragment {
        "\(options.isEmpty ? value : folded(value, options)) IN (SELECT value FROM CDArray(\(list)))"
    }

    // MARK: Text

    package func prefix(
        of text: SQLFragment, parameter: (ParameterBinding.Form) throws -> SQLFragment
    ) rethrows -> SQLFragment {
        // A range can use an index.
        let start = try parameter(.value(.string, nil))
        return "(\(text) >= \(start) AND \(text) < \(try parameter(.prefixEnd)))"
    }

    package func match(
        _ text: SQLFragment, _ comparison: ComparisonOperator, _ options: StringComparisonOptions,
        constant: NumberedConstant, parameter: (ParameterBinding.Form) throws -> SQLFragment
    ) rethrows -> SQLFragment {
        "CDMatch(\(text), \(try parameter(.matcher(comparison, options))))"
    }

    package func match(
        _ text: SQLFragment, _ comparison: ComparisonOperator, _ options: StringComparisonOptions, needle: SQLFragment
    ) -> SQLFragment {
        "CDMatchText(\(text), \(needle), \(raw: comparison.rawValue), \(raw: options.rawValue))"
    }

    package func folded(_ text: SQLFragment, _ options: StringComparisonOptions) -> SQLFragment {
        "CDFold(\(text), \(raw: options.rawValue))"
    }

    package func searched(_ value: SQLFragment, _ type: ValueType) -> SQLFragment {
        switch type.kind {
        case .double, .float, .decimal: text(of: value, type)
        default: value
        }
    }

    package func text(of value: SQLFragment, _ type: ValueType) -> SQLFragment { "CDText(\(value))" }

    // MARK: Functions

    package func function(
        _ function: PredicateFunction, _ value: SQLFragment, _ type: ValueType
    ) throws -> SQLFragment {
        switch function {
        case .uppercase: "CDUpper(\(value))"
        case .lowercase: "CDLower(\(value))"
        case .canonical: "CDCanonical(\(value))"
        case .length: "CDLength(\(value))"
        case .absolute: "CDAbs(\(value))"
        case .squareRoot: "CDSqrt(\(value))"
        case .log10: "CDLog(\(value))"
        case .naturalLog: "CDLn(\(value))"
        case .exponential: "CDExp(\(value))"
        // The unary plus keeps SQLite from using an index of the column, as for other computed values.
        case .floor where type.isInteger, .ceiling where type.isInteger, .truncate where type.isInteger: "+\(value)"
        case .floor: "CDFloor(\(value))"
        case .ceiling: "CDCeiling(\(value))"
        case .truncate: "CDTrunc(\(value))"
        case .onesComplement: "(~\(value))"
        // The unary plus keeps SQLite from using an index of the column.
        case .noIndex: "+\(value)"
        default: throw UnsupportedQuery.function(function.rawValue)
        }
    }

    package func function(
        _ function: PredicateFunction, _ left: SQLFragment, _ right: SQLFragment, _ types: (ValueType, ValueType),
        result: ValueType
    ) throws -> SQLFragment {
        switch function {
        case .add: computed("(\(left) + \(right))", result)
        case .subtract: computed("(\(left) - \(right))", result)
        case .multiply: computed("(\(left) * \(right))", result)
        // Integers are divided as integers, as in memory; but decimals without a fraction are also stored as integers.
        case .divide:
            computed(
                result.kind == .decimal ? "(CAST(\(left) AS REAL) / \(right))" : "(\(left) / \(right))", result)
        case .modulus: "(\(left) % \(right))"
        case .raise: "CDPower(\(left), \(right))"
        case .bitwiseAnd: "(\(left) & \(right))"
        case .bitwiseOr: "(\(left) | \(right))"
        case .bitwiseXor: "((\(left) | \(right)) - (\(left) & \(right)))"
        case .leftShift: "(\(left) << \(right))"
        case .rightShift: "(\(left) >> \(right))"
        default: throw UnsupportedQuery.function(function.rawValue)
        }
    }

    private func computed(_ sql: SQLFragment, _ type: ValueType) -> SQLFragment {
        // The result of 19.99 * 100 is 1999, as with decimals in memory.
        type.kind == .decimal ? "CDDecimal(\(sql))" : sql
    }

    package func number(from value: SQLFragment, _ type: ValueType) -> SQLFragment { "CAST(\(value) AS NUMERIC)" }

    package func date(from value: SQLFragment, _ type: ValueType) -> SQLFragment { value }

    // MARK: Aggregates

    package func sum(_ value: SQLFragment, _ type: ValueType) -> SQLFragment {
        type.kind == .decimal ? "CDSum(\(value))" : "SUM(\(value))"
    }

    package func total(_ value: SQLFragment, _ type: ValueType) -> SQLFragment {
        type.kind == .decimal ? sum(value, type) : orZero(sum(value, type))
    }

    package func average(_ value: SQLFragment, _ type: ValueType) -> SQLFragment {
        type.kind == .decimal
            ? mean(sum: sum(value, type), count: "COUNT(\(value))", type) : "AVG(\(value))"
    }

    package func mean(sum: SQLFragment, count: SQLFragment, _ type: ValueType) -> SQLFragment {
        type.kind == .decimal ? "CDRatio(\(sum), \(count))" : "(1.0 * \(sum) / \(count))"
    }

    package func extreme(_ name: String, _ value: SQLFragment, _ type: ValueType) -> SQLFragment {
        "\(raw: name)(\(value))"
    }

    package func orZero(_ value: SQLFragment) -> SQLFragment { "IFNULL(\(value), 0)" }

    /// Converts the total, which may be text if SQLite has no number for it, to a comparable number.
    package func comparableDecimal(_ total: SQLFragment) -> SQLFragment { "CDNumber(\(total))" }

    // MARK: Rows

    package func order(
        _ value: SQLFragment, _ type: ValueType, by collation: StringCollation?, named name: String?, ascending: Bool
    ) -> SQLFragment {
        var term = value
        if let name, type.kind == .string || type.kind == nil { term.append(raw: " COLLATE \(name)") }
        if !ascending { term.append(raw: " DESC") }
        return term
    }

    package func limit(parameter: Int, offset: Int) -> String {
        offset > 0 ? " LIMIT ?\(parameter) OFFSET ?\(offset)" : " LIMIT ?\(parameter)"
    }

    package var nameOfDerivedTable: String { "" }

    package var noLimit: Int? { -1 }

    package func limit(_ count: Int, offset: Int) -> SQLFragment {
        " LIMIT \(raw: count > 0 ? count : -1) OFFSET \(raw: offset)"
    }

    package var selectsGroupedValuesOnly: Bool { false }

    package func table(of list: SQLFragment, named alias: String) -> SQLFragment {
        "CDArray(\(list)) \(raw: alias)"
    }

    package var joinsInOrder: Bool { true }

    package var drivingJoin: SQLFragment { "CROSS JOIN" }
}
