import CoreDataRowStorage

// The errors of a save before it reaches a store. Apple's framework raises exceptions for some of these.

extension NSManagedObjectContext {
    /// The code of a recursive save, which has no name in Apple's framework.
    private static let recursiveSaveCode = 132_001

    /// The error of a save from within a save of the same context.
    static var recursiveSave: NSError {
        CoreDataError.make(
            recursiveSaveCode, description: "The context is being saved already.",
            reason: "attempt to recursively call -save: on the context aborted",
            advice:
                "Do not save a context from its willSave() or validation methods, or from observers of its will-save "
                + "notification: what they change is part of the running save.",
            userInfo: ["message": "attempt to recursively call -save: on the context aborted"])
    }

    /// Returns the error for objects that change whenever they are about to be saved.
    ///
    /// - Parameter objects: The objects that changed last.
    static func endlessChanges(of objects: ContiguousArray<NSManagedObject>) -> NSError {
        let names = Set(objects.map(\.layout.name)).sorted().joined(separator: ", ")
        return CoreDataError.make(
            NSCoreDataError, description: "The context cannot be saved: its objects change without end.",
            reason: "Failed to process pending changes before save. The context is still dirty after 1000 attempts. "
                + "Typically this recursive dirtying is caused by a bad validation method, -willSave, or notification "
                + "handler. Changed last: \(names).",
            advice: "Compare before setting values in willSave(), or use primitive values there.",
            entity: objects.first?.layout.name,
            userInfo: [NSAffectedObjectsErrorKey: Array(objects.prefix(100))])
    }

    /// The error of a save through a coordinator without stores.
    static var noStores: NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError, description: "The changes cannot be saved: there is no store.",
            reason: "This NSPersistentStoreCoordinator has no persistent stores. It cannot perform a save operation.",
            advice: "Add a store first.")
    }
}
