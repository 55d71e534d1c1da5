#if PostgreSQL
import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import Foundation
import PredicateFormat

/// An empty store of the bookshop on the server, filled by batch requests.
final class ServerStore {
    private let opened: OpenEngine
    var identifier: String { opened.identifier }
    let engine: any StoreEngine
    let session: any StoreSession

    /// - Parameter kind: One of PostgreSQL.
    init(_ kind: EngineKind = .postgreSQL, keepsHistory: Bool = false) throws {
        opened = try kind.makeEngine(keepsHistory: keepsHistory)
        engine = opened.engine
        session = try opened.engine.session()
    }

    /// Opens the store once more, as another program does.
    func openAnother() throws -> OpenEngine? { try opened.another?() }

    /// The number of times that a closure waits for the server.
    func roundTrips(_ body: () throws -> Void) rethrows -> Int {
        guard let pool = (engine as? PostgreSQLEngine)?.pool else { preconditionFailure("The engine is another.") }
        let before = pool.roundTrips
        try body()
        return pool.roundTrips - before
    }

    @discardableResult
    func insert(
        _ entity: String, _ rows: [[String: Any]], _ rule: BatchConflictRule = .fail
    ) throws -> BatchOutcome {
        var work = BatchWork(.insert(.values(rows), Bookshop.layout(entity), rule))
        work.wantsRows = true
        return try session.run(work)
    }

    func fetch(_ entity: String, _ format: String? = nil, sort: [String] = []) throws -> StoreFetch {
        var fetch = StoreFetch(layout: Bookshop.layout(entity))
        fetch.predicate = try format.map { try NSPredicate.parse($0) }
        fetch.sortDescriptors = sort.map { NSSortDescriptor(key: $0, ascending: true) }
        return fetch
    }

    func dictionaries(_ fetch: StoreFetch, _ table: FetchTable) throws -> [[String: Any]] {
        var fetch = fetch
        fetch.addTable(table, source: self)
        return try session.fetchDictionaries(fetch) { $0 }
    }

    func rows(_ fetch: StoreFetch) throws -> [StoredRow] {
        let collector = RowCollector()
        try session.fetchRows(fetch, into: collector)
        return collector.rows
    }
}
#endif
