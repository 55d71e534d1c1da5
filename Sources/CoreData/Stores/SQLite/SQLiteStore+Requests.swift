import Foundation

extension SQLiteStore {
    func run(_ work: BatchWork) throws -> BatchOutcome { try telling { try engine.run(work) } }

    func execute(
        direct request: NSPersistentStoreRequest, for origin: RequestOrigin
    ) throws -> NSPersistentStoreResult {
        if let history = request as? NSPersistentHistoryChangeRequest {
            if isReadOnly, case .delete = history.operation { throw StoreErrors.readOnly(self) }
            return try HistoryRequests(engine: engine, store: self).run(history)
        }
        guard !isReadOnly else { throw StoreErrors.readOnly(self) }
        guard let work = try BatchWork(request, engine.layouts, for: origin) else {
            throw CoreDataError.make(
                NSPersistentStoreUnsupportedRequestTypeError, description: "The store does not know the request.",
                reason: "Unknown command type \(request)")
        }
        return try run(work).result(of: request, in: self)
    }
}
