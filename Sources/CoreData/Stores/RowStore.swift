import CoreDataRowStorage

/// A persistent store as used by contexts: an engine, with saves and requests of the object graph.
package protocol RowStore: NSPersistentStore, StoreEngine {
    /// Writes all changes in one transaction or none.
    ///
    /// - Parameter session: a session of this store that can write.
    /// - Throws: the errors of ``StoreSession/save(_:)``.
    func save(_ changes: StoreChanges, in session: any StoreSession) throws -> SavedKeys
    /// Runs a request that does not involve the object graph: batch insert, update and delete, history.
    func execute(
        direct request: NSPersistentStoreRequest, in session: any StoreSession, for origin: RequestOrigin
    ) throws -> NSPersistentStoreResult
}

extension NSPersistentStore {
    /// Whether the store supports batch requests, as databases do.
    package final var takesBatchRequests: Bool { rowStore?.abilities.contains(.batches) ?? false }
}

extension NSPersistentStoreCoordinator {
    /// Whether all stores allow concurrent saves.
    package final var letsSeveralSave: Bool {
        let stores = rowStores
        return !stores.isEmpty && stores.allSatisfy { $0.abilities.contains(.severalWriters) }
    }
}

extension StoreSession {
    /// Returns rows as dictionaries of the fetch's columns; objects are represented by their IDs.
    func fetchDictionaries(_ fetch: StoreFetch, of store: any RowStore) throws -> [[String: Any]] {
        try fetchDictionaries(fetch) { store.objectID(for: $0) }
    }
}

/// A store that delegates its rows to an engine.
protocol EngineStore: RowStore {
    associatedtype Engine: StoreEngine

    /// The engine.
    ///
    /// - Throws: `NSPersistentStoreOperationError` if the store has not been added yet or was removed.
    var engine: Engine { get throws }

    /// Whether the engine's results are checked against the contract; false for engines covered by the contract's tests.
    var checksAnswers: Bool { get }

    /// Runs a batch operation.
    ///
    /// - Throws: the errors of ``StoreSession/run(_:)``.
    func run(_ work: BatchWork, in session: any StoreSession) throws -> BatchOutcome
}

extension EngineStore {
    package var abilities: StoreAbilities { (try? engine.abilities) ?? [] }
    package var taskTurns: TaskTurns? { (try? engine)?.taskTurns }

    var checksAnswers: Bool { true }

    package func session() throws -> any StoreSession { checked(try engine.session()) }

    package func snapshot() throws -> (any StoreSession)? { try engine.snapshot().map(checked) }

    package func exclusiveSession() throws -> any StoreSession { checked(try engine.exclusiveSession()) }

    private func checked(_ session: any StoreSession) -> any StoreSession {
        guard checksAnswers, let layouts else { return session }
        return CheckedSession(session, layouts, of: "\(Swift.type(of: self))")
    }

    package func reserveKeys(count: Int, of layout: EntityLayout) throws -> KeyRuns {
        let keys = try engine.reserveKeys(count: count, of: layout)
        if checksAnswers { try CheckedSession.check(keys, count: count, of: layout, from: "\(Swift.type(of: self))") }
        return keys
    }

    package func retiring<Result>(_ copy: () throws -> Result) throws -> Result { try engine.retiring(copy) }

    package func save(_ changes: StoreChanges, in session: any StoreSession) throws -> SavedKeys {
        try session.save(changes)
    }

    package func run(_ work: BatchWork, in session: any StoreSession) throws -> BatchOutcome { try session.run(work) }

    package func execute(
        direct request: NSPersistentStoreRequest, in session: any StoreSession, for origin: RequestOrigin
    ) throws -> NSPersistentStoreResult {
        let isHistory = request is NSPersistentHistoryChangeRequest
        guard try engine.abilities.contains(isHistory ? .history : .batches) else {
            throw StoreErrors.unsupported(request, by: self)
        }
        if let history = request as? NSPersistentHistoryChangeRequest { return try run(history, in: session) }
        guard !isReadOnly else { throw StoreErrors.readOnly(self) }
        guard let layouts, let work = try BatchWork(request, layouts, for: origin) else {
            throw CoreDataError.make(
                NSPersistentStoreUnsupportedRequestTypeError, description: "The store does not know the request.",
                reason: "Unknown command type \(request)")
        }
        return try run(work, in: session).result(of: request, in: self)
    }
}
