#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries

/// The SQL of one shape of fetch of dictionaries, and how its rows are decoded.
final class CompiledDictionaryFetch: CompiledStatement, @unchecked Sendable {
    let statement: ServerStatement
    let bindings: [ParameterBinding]
    let columns: [DictionaryQuery.Column]
    let hasLimit: Bool
    let hasOffset: Bool

    init(_ fetch: StoreFetch, _ tables: PostgreSQLTables) throws {
        // Limit and offset are parameters, so that the pages of a fetch share their statement.
        var whole = fetch
        (whole.limit, whole.offset) = (0, 0)
        let query = try DictionaryQuery(whole, tables)
        let compiled = query.text.statement(in: tables.dialect)
        hasLimit = fetch.limit > 0 || fetch.offset > 0
        hasOffset = fetch.offset > 0
        bindings = compiled.bindings
        columns = query.columns
        let parameter = bindings.count + 1
        let limit = hasLimit ? tables.dialect.limit(parameter: parameter, offset: hasOffset ? parameter + 1 : 0) : ""
        statement = ServerStatement(compiled.text + limit)
    }
}

extension PostgreSQLEngine {
    /// Returns the compiled form of a fetch of dictionaries, and the constants of the request.
    func compiledDictionaries(_ fetch: StoreFetch) throws -> (CompiledDictionaryFetch, [Any?]) {
        var writer = ShapeWriter(separatesNumbers: true)
        writer.add(fetch.layout.number)
        writer.add(fetch.shapeFlags)
        // The constants are numbered in the order in which `DictionaryQuery` numbers them.
        let table = fetch.table ?? FetchTable()
        writer.add(table.isDistinct ? 1 : 0)
        writer.add(table.columns?.count ?? -1)
        for column in table.columns ?? [] { writer.add(column) }
        writer.add(table.groups.count)
        for group in table.groups { writer.add(group) }
        if let predicate = fetch.predicate {
            writer.add(101)
            writer.add(predicate.node)
        }
        if let having = table.having {
            writer.add(102)
            writer.add(having.node)
        }
        writer.add(fetch.sortDescriptors)
        return (
            try dictionaryFetches.value(for: writer.shape) { try CompiledDictionaryFetch(fetch, tables) },
            writer.constants
        )
    }
}

extension ShapeWriter {
    fileprivate mutating func add(_ column: FetchColumn) {
        add(column.name)
        switch column.content {
        case .path(let keys):
            add(1)
            add(keys.count)
            for key in keys { add(key) }
        case .expression(let expression, let kind):
            add(2)
            add(kind.map { Int($0.rawValue) } ?? -1)
            _ = numbering(expression)
        }
    }
}
#endif
