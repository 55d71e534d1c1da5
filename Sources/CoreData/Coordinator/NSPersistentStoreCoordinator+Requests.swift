import Foundation

extension NSPersistentStoreCoordinator {
    final func executeRequest(_ request: NSPersistentStoreRequest, _ context: NSManagedObjectContext) throws -> Any {
        switch request {
        case let fetch as FetchRequestBase: return try context.fetchAny(fetch)
        case is NSSaveChangesRequest:
            try context.save()
            return [Any]()
        default:
            let affected = request.affectedStores ?? []
            let stores = rowStores.filter { store in affected.isEmpty || affected.contains { $0 === store } }
            let origin = RequestOrigin(context)
            return try stores.map { try context.execute(direct: request, in: $0, for: origin) }
        }
    }

}
