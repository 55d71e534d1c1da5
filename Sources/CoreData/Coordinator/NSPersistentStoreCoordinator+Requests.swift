import Foundation

extension NSPersistentStoreCoordinator {
    /// Executes a request on the stores it names, or on all.
    ///
    /// Call it on the context's queue; contexts do this themselves for ordinary fetches and saves.
    ///
    /// - Returns: For a fetch, the array of results; for a save, which saves the whole context, an empty array; for any other
    ///   request, an array with the result of every store.
    @discardableResult
    public func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        switch request {
        case let fetch as FetchRequestBase: return try context.fetchAny(fetch)
        case is NSSaveChangesRequest:
            try context.save()
            return [Any]()
        default:
            let affected = request.affectedStores ?? []
            let stores = rowStores.filter { store in affected.isEmpty || affected.contains { $0 === store } }
            let origin = RequestOrigin(context)
            return try stores.map { try $0.execute(direct: request, for: origin) }
        }
    }

    /// Completes what migrations postponed. They postpone nothing off Apple, so there is nothing to do.
    public func finishDeferredLightweightMigration() throws {}

    /// Completes one of the steps migrations postponed. They postpone nothing off Apple, so there is nothing to do.
    public func finishDeferredLightweightMigrationTask() throws {}
}
