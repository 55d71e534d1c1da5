import CoreDataRowStorage
import Foundation

extension StoreErrors {
    /// Returns the error for a save or a batch request that would write to a read-only store.
    static func readOnly(_ store: NSPersistentStore) -> NSError {
        var userInfo: [String: Any] = [NSAffectedStoresErrorKey: [store]]
        if let url = store.url {
            userInfo[NSURLErrorKey] = url
            userInfo[NSFilePathErrorKey] = url.path
        }
        return CoreDataError.make(
            CocoaError.fileWriteNoPermission.rawValue,
            description: "The changes could not be saved, because the store is read-only.",
            reason:
                "The store at \(store.url?.path ?? "?") was opened with NSReadOnlyPersistentStoreOption, or was set to "
                + "be read-only.",
            advice:
                "Open the store without NSReadOnlyPersistentStoreOption, or assign new objects to a writable store with "
                + "NSManagedObjectContext.assign(_:to:).",
            userInfo: userInfo)
    }

    /// Returns the error for a save of changes to a store that was removed from its coordinator.
    static func removed(_ store: NSPersistentStore, entity: String) -> NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError,
            description: "The changes could not be saved, because their store was removed from its coordinator.",
            reason: "\(store) was removed before they were written, by a hook, an observer or another thread.",
            advice: "Remove stores when no save is under way. Add the store again and repeat the changes.",
            entity: entity, userInfo: [NSAffectedStoresErrorKey: [store]])
    }

    static func unsupported(_ request: NSPersistentStoreRequest, by store: NSPersistentStore) -> NSError {
        CoreDataError.make(
            NSPersistentStoreUnsupportedRequestTypeError,
            description: "The store does not know requests of the class \(type(of: request)).",
            reason: "\(store) cannot execute batch and history requests; SQLite stores can.",
            advice: "Change objects in a context and save it.", userInfo: [NSAffectedStoresErrorKey: [store]])
    }
}
