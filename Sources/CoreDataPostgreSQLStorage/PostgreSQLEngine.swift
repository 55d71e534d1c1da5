#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation
import Synchronization

/// An open store in a PostgreSQL database.
package final class PostgreSQLEngine: StoreEngine, @unchecked Sendable {
    package let layouts: ModelLayouts
    let tables: PostgreSQLTables
    package let pool: ConnectionPool
    /// The connections of snapshots, each of which keeps one.
    let snapshotPool: ConnectionPool
    let retryPolicy = RetryPolicy()
    /// The turns of asynchronous blocks: as many as there are connections.
    private let turns: TaskTurns
    /// The turns of this engine's writers.
    let gate = WriteGate()
    /// The thread that keeps other writers out.
    let holds = Mutex<WriteHold?>(nil)
    /// The store's UUID.
    let identifier: String
    let objectID: (RowReference) -> NSObject
    let options: EngineOptions
    /// The numbers of the entities that the store needs tables for; empty for all.
    private let required: Set<Int>
    let model: (any StoredModel)?
    /// nil for an engine without a store's record.
    let version: KnownVersion?
    let fetches = StatementCache<RequestShape, CompiledFetch>()
    let dictionaryFetches = StatementCache<RequestShape, CompiledDictionaryFetch>()
    let keyedStatements = StatementCache<KeyedStatement, ServerStatement>()
    /// The columns of whole rows, by entity.
    let selections = StatementCache<Int, RowSelection>()
    let writePlans: WritePlans
    let derived: DerivedAttributes
    let allocator = KeyAllocator()
    /// nil for a store that keeps no history.
    let history: ServerHistory?
    private let state = Mutex(State.open)

    private enum State { case open, retired, closed }

    init(
        _ pool: ConnectionPool, _ opening: EngineOpening, _ history: ServerHistory? = nil,
        options: EngineOptions = EngineOptions(), record: StoreRecord? = nil, present: [String: String] = [:]
    ) throws {
        self.pool = pool
        self.history = history
        turns = TaskTurns(count: pool.size)
        snapshotPool =
            pool.isLent ? pool : ConnectionPool(pool.settings, size: Self.highestSnapshotCount, idleSize: 2)
        self.options = options
        layouts = opening.layouts
        tables = PostgreSQLTables(opening.layouts, present: present)
        writePlans = WritePlans(tables)
        derived = try DerivedAttributes(tables)
        identifier = opening.identifier
        objectID = opening.objectID
        required = opening.required
        model = opening.model
        version = record.map { KnownVersion($0, of: opening.model) }
    }

    /// The highest number of snapshots at once.
    package static let highestSnapshotCount = 32

    package static let abilities: StoreAbilities = [
        .batches, .snapshots, .uniqueness, .derivations, .exclusiveWrites, .composites, .severalWriters,
        .microsecondDates, .history, .remoteChanges, .olderPrograms,
    ]
    package var abilities: StoreAbilities { Self.abilities }
    package var taskTurns: TaskTurns? { turns }

    /// Returns true if a row identity is one of this store.
    func holds(_ row: RowIdentity) -> Bool { row.storeUUID == identifier }

    func requireOpen() throws {
        if state.withLock({ $0 }) == .closed { throw StoreErrors.notOpen }
    }

    /// Throws if the store is closed, or another one has taken its place.
    func requireWritable() throws {
        switch state.withLock({ $0 }) {
        case .open: break
        case .retired: throw StoreErrors.retired
        case .closed: throw StoreErrors.notOpen
        }
    }

    package func retiring<Result>(_ copy: () throws -> Result) throws -> Result {
        let session = try exclusiveSession()
        defer { try? session.end() }
        let result = try copy()
        state.withLock { if $0 == .open { $0 = .retired } }
        return result
    }

    func close() {
        state.withLock { $0 = .closed }
        pool.close()
        snapshotPool.close()
    }

    // MARK: Connections

    /// Runs reads over a connection: that of the thread's exclusive session, or one of the pool. Reads over one that
    /// turned out to be lost are run again, once, if nothing was received.
    func reading<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try requireOpen()
        return try translatingErrors {
            if let hold { return try hold.transaction.reading { try Self.computing(body, $0) } }
            do {
                return try readingFromPool(body)
            } catch var error as PostgreSQLError {
                // Nothing was written.
                error.isOutcomeUnknown = false
                throw error
            }
        }
    }

    private func readingFromPool<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        let deadline = Deadline(after: options.leaseTimeout)
        var hasReceived = false
        do {
            return try pool.withConnection(until: deadline) { connection in
                let received = connection.deliveries
                defer { hasReceived = connection.deliveries != received }
                return try Self.computing(body, connection)
            }
        } catch let error as PostgreSQLError where error.isLossInUse && !hasReceived {
            // The server was restarted, or something between has closed what was idle.
            pool.closeIdle()
            return try pool.withConnection(until: deadline) { try Self.computing(body, $0) }
        }
    }

    /// Runs reads, and throws errors of values that the server cannot compute as errors of the request.
    private static func computing<Result>(
        _ body: (PostgreSQLConnection) throws -> Result, _ connection: PostgreSQLConnection
    ) throws -> Result {
        do {
            return try body(connection)
        } catch let error as PostgreSQLError where error.isOfComputation {
            throw UnsupportedQuery.make(
                "PostgreSQL cannot compute a value of the request: \(error.message)",
                advice: "Fetch by other conditions, then filter the result.")
        }
    }

    /// Runs a write over a connection: within the transaction of the thread's exclusive session, which is committed
    /// afterwards, or over a connection of the pool, again after errors that the retry policy knows.
    ///
    /// - Parameter body: Writes everything or throws, and gets true if it is in a transaction already: then it sends no
    ///   `BEGIN`, may send `COMMIT`, and must leave a failed transaction as it is. It may be called several times.
    func writing<Result>(_ body: (PostgreSQLConnection, _ isInTransaction: Bool) throws -> Result) throws -> Result {
        try requireWritable()
        return try translatingErrors {
            if let hold {
                let result = try hold.transaction.committing { try body($0, true) }
                end(hold)
                return result
            }
            try gate.enter(until: Deadline(after: options.lockTimeout))
            defer { gate.leave() }
            return try retryPolicy.retrying { _ in
                do {
                    return try pool.withConnection(until: Deadline(after: options.leaseTimeout)) { try body($0, false) }
                } catch let error as PostgreSQLError where error.isLossInUse {
                    pool.closeIdle()
                    throw error
                }
            }
        }
    }

    /// Runs a closure, and throws its errors of the server as `NSError`s.
    func translatingErrors<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as PostgreSQLError {
            if SchemaCheck.mayExplain(error) {
                if let failure = migrationFailure() ?? schemaFailure(after: error) { throw failure }
            }
            throw ServerFailure.error(error, place: pool.settings.place)
        }
    }

    /// Returns the error that names the table or column that does not fit the model; nil if there is none, or the server cannot
    /// be asked.
    private func schemaFailure(after error: PostgreSQLError) -> NSError? {
        let check = SchemaCheck(tables, required: required)
        func failure(_ connection: PostgreSQLConnection) throws -> NSError? {
            try check.failure(
                on: connection, place: pool.settings.place, underlying: error, until: Deadline(after: 10))
        }
        if let hold { return try? hold.transaction.reading(failure) }
        return try? pool.withConnection(until: Deadline(after: 2), failure)
    }

    /// Throws if a table or column that the model needs is missing or has another type.
    func requireTables() throws {
        let check = SchemaCheck(tables, required: required)
        let failure = try translatingErrors {
            try pool.withConnection(until: Deadline(after: options.leaseTimeout)) {
                try check.failure(
                    on: $0, place: pool.settings.place, until: Deadline(after: options.statementTimeout))
            }
        }
        if let failure { throw failure }
    }

    // MARK: Sessions

    package func session() throws -> any StoreSession {
        try requireOpen()
        return EngineSession(self)
    }

    package func snapshot() throws -> (any StoreSession)? {
        try requireOpen()
        return try translatingErrors { try SnapshotSession(self) }
    }

    package func exclusiveSession() throws -> any StoreSession {
        try requireOpen()
        return EngineSession(self, hold == nil ? try beginHold() : nil)
    }

    // MARK: Writing

    package func reserveKeys(count: Int, of layout: EntityLayout) throws -> KeyRuns {
        try requireOpen()
        return try allocator.reserve(count, of: layout.root, self)
    }
}
#endif
