import Foundation

extension SQLiteStore {
    func fetchRows(_ fetch: StoreFetch, into sink: any RowSink) throws { try engine.fetchRows(fetch, into: sink) }

    func fetchReferences(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference> {
        try engine.fetchReferences(fetch)
    }

    func countRows(_ fetch: StoreFetch) throws -> Int { try engine.countRows(fetch) }

    func fetchDictionaries(_ fetch: StoreFetch) throws -> [[String: Any]] {
        var run = DictionaryFetch(fetch, try engine) { self.objectID(for: $0) }
        return try run.run()
    }

    func execute(
        direct request: NSPersistentStoreRequest, for origin: RequestOrigin
    ) throws -> NSPersistentStoreResult {
        if let history = request as? NSPersistentHistoryChangeRequest {
            if isReadOnly, case .delete = history.operation { throw StoreErrors.readOnly(self) }
            return try HistoryRequests(engine: engine, store: self).run(history)
        }
        guard !isReadOnly else { throw StoreErrors.readOnly(self) }
        return try telling { try BatchRequests(engine: engine, store: self, origin: origin).run(request) }
    }
}
