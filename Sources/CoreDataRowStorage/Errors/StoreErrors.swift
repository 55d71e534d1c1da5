import Foundation

/// Errors several kinds of stores have in common.
package enum StoreErrors {
    /// A store that is used before it was added, or after it was removed.
    package static var notOpen: NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError, description: "The store is not open.",
            reason: "It was removed from its coordinator, or has not been added yet.")
    }

    /// A question to a session that has ended.
    package static var sessionEnded: NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError, description: "The store cannot be asked any more.",
            reason: "The session that it was asked in has ended.")
    }

    /// A write to a state that is read while others write.
    package static var snapshotIsWritten: NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError, description: "A snapshot of a store cannot be written to.",
            reason: "It shows the store as it was, whatever is written meanwhile.")
    }

    /// A save to a store whose rows have gone to another one.
    package static var retired: NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError,
            description: "The changes could not be saved to a store that was migrated.",
            reason: "The store's rows were copied to another store, which took its place while the save was under way.",
            advice: "Save again: the objects belong to the other store now.")
    }

    /// A fetch that was not through when its time was up.
    package static var deadlinePassed: NSError {
        CoreDataError.make(
            NSPersistentStoreTimeoutError, description: "The fetch took longer than it may.",
            reason: "The store had not found and read all rows when the time given for it was up.",
            advice: "Ask for less at a time, with a limit or by properties that have an index, or allow more time.")
    }

    /// What an engine is asked for that it does not do.
    package static func unsupported(_ what: String) -> NSError {
        CoreDataError.make(
            NSPersistentStoreUnsupportedRequestTypeError, description: "The store cannot execute \(what).",
            advice: "Change objects in a context and save it.")
    }

    /// What Apple raises as an exception.
    package static func invalidRequest(_ reason: String, entity: EntityLayout? = nil, key: String? = nil) -> NSError {
        CoreDataError.make(
            NSCoreDataError, description: "The fetch request cannot be executed.", reason: reason,
            entity: entity?.name, key: key)
    }
}
