import Foundation

/// Errors common to several kinds of stores.
package enum StoreErrors {
    /// The error for using a store before it is added or after it is removed.
    package static var notOpen: NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError, description: "The store is not open.",
            reason: "It was removed from its coordinator, or has not been added yet.")
    }

    /// The error for a request to a session that has ended.
    package static var sessionEnded: NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError, description: "The store cannot be asked any more.",
            reason: "The session that it was asked in has ended.")
    }

    /// The error for a write to a read snapshot.
    package static var snapshotIsWritten: NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError, description: "A snapshot of a store cannot be written to.",
            reason: "It shows the store as it was, whatever is written meanwhile.")
    }

    /// The error for a save to a store after its rows were copied to its replacement.
    package static var retired: NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError,
            description: "The changes could not be saved to a store that was migrated.",
            reason: "The store's rows were copied to another store, which took its place while the save was under way.",
            advice: "Save again: the objects belong to the other store now.")
    }

    /// The error for a fetch that exceeded its time limit.
    package static var deadlinePassed: NSError {
        CoreDataError.make(
            NSPersistentStoreTimeoutError, description: "The fetch took longer than it may.",
            reason: "The store had not found and read all rows when the time given for it was up.",
            advice: "Ask for less at a time, with a limit or by properties that have an index, or allow more time.")
    }

    /// Returns the error for an operation that an engine does not support.
    package static func unsupported(_ what: String) -> NSError {
        CoreDataError.make(
            NSPersistentStoreUnsupportedRequestTypeError, description: "The store cannot execute \(what).",
            advice: "Change objects in a context and save it.")
    }

    /// Returns the error for a request for which Apple's framework raises an exception.
    package static func invalidRequest(_ reason: String, entity: String? = nil, key: String? = nil) -> NSError {
        CoreDataError.make(
            NSCoreDataError, description: "The fetch request cannot be executed.", reason: reason,
            entity: entity, key: key)
    }
}
