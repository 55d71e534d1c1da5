import Foundation

// Notifications a context posts and the keys of their `userInfo`, with Apple's values.

/// Objects inserted: `Set<NSManagedObject>`.
public let NSInsertedObjectsKey = "inserted"
/// Objects updated: `Set<NSManagedObject>`.
public let NSUpdatedObjectsKey = "updated"
/// Objects deleted: `Set<NSManagedObject>`.
public let NSDeletedObjectsKey = "deleted"
/// Objects whose values were refreshed or merged: `Set<NSManagedObject>`.
public let NSRefreshedObjectsKey = "refreshed"
/// Objects that are no longer valid: `Set<NSManagedObject>`.
public let NSInvalidatedObjectsKey = "invalidated"
/// All objects of the context are invalid: `[NSManagedObjectID]`.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// IDs of inserted objects: `Set<NSManagedObjectID>`.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// IDs of updated objects: `Set<NSManagedObjectID>`.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// IDs of deleted objects: `Set<NSManagedObjectID>`.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// IDs of refreshed objects: `Set<NSManagedObjectID>`.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// IDs of invalidated objects: `Set<NSManagedObjectID>`.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"
/// `NSPersistentHistoryToken` of a save: where its transactions are in the histories of the stores it wrote to.
let NSManagedObjectContextChangeTokenKey = "newChangeToken"
/// `NSQueryGenerationToken` of a save.
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"

extension NSNotification.Name {
    /// Objects of a context changed.
    public static let NSManagedObjectContextObjectsDidChange =
        NSNotification.Name("NSObjectsChangedInManagingContextNotification")
    /// A context is about to save.
    public static let NSManagedObjectContextWillSave =
        NSNotification.Name("NSManagingContextWillSaveChangesNotification")
    /// A context has saved; `userInfo` holds objects.
    public static let NSManagedObjectContextDidSave =
        NSNotification.Name("NSManagingContextDidSaveChangesNotification")
    /// A context has saved; `userInfo` holds object IDs.
    public static let NSManagedObjectContextDidSaveObjectIDs =
        NSNotification.Name("NSManagedObjectContextDidSaveObjectIDsNotification")
    /// A context has merged another one's changes; `userInfo` holds object IDs.
    public static let NSManagedObjectContextDidMergeChangesObjectIDs =
        NSNotification.Name("NSManagedObjectContextDidMergeChangesObjectIDsNotification")
}

extension NSManagedObjectContext {
    /// Posted on the context's queue when objects changed. See `NotificationKey` for the contents.
    public static let didChangeObjectsNotification = NSNotification.Name.NSManagedObjectContextObjectsDidChange
    /// Posted on the context's queue before a save.
    public static let willSaveObjectsNotification = NSNotification.Name.NSManagedObjectContextWillSave
    /// Posted on the context's queue after a save, with the objects.
    public static let didSaveObjectsNotification = NSNotification.Name.NSManagedObjectContextDidSave
    /// Posted on the context's queue after a save, with the object IDs.
    public static let didSaveObjectIDsNotification = NSNotification.Name.NSManagedObjectContextDidSaveObjectIDs
    /// Posted on the context's queue after a merge, with the object IDs.
    public static let didMergeChangesObjectIDsNotification =
        NSNotification.Name.NSManagedObjectContextDidMergeChangesObjectIDs

    /// Keys of `userInfo` in the context's notifications; raw values are the keys themselves.
    public enum NotificationKey: String, Sendable {
        /// `NSQueryGenerationToken`
        case queryGeneration = "newQueryGeneration"
        /// `[NSManagedObjectID]`
        case invalidatedAllObjects = "invalidatedAll"
        /// `Set<NSManagedObject>`
        case insertedObjects = "inserted"
        /// `Set<NSManagedObject>`
        case updatedObjects = "updated"
        /// `Set<NSManagedObject>`
        case deletedObjects = "deleted"
        /// `Set<NSManagedObject>`
        case refreshedObjects = "refreshed"
        /// `Set<NSManagedObject>`
        case invalidatedObjects = "invalidated"
        /// `Set<NSManagedObjectID>`
        case insertedObjectIDs = "inserted_objectIDs"
        /// `Set<NSManagedObjectID>`
        case updatedObjectIDs = "updated_objectIDs"
        /// `Set<NSManagedObjectID>`
        case deletedObjectIDs = "deleted_objectIDs"
        /// `Set<NSManagedObjectID>`
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// `Set<NSManagedObjectID>`
        case invalidatedObjectIDs = "invalidated_objectIDs"
    }
}
