#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries

/// The SQL of one shape of fetch, and how its rows are decoded.
final class CompiledFetch: @unchecked Sendable {
    let statement: ServerStatement
    let bindings: [ParameterBinding]
    let selectsEntity: Bool
    let hasLimit: Bool
    let hasOffset: Bool
    /// The columns of whole rows; nil for fetches of references and counts.
    let selection: RowSelection?

    init(_ fetch: StoreFetch, _ purpose: FetchStatement.Purpose, _ tables: PostgreSQLTables) throws {
        let selection =
            purpose == .rows
            ? try RowSelection(of: fetch.layout, includesSubentities: fetch.includesSubentities, tables) : nil
        let compiled = try FetchStatement(fetch, purpose, tables, rowColumns: selection?.list ?? "")
        self.selection = selection
        statement = ServerStatement(compiled.text)
        bindings = compiled.bindings
        selectsEntity = compiled.selectsEntity
        hasLimit = compiled.limitParameter > 0
        hasOffset = compiled.offsetParameter > 0
    }
}
#endif
