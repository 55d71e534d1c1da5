import CoreDataRowStorage
import PredicateFormat

/// The differences between the SQL of databases. Everything else is shared by ``SQLCompiler``.
///
/// Used only while SQL is compiled, once per shape of request. A dialect refuses, with the errors of ``UnsupportedQuery``,
/// requests that its database would answer differently than evaluation in memory.
package protocol SQLDialect: Sendable {
    // MARK: Names

    /// Returns a table or column name for a statement.
    func identifier(_ name: String) -> SQLFragment
    /// The columns with the keys and with the entities of rows.
    var keyColumn: SQLFragment { get }
    var entityColumn: SQLFragment { get }
    /// Returns the value of the entity column in rows of an entity.
    func entity(_ layout: EntityLayout, _ tables: any TableNames) -> SQLFragment
    /// Returns the SQL of an object's entity.
    ///
    /// - Parameters:
    ///   - key: the object's key; NULL if there is none.
    ///   - alias: returns the alias of its row.
    func entity(
        of layout: EntityLayout, key: SQLFragment, _ tables: any TableNames, alias: () throws -> String
    ) throws -> SQLFragment

    // MARK: Writing

    /// The assignment that increments a row's version.
    var nextVersion: SQLFragment { get }
    /// Converts a value for a column of another type.
    func assigned(_ value: SQLFragment, _ type: ValueType, to column: ValueType) throws -> SQLFragment
    /// Returns a RETURNING clause for the references of the rows that a statement changes; empty if the engine knows them
    /// before.
    func returningReferences(_ columns: EntityColumns) -> SQLFragment

    // MARK: Parameters

    /// Returns the text of a numbered parameter.
    func parameter(_ number: Int, as type: String) -> String
    /// Whether integer and fractional constants need different SQL, and thus different shapes.
    var separatesNumbers: Bool { get }
    /// Returns the type of a parameter; empty in dialects without parameter types.
    func parameterType(_ form: ParameterBinding.Form, of constant: NumberedConstant?) throws -> String
    /// Returns the type of a constant beside a value of another type.
    func type(of constant: NumberedConstant, beside type: ValueType) -> ValueType

    // MARK: Comparisons

    /// Returns the condition that two values are equal or both NULL, or its negation.
    func sameness(_ left: SQLFragment, _ right: SQLFragment, negated: Bool) -> SQLFragment
    /// Converts two values to one type, for an operator between them.
    func aligned(
        _ left: SQLFragment, _ leftType: ValueType, _ right: SQLFragment, _ rightType: ValueType, isOrdering: Bool
    ) throws -> (SQLFragment, SQLFragment)
    /// Returns the condition that a value is contained in a list that is one parameter.
    ///
    /// - Parameter options: the differences between texts to ignore; a list is bound folded.
    func membership(
        of value: SQLFragment, in list: SQLFragment, folding options: StringComparisonOptions
    ) -> SQLFragment

    /// True if nil differs from every value and `NOT` is true for every condition that is not true, as in memory.
    var isTwoValued: Bool { get }
    /// Returns a comparison that is false for values that are no numbers, as in memory; true for `!=`.
    ///
    /// - Parameters:
    ///   - condition: the comparison.
    ///   - leftKind: the kind of a value of the row on the left; nil for a constant.
    func comparison(
        _ condition: SQLFragment, _ left: SQLFragment, _ leftKind: CellKind?, _ comparison: ComparisonOperator,
        _ right: SQLFragment, _ rightKind: CellKind?
    ) -> SQLFragment

    // MARK: Text

    /// Returns the condition that text begins with a constant; NULL for NULL.
    func prefix(
        of text: SQLFragment, parameter: (ParameterBinding.Form) throws -> SQLFragment
    ) rethrows -> SQLFragment
    /// Returns a string operator with a constant, which is bound as ``ParameterBinding/Form/matcher(_:_:)``; false for NULL.
    func match(
        _ text: SQLFragment, _ comparison: ComparisonOperator, _ options: StringComparisonOptions,
        constant: NumberedConstant, parameter: (ParameterBinding.Form) throws -> SQLFragment
    ) throws -> SQLFragment
    /// Returns a string operator with a value of the row; false for NULL.
    func match(
        _ text: SQLFragment, _ comparison: ComparisonOperator, _ options: StringComparisonOptions, needle: SQLFragment
    ) throws -> SQLFragment
    /// Returns text without the differences that the options ignore.
    func folded(_ text: SQLFragment, _ options: StringComparisonOptions) -> SQLFragment
    /// Returns a value in the form that string operators search.
    func searched(_ value: SQLFragment, _ type: ValueType) throws -> SQLFragment
    /// Returns a value as text.
    func text(of value: SQLFragment, _ type: ValueType) throws -> SQLFragment

    // MARK: Functions

    /// Returns a function of one value.
    func function(_ function: PredicateFunction, _ value: SQLFragment, _ type: ValueType) throws -> SQLFragment
    /// Returns a function of two values with a result of a type.
    func function(
        _ function: PredicateFunction, _ left: SQLFragment, _ right: SQLFragment, _ types: (ValueType, ValueType),
        result: ValueType
    ) throws -> SQLFragment
    /// Returns a value as a number.
    func number(from value: SQLFragment, _ type: ValueType) throws -> SQLFragment
    /// Returns a value as a date.
    func date(from value: SQLFragment, _ type: ValueType) throws -> SQLFragment

    // MARK: Aggregates

    /// Returns the sum of a column; may be NULL for no rows.
    func sum(_ value: SQLFragment, _ type: ValueType) throws -> SQLFragment
    /// Returns the sum of a column; zero for no rows.
    func total(_ value: SQLFragment, _ type: ValueType) throws -> SQLFragment
    func average(_ value: SQLFragment, _ type: ValueType) throws -> SQLFragment
    /// Returns the mean of a column as an array of its sum and count, which the engine divides; nil in dialects with exact
    /// means.
    func partsOfMean(_ value: SQLFragment, _ type: ValueType) -> SQLFragment?
    /// Returns the result of ``partsOfMean(_:_:)`` in a form that compares with other values.
    func comparableMean(_ parts: SQLFragment) -> SQLFragment
    /// Returns the mean of values with a known sum and count.
    func mean(sum: SQLFragment, count: SQLFragment, _ type: ValueType) throws -> SQLFragment
    /// Returns the smallest or the largest value of a column.
    func extreme(_ name: String, _ value: SQLFragment, _ type: ValueType) throws -> SQLFragment
    /// Returns a value, or zero for NULL.
    func orZero(_ value: SQLFragment) -> SQLFragment
    /// Returns a sum or mean of decimals in a form that compares with other values.
    func comparableDecimal(_ total: SQLFragment) -> SQLFragment

    // MARK: Rows

    /// Returns a term of ORDER BY.
    ///
    /// - Parameter name: the store's name of the collation.
    func order(
        _ value: SQLFragment, _ type: ValueType, by collation: StringCollation?, named name: String?, ascending: Bool
    ) throws -> SQLFragment
    /// Returns LIMIT and OFFSET, each with a numbered parameter; 0 for no offset.
    func limit(parameter: Int, offset: Int) -> String
    /// The alias of a derived table that nothing refers to; empty if none is required.
    var nameOfDerivedTable: String { get }
    /// The limit that excludes nothing.
    var noLimit: Int? { get }
    /// Whether a query with groups or distinct results can select and sort by these values only.
    var selectsGroupedValuesOnly: Bool { get }
    /// Returns LIMIT and OFFSET with literal numbers; 0 for none.
    func limit(_ count: Int, offset: Int) -> SQLFragment
    /// Returns a table with the column `value` for a list that is one parameter.
    func table(of list: SQLFragment, named alias: String) -> SQLFragment
    /// Whether ``drivingJoin`` returns rows in the order of the table on its left.
    var joinsInOrder: Bool { get }
    /// The join of the few rows on its left with a table in which they are looked up.
    var drivingJoin: SQLFragment { get }
}

extension SQLDialect {
    package var isTwoValued: Bool { false }

    package func comparison(
        _ condition: SQLFragment, _ left: SQLFragment, _ leftKind: CellKind?, _ comparison: ComparisonOperator,
        _ right: SQLFragment, _ rightKind: CellKind?
    ) -> SQLFragment { condition }

    package func partsOfMean(_ value: SQLFragment, _ type: ValueType) -> SQLFragment? { nil }
    package func comparableMean(_ parts: SQLFragment) -> SQLFragment { comparableDecimal(parts) }

    /// Returns a parameter of a statement that is written without ``SQLCompiler``.
    func parameter(_ form: ParameterBinding.Form, slot: Int = 0) throws -> SQLFragment {
        SQLFragment(
            SQLParameter(
                id: slot + 1, binding: ParameterBinding(slot: slot, form: form),
                type: try parameterType(form, of: nil)))
    }
}
