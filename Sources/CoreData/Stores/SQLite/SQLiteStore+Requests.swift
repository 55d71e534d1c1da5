import Foundation

extension SQLiteStore {
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
