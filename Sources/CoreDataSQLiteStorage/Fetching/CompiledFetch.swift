import CoreDataSQLQueries
import CoreDataRowStorage
import Foundation
import PredicateFormat

/// A fetch of one shape, compiled: its SQL, where its constants go, and how its rows are read.
package final class CompiledFetch: @unchecked Sendable {
    package enum Purpose: UInt8 { case rows, references, count }

    package let sql: SQLText
    let bindings: [ParameterBinding]
    /// How rows are read, for fetches of rows.
    let plan: RowPlan?
    let usualRows = UsualRows()
    /// Whether the entity number is selected beside the key, for fetches of references.
    let selectsEntity: Bool
    /// Parameters of limit and offset; 0 without.
    let limitParameter: Int32
    let offsetParameter: Int32

    package init(_ fetch: StoreFetch, _ purpose: Purpose, _ engine: SQLiteEngine) throws {
        let compiler = SQLCompiler(engine)
        let scope = QueryScope(parent: nil)
        // The columns of a plan are those of t0; what picks the rows may be another alias of the same table.
        let readsByKey = purpose == .rows && fetch.isAnsweredByIndex(of: engine)
        let alias = readsByKey ? "k" : "t0"
        scope.setPlace(fetch.layout, key: "\(raw: alias).Z_PK", alias: alias)
        var conditions: [SQLFragment] = []
        if let restriction = try engine.restriction(
            of: fetch.layout, includesSubentities: fetch.includesSubentities, alias: alias)
        {
            conditions.append(restriction)
        }
        if let predicate = fetch.predicate {
            var numbering = NumberedConstants()
            let node = numbering.number(predicate.node)
            if case .constant(true) = node {
            } else {
                conditions.append("(\(try compiler.predicate(node, scope)))")
            }
        }
        let isLimited = fetch.limit > 0 || fetch.offset > 0
        let sort =
            purpose == .count && !isLimited
            ? "" : try compiler.orderClause(fetch.sortDescriptors, scope, tieBreaker: scope.place.key)
        let plan = engine.rowPlan(for: fetch.layout, includesSubentities: fetch.includesSubentities)
        selectsEntity = purpose == .references && plan.entityColumn >= 0
        let columns =
            switch purpose {
            case .rows: plan.selectList
            case .references: selectsEntity ? "t0.Z_PK, t0.Z_ENT" : "t0.Z_PK"
            case .count: isLimited ? "1" : "COUNT(*)"
            }
        let table = try engine.columns(of: fetch.layout).table
        var query: SQLFragment = "SELECT \(raw: columns) FROM \(raw: table) \(raw: alias)"
        if readsByKey { query += " CROSS JOIN \(raw: table) t0 ON t0.Z_PK = \(raw: alias).Z_PK" }
        for join in scope.joins { query += " \(join)" }
        if !conditions.isEmpty { query += " WHERE \(conditions.joined(separator: " AND "))" }
        query += sort
        let statement = query.statement(in: engine.dialect)
        var text = statement.text
        limitParameter = isLimited ? Int32(statement.bindings.count + 1) : 0
        offsetParameter = fetch.offset > 0 ? limitParameter + 1 : 0
        if isLimited { text += " LIMIT ?\(limitParameter)" }
        if offsetParameter > 0 { text += " OFFSET ?\(offsetParameter)" }
        if purpose == .count, isLimited { text = "SELECT COUNT(*) FROM (\(text))" }
        sql = SQLText(text)
        bindings = statement.bindings
        self.plan = purpose == .rows ? plan : nil
    }
}
