#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation
import Synchronization

/// An open store in a PostgreSQL database.
package final class PostgreSQLEngine: StoreEngine, @unchecked Sendable {
    package let layouts: ModelLayouts
    let tables: PostgreSQLTables
    let pool: ConnectionPool
    /// The store's UUID.
    let identifier: String
    let objectID: (RowReference) -> NSObject
    let options: EngineOptions
    private let model: (any StoredModel)?
    private let fetches = Mutex<[RequestShape: CompiledFetch]>([:])
    let writePlans: WritePlans
    let derived: DerivedAttributes
    private let allocator: KeyAllocator
    private let state = Mutex(State.open)

    private enum State { case open, retired, closed }

    /// The seconds that statements and waits may take.
    struct EngineOptions: Sendable {
        var leaseTimeout = 30.0
        var statementTimeout = 30.0
        var lockTimeout = 5.0
    }

    init(_ pool: ConnectionPool, _ opening: EngineOpening, options: EngineOptions = EngineOptions()) throws {
        self.pool = pool
        self.options = options
        layouts = opening.layouts
        tables = PostgreSQLTables(opening.layouts)
        writePlans = WritePlans(tables)
        derived = try DerivedAttributes(tables)
        identifier = opening.identifier
        objectID = opening.objectID
        model = opening.model
        allocator = KeyAllocator()
    }

    package static let abilities: StoreAbilities = [
        .batches, .snapshots, .uniqueness, .derivations, .exclusiveWrites, .composites, .severalWriters,
        .microsecondDates,
    ]
    package var abilities: StoreAbilities { Self.abilities }

    /// Returns true if a row identity is one of this store.
    func holds(_ row: RowIdentity) -> Bool { row.storeUUID == identifier }

    func requireOpen() throws {
        if state.withLock({ $0 }) == .closed { throw StoreErrors.notOpen }
    }

    func close() {
        state.withLock { $0 = .closed }
        pool.close()
    }

    // MARK: Statements

    /// Returns the compiled form of a fetch, and the constants of the request.
    func compiled(_ fetch: StoreFetch, _ purpose: FetchStatement.Purpose) throws -> (CompiledFetch, [Any?]) {
        var writer = ShapeWriter(separatesNumbers: true)
        writer.add(Int(purpose.rawValue))
        writer.add(fetch.layout.number)
        writer.add(fetch.shapeFlags)
        if let predicate = fetch.predicate { writer.add(predicate.node) }
        for descriptor in fetch.sortDescriptors {
            let key = descriptor.sortKey
            writer.add(100)
            writer.add(key.key ?? "self")
            writer.add(key.ascending ? 1 : 0)
            writer.add("\(key.comparison)")
        }
        let shape = writer.shape
        if let known = fetches.withLock({ $0[shape] }) { return (known, writer.constants) }
        let made = try CompiledFetch(fetch, purpose, tables)
        fetches.withLock {
            if $0.count >= 1000 { $0.removeAll() }
            $0[shape] = made
        }
        return (made, writer.constants)
    }

    private let selections = Mutex<[Int: RowSelection]>([:])

    /// Returns the columns of whole rows of an entity and its subentities.
    func selection(of layout: EntityLayout) throws -> RowSelection {
        if let known = selections.withLock({ $0[layout.number] }) { return known }
        let made = try RowSelection(of: layout, includesSubentities: true, tables)
        selections.withLock { $0[layout.number] = made }
        return made
    }

    // MARK: Connections

    /// Runs a closure with a connection, and retries it once if the connection turned out to be lost before anything was
    /// received.
    func reading<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try requireOpen()
        let deadline = Deadline(after: options.leaseTimeout)
        for attempt in 0... {
            do {
                return try pool.withConnection(until: deadline, body)
            } catch let error as PostgreSQLError {
                // An idle connection may have been closed by the server or something between.
                guard error.isLoss, attempt < 1 else { throw ServerFailure.error(error, place: pool.settings.place) }
            }
        }
        fatalError("The loop returns or throws.")
    }

    package func session() throws -> any StoreSession {
        try requireOpen()
        return LatestSession(self)
    }

    package func reserveKeys(count: Int, of layout: EntityLayout) throws -> KeyRuns {
        try reserveKeys(count: count, of: layout, on: nil)
    }

    func reserveKeys(count: Int, of layout: EntityLayout, on held: PostgreSQLConnection?) throws -> KeyRuns {
        try requireOpen()
        return try allocator.reserve(count, of: layout.root, self, on: held)
    }
}
#endif
