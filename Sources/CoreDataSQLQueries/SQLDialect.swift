import CoreDataRowStorage
import PredicateFormat

/// What differs between the languages of databases. Everything else is written once, by ``SQLCompiler``.
///
/// Asked only while SQL is put together, which happens once for each shape of request. A dialect refuses, with the errors of
/// ``UnsupportedQuery``, what its database would answer otherwise than evaluation in memory does.
package protocol SQLDialect: Sendable {
    // MARK: Names

    /// A name of a table or a column.
    func identifier(_ name: String) -> SQLFragment
    /// The column with the keys of rows, and that with their entities.
    var keyColumn: SQLFragment { get }
    var entityColumn: SQLFragment { get }
    /// The value of the entity column in rows of an entity.
    func entity(_ layout: EntityLayout, _ tables: any TableNames) -> SQLFragment
    /// The entity of an object.
    ///
    /// - Parameters:
    ///   - key: the object's key; NULL where there is none.
    ///   - alias: gives the alias of its row.
    func entity(
        of layout: EntityLayout, key: SQLFragment, _ tables: any TableNames, alias: () throws -> String
    ) throws -> SQLFragment

    // MARK: Writing

    /// Assignment that counts a save of a row.
    var nextVersion: SQLFragment { get }
    /// Converts a value for a column with another type of values.
    func assigned(_ value: SQLFragment, _ type: ValueType, to column: ValueType) throws -> SQLFragment
    /// Writes RETURNING for the references of the rows that a statement changes; empty where the engine knows them before.
    func returningReferences(_ columns: EntityColumns) -> SQLFragment

    // MARK: Parameters

    /// The text of a parameter with a number.
    func parameter(_ number: Int, as type: String) -> String
    /// True where requests whose constants are whole numbers in one and fractions in the other have two texts.
    var separatesNumbers: Bool { get }
    /// The type of a parameter; empty where they have none.
    func parameterType(_ form: ParameterBinding.Form, of constant: NumberedConstant?) throws -> String
    /// The type that a constant has beside a value of another.
    func type(of constant: NumberedConstant, beside type: ValueType) -> ValueType

    // MARK: Comparisons

    /// Whether two values are the same, or both NULL; or whether they are not.
    func sameness(_ left: SQLFragment, _ right: SQLFragment, negated: Bool) -> SQLFragment
    /// Two values in one type, for an operator between them.
    func aligned(
        _ left: SQLFragment, _ leftType: ValueType, _ right: SQLFragment, _ rightType: ValueType, isOrdering: Bool
    ) throws -> (SQLFragment, SQLFragment)
    /// Whether a value is one of a list that is one parameter.
    ///
    /// - Parameter options: differences between texts that are ignored; a list that is bound folded needs no more.
    func membership(
        of value: SQLFragment, in list: SQLFragment, folding options: StringComparisonOptions
    ) -> SQLFragment

    // MARK: Text

    /// Whether text begins with a constant; NULL for NULL.
    func prefix(
        of text: SQLFragment, parameter: (ParameterBinding.Form) throws -> SQLFragment
    ) rethrows -> SQLFragment
    /// A string operator with a constant, which is bound as ``ParameterBinding/Form/matcher(_:_:)``; false for NULL.
    func match(
        _ text: SQLFragment, _ comparison: ComparisonOperator, _ options: StringComparisonOptions,
        constant: NumberedConstant, parameter: (ParameterBinding.Form) throws -> SQLFragment
    ) throws -> SQLFragment
    /// A string operator with a value of the row; false for NULL.
    func match(
        _ text: SQLFragment, _ comparison: ComparisonOperator, _ options: StringComparisonOptions, needle: SQLFragment
    ) throws -> SQLFragment
    /// Text without the differences that options ignore.
    func folded(_ text: SQLFragment, _ options: StringComparisonOptions) -> SQLFragment
    /// A value as string operators read it.
    func searched(_ value: SQLFragment, _ type: ValueType) throws -> SQLFragment
    /// A value as text.
    func text(of value: SQLFragment, _ type: ValueType) throws -> SQLFragment

    // MARK: Functions

    /// A function of one value.
    func function(_ function: PredicateFunction, _ value: SQLFragment, _ type: ValueType) throws -> SQLFragment
    /// A function of two values, whose result has a type.
    func function(
        _ function: PredicateFunction, _ left: SQLFragment, _ right: SQLFragment, _ types: (ValueType, ValueType),
        result: ValueType
    ) throws -> SQLFragment
    /// A value as a number.
    func number(from value: SQLFragment, _ type: ValueType) throws -> SQLFragment
    /// A value as a date.
    func date(from value: SQLFragment, _ type: ValueType) throws -> SQLFragment

    // MARK: Aggregates

    /// The sum of a column; NULL for no rows where that cannot be told from a sum of sums.
    func sum(_ value: SQLFragment, _ type: ValueType) throws -> SQLFragment
    /// The sum of a column; zero for no rows.
    func total(_ value: SQLFragment, _ type: ValueType) throws -> SQLFragment
    func average(_ value: SQLFragment, _ type: ValueType) throws -> SQLFragment
    /// The mean of values whose sum and count are known.
    func mean(sum: SQLFragment, count: SQLFragment, _ type: ValueType) throws -> SQLFragment
    /// The smallest or the greatest value of a column.
    func extreme(_ name: String, _ value: SQLFragment, _ type: ValueType) throws -> SQLFragment
    /// A value, or zero for NULL.
    func orZero(_ value: SQLFragment) -> SQLFragment
    /// A sum or mean of decimals in the form in which it compares with other values.
    func comparableDecimal(_ total: SQLFragment) -> SQLFragment

    // MARK: Rows

    /// A term of ORDER BY.
    ///
    /// - Parameter name: the name that the store has for an order of text.
    func order(
        _ value: SQLFragment, _ type: ValueType, by collation: StringCollation?, named name: String?, ascending: Bool
    ) throws -> SQLFragment
    /// LIMIT and OFFSET, each by a parameter with a number; 0 for no offset.
    func limit(parameter: Int, offset: Int) -> String
    /// Name of a query in FROM that nothing refers to; empty where it needs none.
    var nameOfDerivedTable: String { get }
    /// Limit that leaves out nothing.
    var noLimit: Int? { get }
    /// True where a query that groups rows, or gives each result once, can select and sort by nothing else than these values.
    var selectsGroupedValuesOnly: Bool { get }
    /// LIMIT and OFFSET with numbers; 0 for none.
    func limit(_ count: Int, offset: Int) -> SQLFragment
    /// Makes a table with the column `value` of a list that is one parameter.
    func table(of list: SQLFragment, named alias: String) -> SQLFragment
    /// True where ``drivingJoin`` gives rows in the order of the table on its left.
    var joinsInOrder: Bool { get }
    /// Join of the tables on its left, which are few rows, with one in which theirs are looked up.
    var drivingJoin: SQLFragment { get }
}

extension SQLDialect {
    /// Makes a parameter of a statement that is put together without ``SQLCompiler``.
    func parameter(_ form: ParameterBinding.Form, slot: Int = 0) throws -> SQLFragment {
        SQLFragment(
            SQLParameter(
                id: slot + 1, binding: ParameterBinding(slot: slot, form: form),
                type: try parameterType(form, of: nil)))
    }
}
