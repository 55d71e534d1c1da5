import Foundation

/// Errors several kinds of stores have in common.
enum StoreErrors {
    static func readOnly(_ store: NSPersistentStore) -> NSError {
        CoreDataError.make(
            NSPersistentStoreSaveError, description: "The store is read-only.",
            reason: "\(store) was added with NSReadOnlyPersistentStoreOption, or was set to be read-only.",
            advice: "Assign new objects to another store with NSManagedObjectContext.assign(_:to:).",
            userInfo: [NSAffectedStoresErrorKey: [store]])
    }

    static func unsupported(_ request: NSPersistentStoreRequest, by store: NSPersistentStore) -> NSError {
        CoreDataError.make(
            NSPersistentStoreUnsupportedRequestTypeError,
            description: "The store does not know requests of the class \(type(of: request)).",
            reason: "\(store) cannot execute batch and history requests; SQLite stores can.",
            advice: "Change objects in a context and save it.", userInfo: [NSAffectedStoresErrorKey: [store]])
    }

    /// What Apple raises as an exception.
    static func invalidRequest(_ reason: String, entity: EntityLayout? = nil, key: String? = nil) -> NSError {
        CoreDataError.make(
            NSCoreDataError, description: "The fetch request cannot be executed.", reason: reason,
            entity: entity?.name, key: key)
    }
}
