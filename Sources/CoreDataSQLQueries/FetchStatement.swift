import CoreDataRowStorage
import PredicateFormat

/// The SQL of a fetch of one shape, with the parameters of its constants.
package struct FetchStatement {
    package enum Purpose: UInt8, Sendable { case rows, references, count }

    package let text: String
    package let bindings: [ParameterBinding]
    /// Whether the entity is selected beside the key. For fetches of references.
    package let selectsEntity: Bool
    /// The parameter numbers of limit and offset; 0 if there is none.
    package let limitParameter: Int
    package let offsetParameter: Int

    /// Compiles a fetch.
    ///
    /// - Parameters:
    ///   - rowColumns: the columns that fetches of rows select, with the alias `t0`.
    ///   - findsKeysFirst: whether keys are found first, by an index and another alias of the table, and rows are read by
    ///     these keys. SQLite's `CROSS JOIN` keeps that order.
    package init(
        _ fetch: StoreFetch, _ purpose: Purpose, _ tables: any TableNames, rowColumns: SQLFragment = "",
        findsKeysFirst: Bool = false
    ) throws {
        let dialect = tables.dialect
        let compiler = SQLCompiler(tables)
        let scope = QueryScope(parent: nil)
        let alias = findsKeysFirst ? "k" : "t0"
        scope.setPlace(fetch.layout, key: compiler.key(alias), alias: alias)
        var conditions: [SQLFragment] = []
        if let restriction = try tables.restriction(
            of: fetch.layout, includesSubentities: fetch.includesSubentities, alias: alias)
        {
            conditions.append(restriction)
        }
        if let predicate = fetch.predicate {
            var writer = ShapeWriter()
            let node = writer.numbering(predicate.node)
            if case .constant(true) = node {
            } else {
                conditions.append("(\(try compiler.predicate(node, scope)))")
            }
        }
        let isLimited = fetch.limit > 0 || fetch.offset > 0
        let sort =
            purpose == .count && !isLimited
            ? "" : try compiler.orderClause(fetch.sortDescriptors, scope, tieBreaker: scope.place.key)
        let place = try tables.columns(of: fetch.layout)
        selectsEntity = purpose == .references && place.hasSubentities && fetch.includesSubentities
        let columns: SQLFragment =
            switch purpose {
            case .rows: rowColumns
            case .references: selectsEntity ? "\(compiler.key("t0")), t0.\(dialect.entityColumn)" : compiler.key("t0")
            case .count: isLimited ? "1" : "COUNT(*)"
            }
        let table = compiler.name(place.table)
        var query: SQLFragment = "SELECT \(columns) FROM \(table) \(raw: alias)"
        if findsKeysFirst { query += " CROSS JOIN \(table) t0 ON \(compiler.key("t0")) = \(scope.place.key)" }
        for join in scope.joins { query += " \(join)" }
        if !conditions.isEmpty { query += " WHERE \(conditions.joined(separator: " AND "))" }
        query += sort
        let statement = query.statement(in: dialect)
        bindings = statement.bindings
        limitParameter = isLimited ? bindings.count + 1 : 0
        offsetParameter = fetch.offset > 0 ? limitParameter + 1 : 0
        var text = statement.text
        if isLimited { text += dialect.limit(parameter: limitParameter, offset: offsetParameter) }
        if purpose == .count, isLimited { text = "SELECT COUNT(*) FROM (\(text))\(dialect.nameOfDerivedTable)" }
        self.text = text
    }
}
