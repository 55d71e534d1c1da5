import CoreDataRowStorage
import PredicateFormat

/// PostgreSQL's SQL.
///
/// Values are typed, and operators need operands of one type: every parameter has a type, and values of the model are
/// converted where evaluation in memory compares different types. Requires PostgreSQL 14, and five immutable functions that the
/// schema installs: `coredata_fold(text, integer)` removes differences in case (1), diacritics (2) or both (3) from a text;
/// `coredata_found(text, text, boolean)` searches folded text; `coredata_decimal(numeric)` refuses decimals
/// of more than 38 digits; `coredata_upper(text)` and `coredata_lower(text)` change the case of a text. Text columns are declared `COLLATE "C"`.
///
/// The engine binds the following values, by ``ParameterBinding/Form``:
/// - Collections as arrays, without NULL and without values of other types.
/// - Bounds of `BETWEEN` on integers rounded inward.
/// - Texts of string operators that ignore case or diacritics folded.
/// - Patterns as ``PostgreSQLPattern`` translates them, which refuses some.
package struct PostgreSQLDialect: SQLDialect {
    package init() {}

    // MARK: Names

    package func identifier(_ name: String) -> SQLFragment { SQLFragment(raw: PostgreSQLName.quoted(name)) }

    package var keyColumn: SQLFragment { "id" }
    package var entityColumn: SQLFragment { "entity" }

    /// Entities are identified by name, because numbers change with the model.
    package func entity(_ layout: EntityLayout, _ tables: any TableNames) -> SQLFragment {
        SQLFragment(raw: PostgreSQLName.literal(layout.name))
    }

    package func entity(
        of layout: EntityLayout, key: SQLFragment, _ tables: any TableNames, alias: () throws -> String
    ) throws -> SQLFragment {
        guard try tables.columns(of: layout).sharesTable else {
            return "CASE WHEN \(key) IS NOT NULL THEN \(entity(layout, tables)) END"
        }
        return "\(raw: try alias()).\(entityColumn)"
    }

    // MARK: Writing

    package var nextVersion: SQLFragment { "version = version + 1" }

    package func returningReferences(_ columns: EntityColumns) -> SQLFragment {
        columns.hasSubentities ? " RETURNING \(keyColumn), \(entityColumn)" : " RETURNING \(keyColumn)"
    }

    // MARK: Parameters

    package func parameter(_ number: Int, as type: String) -> String { "$\(number)::\(type)" }

    package var separatesNumbers: Bool { true }

    package func parameterType(_ form: ParameterBinding.Form, of constant: NumberedConstant?) throws -> String {
        switch form {
        case .value(let kind, _), .ordered(let kind):
            try name(of: constant.map { Self.kind(of: $0.value, beside: kind) } ?? kind)
        case .external: "bytea"
        case .element(_, let kind): try name(of: Self.elementKind(kind))
        case .values(let kind): "\(try name(of: Self.elementKind(kind)))[]"
        case .foldedValues, .entities: "text[]"
        case .key, .keyInOrder, .row: "bigint"
        case .keys, .rows: "bigint[]"
        case .entity, .matcher, .characterPattern, .prefixEnd: "text"
        case .now: try name(of: .date)
        case .seconds(.values): "\(DatabaseTraits.wholeDateType)[]"
        case .seconds: DatabaseTraits.wholeDateType
        case .member(_, .external): "bytea"
        case .member(_, .value(let kind, _)): try name(of: kind)
        case .member(_, let form): try parameterType(form, of: nil)
        case .isComposite: "boolean"
        }
    }

    package func type(of constant: NumberedConstant, beside type: ValueType) -> ValueType {
        switch constant.kind {
        case _ where type.isInSeconds: ValueType(kind: .date, isInSeconds: true)
        case .collection: .of(Self.elementKind(type.kind))
        case .object: .of(.reference)
        case .null: .unknown
        default: .of(Self.kind(of: constant.value, beside: type.kind))
        }
    }

    /// Returns the kind to which a constant is converted beside a value of a kind. Integers are compared as integers, so that
    /// an index can be used; other numbers beside integers as decimals, which represent both exactly.
    private static func kind(of constant: Any?, beside kind: CellKind?) -> CellKind? {
        switch kind {
        case .int16, .int32, .int64, .boolean:
            guard case .number(let number) = PredicateValue(constant), number.isInteger else { return .decimal }
            return .int64
        case .float: return .double
        case nil: return ownKind(constant)
        default: return kind
        }
    }

    private static func ownKind(_ constant: Any?) -> CellKind? {
        switch PredicateValue(constant) {
        case .number(let number): number.isInteger ? .int64 : number.isDecimal ? .decimal : .double
        case .string: .string
        case .date: .date
        case .null, .other: nil
        }
    }

    /// Returns the kind of a collection's elements beside a value of a kind.
    private static func elementKind(_ kind: CellKind?) -> CellKind? {
        switch kind {
        case .int16, .int32, .boolean: .int64
        case .float: .double
        default: kind
        }
    }

    private func name(of kind: CellKind?) throws -> String {
        guard let name = kind.flatMap(PostgreSQLName.type(of:)) else {
            throw refusal("a constant whose type does not follow from what it is compared with")
        }
        return name
    }

    // MARK: Comparisons

    package func sameness(_ left: SQLFragment, _ right: SQLFragment, negated: Bool) -> SQLFragment {
        negated ? "\(left) IS DISTINCT FROM \(right)" : "\(left) IS NOT DISTINCT FROM \(right)"
    }

    package var isTwoValued: Bool { true }

    /// Returns the comparison as in memory: the database's NaN equals itself and is greater than every number.
    package func comparison(
        _ condition: SQLFragment, _ left: SQLFragment, _ leftKind: CellKind?, _ comparison: ComparisonOperator,
        _ right: SQLFragment, _ rightKind: CellKind?
    ) -> SQLFragment {
        let isLeftReal = leftKind == .double || leftKind == .float
        let isRightReal = rightKind == .double || rightKind == .float
        switch comparison {
        case .greaterThan, .greaterThanOrEqualTo: return isLeftReal ? "(\(condition) AND \(left) <> 'NaN')" : condition
        case .lessThan, .lessThanOrEqualTo: return isRightReal ? "(\(condition) AND \(right) <> 'NaN')" : condition
        case .equalTo where isLeftReal && isRightReal: return "(\(condition) AND \(left) IS DISTINCT FROM 'NaN')"
        case .notEqualTo where isLeftReal && isRightReal: return "(\(condition) OR \(left) = 'NaN')"
        default: return condition
        }
    }

    package func aligned(
        _ left: SQLFragment, _ leftType: ValueType, _ right: SQLFragment, _ rightType: ValueType, isOrdering: Bool
    ) throws -> (SQLFragment, SQLFragment) {
        guard let leftKind = leftType.kind, let rightKind = rightType.kind else { return (left, right) }
        switch (leftKind, rightKind) {
        case (.boolean, .boolean): return (left, right)
        case (.boolean, _): return (number(left, .boolean), right)
        case (_, .boolean): return (left, number(right, .boolean))
        case (.decimal, .double), (.decimal, .float), (.double, .decimal), (.float, .decimal):
            throw refusal("a decimal compared with a floating-point number")
        case (.int64, .double), (.int64, .float), (.double, .int64), (.float, .int64):
            // Floating-point numbers would round large integers.
            guard !leftType.isStored || !rightType.isStored else {
                throw refusal("a 64-bit integer compared with a floating-point number")
            }
            return (left, right)
        case (.date, .date) where leftType.isInSeconds == rightType.isInSeconds: return (left, right)
        case (.date, .date): return (seconds(of: left, leftType), seconds(of: right, rightType))
        case (.date, _), (_, .date): throw refusal("a date compared with a number")
        case (.string, _), (.uri, _):
            guard isOrdering, !leftType.isStored, !rightType.isStored else { return (left, right) }
            return ("\(left) COLLATE \"C\"", right)
        default: return (left, right)
        }
    }

    package func membership(
        of value: SQLFragment, in list: SQLFragment, folding options: StringComparisonOptions
    ) -> SQLFragment {
        guard !options.isEmpty else { return "\(value) = ANY (\(list))" }
        // Bound folded.
        return "\(folded(value, options)) = ANY (\(list))"
    }

    // MARK: Rows

    /// Returns a term of ORDER BY. As in memory, nil precedes every value.
    package func order(
        _ value: SQLFragment, _ type: ValueType, by collation: StringCollation?, named name: String?, ascending: Bool
    ) throws -> SQLFragment {
        if type.isEntity { throw refusal("an order by entity") }
        var term = value
        if type.kind == .string || type.kind == .uri {
            switch collation {
            case nil, .binary: break
            case .folded(let options): term = folded(term, options)
            case .localized, .localizedStandard: throw refusal("an order by the rules of a locale")
            }
            if !type.isStored { term += " COLLATE \"C\"" }
        }
        term += ascending ? " NULLS FIRST" : " DESC NULLS LAST"
        return term
    }

    package func limit(parameter: Int, offset: Int) -> String {
        let limit = " LIMIT \(self.parameter(parameter, as: "bigint"))"
        return offset > 0 ? "\(limit) OFFSET \(self.parameter(offset, as: "bigint"))" : limit
    }

    package func limit(_ count: Int, offset: Int) -> SQLFragment {
        let limit: SQLFragment = count > 0 ? " LIMIT \(raw: count)" : ""
        return offset > 0 ? "\(limit) OFFSET \(raw: offset)" : limit
    }

    /// The alias that PostgreSQL requires before version 16.
    package var nameOfDerivedTable: String { " AS derived" }

    package var noLimit: Int? { nil }

    package var selectsGroupedValuesOnly: Bool { true }

    package func table(of list: SQLFragment, named alias: String) -> SQLFragment {
        "unnest(\(list)) AS \(raw: alias)(value)"
    }

    package var joinsInOrder: Bool { false }

    package var drivingJoin: SQLFragment { "JOIN" }

    // MARK: Errors

    /// Returns the error for a request that PostgreSQL would answer differently than evaluation in memory.
    func refusal(_ text: String) -> Error {
        UnsupportedQuery.make(
            "PostgreSQL cannot answer a request with \(text) as evaluation in memory does",
            advice: "Fetch by other conditions, then filter or sort the result.")
    }
}
