import CoreDataSQLQueries
import CoreDataRowStorage
import Foundation

/// A compiled fetch of one shape: its SQL, the parameters of its constants, and the way its rows are read.
package final class CompiledFetch: @unchecked Sendable {
    package typealias Purpose = FetchStatement.Purpose

    package let sql: SQLText
    let bindings: [ParameterBinding]
    /// The plan for reading rows; nil for fetches of other results.
    let plan: RowPlan?
    let usualRows = UsualRows()
    /// Whether the entity number is selected beside the key. For fetches of references.
    let selectsEntity: Bool
    /// The parameter numbers of limit and offset; 0 if there is none.
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
