#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// The SQL of one shape of fetch, and how its rows are decoded.
final class CompiledFetch: CompiledStatement, @unchecked Sendable {
    let statement: ServerStatement
    let bindings: [ParameterBinding]
    /// The column with the entity of a reference; nil if only one is possible.
    let entityColumn: Int?
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
        entityColumn = compiled.selectsEntity ? 1 : nil
        hasLimit = compiled.limitParameter > 0
        hasOffset = compiled.offsetParameter > 0
    }
}

extension PostgreSQLEngine {
    /// Returns the compiled form of a fetch, and the constants of the request.
    func compiled(_ fetch: StoreFetch, _ purpose: FetchStatement.Purpose) throws -> (CompiledFetch, [Any?]) {
        var writer = ShapeWriter(separatesNumbers: true)
        writer.add(Int(purpose.rawValue))
        writer.add(fetch.layout.number)
        writer.add(fetch.shapeFlags)
        if let predicate = fetch.predicate { writer.add(predicate.node) }
        writer.add(fetch.sortDescriptors)
        return (try fetches.value(for: writer.shape) { try CompiledFetch(fetch, purpose, tables) }, writer.constants)
    }
}

extension ShapeWriter {
    mutating func add(_ descriptors: [NSSortDescriptor]) {
        for descriptor in descriptors {
            let key = descriptor.sortKey
            add(100)
            add(key.key ?? "self")
            add(key.ascending ? 1 : 0)
            add("\(key.comparison)")
        }
    }
}
#endif
