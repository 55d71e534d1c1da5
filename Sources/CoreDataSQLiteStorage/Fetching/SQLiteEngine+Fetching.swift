import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite
import CoreDataRuntimeSupport
import Foundation
import PredicateFormat

/// Fetches: compiled once per shape, then found in a cache, bound and run.
extension SQLiteEngine {
    func fetchRows(_ fetch: StoreFetch, into sink: any RowSink, in session: SQLiteSession) throws {
        let (compiled, constants) = try compiled(fetch, .rows)
        guard let plan = compiled.plan else { return }
        // Closures would copy the fetch.
        let connection = try session.take()
        defer { session.giveBack(connection) }
        let statement = try prepare(compiled, constants, fetch, connection)
        let (limit, usual) = (fetch.limit, compiled.usualRows.count)
        let count: Int
        if let interruption = fetch.interruption {
            count = try connection.interrupting(interruption) {
                try deliver(statement, plan, expected: limit, usual: usual, into: sink)
            }
        } else {
            count = try deliver(statement, plan, expected: limit, usual: usual, into: sink)
        }
        if limit != 1 { compiled.usualRows.note(count) }
    }

    func fetchReferences(_ fetch: StoreFetch, in session: SQLiteSession) throws -> ContiguousArray<RowReference> {
        let (compiled, constants) = try compiled(fetch, .references)
        return try session.read { connection in
            let statement = try prepare(compiled, constants, fetch, connection)
            return try connection.interrupting(fetch) {
                try references(statement, number: fetch.layout.number, isPolymorphic: compiled.selectsEntity)
            }
        }
    }

    func countRows(_ fetch: StoreFetch, in session: SQLiteSession) throws -> Int {
        let (compiled, constants) = try compiled(fetch, .count)
        return try session.read { connection in
            let statement = try prepare(compiled, constants, fetch, connection)
            defer { statement.reset() }
            return try connection.interrupting(fetch) { try statement.step() ? Int(statement.integer(0)) : 0 }
        }
    }

    /// Returns the statement of a fetch with its constants bound.
    func prepare(
        _ compiled: CompiledFetch, _ constants: FetchConstants, _ fetch: StoreFetch,
        _ connection: SQLiteConnection
    ) throws -> SQLiteStatement {
        let statement = try connection.statement(compiled.sql)
        try ConstantBinder(engine: self).bind(compiled.bindings, constants, to: statement)
        if compiled.limitParameter > 0 {
            try statement.bind(fetch.limit > 0 ? fetch.limit : -1, at: compiled.limitParameter)
        }
        if compiled.offsetParameter > 0 { try statement.bind(fetch.offset, at: compiled.offsetParameter) }
        return statement
    }

    func compiled(
        _ fetch: StoreFetch, _ purpose: CompiledFetch.Purpose
    ) throws -> (CompiledFetch, FetchConstants) {
        guard let filled = fetch.predicate?.filledTemplate, let variant = FetchVariant(fetch, purpose, filled)
        else { return try compiledByShape(fetch, purpose) }
        if let known = compiledFetches.withLock({ $0.find(filled.template, variant, fetch.sortDescriptors) }) {
            return (known.compiled, known.constants(filled))
        }
        let (compiled, constants) = try compiledByShape(fetch, purpose)
        if let known = TemplateFetch(filled.template, variant, fetch.sortDescriptors, compiled) {
            compiledFetches.withLock { $0.remember(known) }
        }
        return (compiled, constants)
    }

    private func compiledByShape(
        _ fetch: StoreFetch, _ purpose: CompiledFetch.Purpose
    ) throws -> (CompiledFetch, FetchConstants) {
        var writer = ShapeWriter()
        writer.add(purpose.rawValue)
        writer.add(fetch.layout.number)
        writer.add(fetch.shapeFlags)
        if let predicate = fetch.predicate { writer.add(predicate.node) }
        for descriptor in fetch.sortDescriptors {
            let key = descriptor.sortKey
            writer.add(100)
            writer.add(key.key ?? "self")
            writer.add(key.ascending ? 1 : 0)
            switch key.comparison {
            case .natural: writer.add(0)
            case .collation(let collation): writer.add(Collations.name(of: collation) ?? "")
            case .unknownSelector, .comparator: writer.add(255)
            }
        }
        let shape = writer.shape
        if let known = compiledFetches.withLock({ $0.find(shape) }) { return (known, .list(writer.constants)) }
        let made = try CompiledFetch(fetch, purpose, self)
        compiledFetches.withLock { $0.remember(ShapedFetch(shape, made)) }
        return (made, .list(writer.constants))
    }
}
