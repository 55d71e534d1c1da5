import CoreDataSQLQueries
import CoreDataRowStorage
import Foundation

/// A fetch of one shape, compiled: its SQL, where its constants go, and how its rows are read.
package final class CompiledFetch: @unchecked Sendable {
    package typealias Purpose = FetchStatement.Purpose

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
        plan =
            purpose == .rows
            ? engine.rowPlan(for: fetch.layout, includesSubentities: fetch.includesSubentities) : nil
        let statement = try FetchStatement(
            fetch, purpose, engine, rowColumns: SQLFragment(raw: plan?.selectList ?? ""),
            findsKeysFirst: purpose == .rows && fetch.isAnsweredByIndex(of: engine))
        sql = SQLText(statement.text)
        bindings = statement.bindings
        selectsEntity = statement.selectsEntity
        limitParameter = Int32(statement.limitParameter)
        offsetParameter = Int32(statement.offsetParameter)
    }
}
