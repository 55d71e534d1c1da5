import CoreDataRowStorage

/// A persistent store as contexts use it.
package protocol RowStore: NSPersistentStore, StoreEngine {
    /// Runs a request the object graph has no part in: batch insert, update and delete, history.
    func execute(direct request: NSPersistentStoreRequest, for origin: RequestOrigin) throws -> NSPersistentStoreResult
}

extension RowStore {
    /// Rows as dictionaries of the fetch's columns; objects are given by their IDs.
    package func fetchDictionaries(_ fetch: StoreFetch) throws -> [[String: Any]] {
        try fetchDictionaries(fetch) { self.objectID(for: $0) }
    }
}

/// A store that leaves its rows to an engine.
protocol EngineStore: RowStore {
    associatedtype Engine: StoreEngine

    /// - Throws: `NSPersistentStoreOperationError` when the store has not been added yet or was removed.
    var engine: Engine { get throws }
}

extension EngineStore {
    package func fetchRows(_ fetch: StoreFetch, into sink: any RowSink) throws {
        try engine.fetchRows(fetch, into: sink)
    }

    package func fetchReferences(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference> {
        try engine.fetchReferences(fetch)
    }

    package func countRows(_ fetch: StoreFetch) throws -> Int { try engine.countRows(fetch) }

    package func fetchDictionaries(
        _ fetch: StoreFetch, object: @escaping (RowReference) -> Any
    ) throws -> [[String: Any]] {
        try engine.fetchDictionaries(fetch, object: object)
    }

    package func readRows(keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink) throws {
        try engine.readRows(keys: keys, of: layout, into: sink)
    }

    package func readToMany(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64
    ) throws -> ContiguousArray<RowReference> {
        try engine.readToMany(relationship, of: layout, key: key)
    }

    package func readToManyRows(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, keys: ContiguousArray<Int64>,
        into sink: any RowSink, group: (Int64) -> Void
    ) throws {
        try engine.readToManyRows(relationship, of: layout, keys: keys, into: sink, group: group)
    }

    package func reserveKeys(count: Int, of layout: EntityLayout) throws -> Int64 {
        try engine.reserveKeys(count: count, of: layout)
    }

    package func save(_ changes: StoreChanges) throws -> SavedKeys { try engine.save(changes) }

    package func run(_ work: BatchWork) throws -> BatchOutcome { try engine.run(work) }

    package var abilities: StoreAbilities { (try? engine.abilities) ?? [] }

    package func history(_ query: HistoryQuery) throws -> HistoryAnswer { try engine.history(query) }

    package func purgeHistory(before place: HistoryPlace) throws -> Int { try engine.purgeHistory(before: place) }

    package func lastHistoryMark() throws -> HistoryMark? { try engine.lastHistoryMark() }

    package func pin() throws -> (any PinnedState)? { try engine.pin() }

    package func readRowAnew(key: Int64, of layout: EntityLayout, into sink: any RowSink) throws {
        try engine.readRowAnew(key: key, of: layout, into: sink)
    }

    package func retiring<Result>(_ copy: () throws -> Result) throws -> Result { try engine.retiring(copy) }

    package func execute(
        direct request: NSPersistentStoreRequest, for origin: RequestOrigin
    ) throws -> NSPersistentStoreResult {
        let isHistory = request is NSPersistentHistoryChangeRequest
        guard try engine.abilities.contains(isHistory ? .history : .batches) else {
            throw StoreErrors.unsupported(request, by: self)
        }
        if let history = request as? NSPersistentHistoryChangeRequest { return try run(history) }
        guard !isReadOnly else { throw StoreErrors.readOnly(self) }
        guard let layouts, let work = try BatchWork(request, layouts, for: origin) else {
            throw CoreDataError.make(
                NSPersistentStoreUnsupportedRequestTypeError, description: "The store does not know the request.",
                reason: "Unknown command type \(request)")
        }
        return try run(work).result(of: request, in: self)
    }
}
