import CoreDataRowStorage

/// The queries for the rows of a table by key. Rows are selected with the alias `t0`.
package struct KeyQuery {
    /// The query by one key.
    package let one: SQLStatement
    /// The query by a list of keys.
    package let many: SQLStatement
    /// The query by the first and the last key of a range, in the order of keys.
    package let range: SQLStatement

    /// Creates the queries.
    ///
    /// - Parameter list: the columns to select.
    package init(selecting list: SQLFragment, of layout: EntityLayout, _ tables: any TableNames) throws {
        let dialect = tables.dialect
        let table = dialect.identifier(try tables.columns(of: layout).table)
        let key: SQLFragment = "t0.\(dialect.keyColumn)"
        let first = try dialect.parameter(.value(.int64, nil))
        let last = try dialect.parameter(.value(.int64, nil), slot: 1)
        let keys = try dialect.parameter(.keys(root: layout.root.number))
        let rows: SQLFragment = "SELECT \(list) FROM"
        one = ("\(rows) \(table) t0 WHERE \(key) = \(first)" as SQLFragment).statement(in: dialect)
        let many: SQLFragment =
            dialect.joinsInOrder
            ? "\(rows) \(dialect.table(of: keys, named: "k")) \(dialect.drivingJoin) \(table) t0 ON \(key) = k.value"
            : "\(rows) \(table) t0 WHERE \(dialect.membership(of: key, in: keys, folding: []))"
        self.many = many.statement(in: dialect)
        range =
            ("\(rows) \(table) t0 WHERE \(key) BETWEEN \(first) AND \(last) ORDER BY \(key)" as SQLFragment)
            .statement(in: dialect)
    }
}
