import Foundation

// Notifications posted by a context and the keys of their `userInfo`, with Apple's values.

/// The key for inserted objects, a `Set<NSManagedObject>`.
public let NSInsertedObjectsKey = "inserted"
/// The key for updated objects, a `Set<NSManagedObject>`.
public let NSUpdatedObjectsKey = "updated"
/// The key for deleted objects, a `Set<NSManagedObject>`.
public let NSDeletedObjectsKey = "deleted"
/// The key for objects with refreshed or merged values, a `Set<NSManagedObject>`.
public let NSRefreshedObjectsKey = "refreshed"
/// The key for objects that are no longer valid, a `Set<NSManagedObject>`.
public let NSInvalidatedObjectsKey = "invalidated"
/// The key present when all objects of the context became invalid, an `[NSManagedObjectID]`.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// The key for the IDs of inserted objects, a `Set<NSManagedObjectID>`.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// The key for the IDs of updated objects, a `Set<NSManagedObjectID>`.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// The key for the IDs of deleted objects, a `Set<NSManagedObjectID>`.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// The key for the IDs of refreshed objects, a `Set<NSManagedObjectID>`.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// The key for the IDs of invalidated objects, a `Set<NSManagedObjectID>`.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"
/// The key for the `NSPersistentHistoryToken` of a save: its transactions in the histories of the stores it wrote to.
let NSManagedObjectContextChangeTokenKey = "newChangeToken"
/// The key for the `NSQueryGenerationToken` of a save.
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"

extension NSNotification.Name {
    /// The notification that objects of a context changed, posted on the context's queue.
    public static let NSManagedObjectContextObjectsDidChange =
        NSNotification.Name("NSObjectsChangedInManagingContextNotification")
    /// The notification that a context is about to save, posted on the context's queue.
    public static let NSManagedObjectContextWillSave =
        NSNotification.Name("NSManagingContextWillSaveChangesNotification")
    /// The notification that a context has saved, with objects in `userInfo`.
    public static let NSManagedObjectContextDidSave =
        NSNotification.Name("NSManagingContextDidSaveChangesNotification")
    /// The notification that a context has saved, with object IDs in `userInfo`.
    public static let NSManagedObjectContextDidSaveObjectIDs =
        NSNotification.Name("NSManagedObjectContextDidSaveObjectIDsNotification")
    /// The notification that a context has merged another context's changes, with object IDs in `userInfo`.
    public static let NSManagedObjectContextDidMergeChangesObjectIDs =
        NSNotification.Name("NSManagedObjectContextDidMergeChangesObjectIDsNotification")
}

extension NSManagedObjectContext {
    /// The notification posted on the context's queue when objects changed. See ``NotificationKey`` for its contents.
    public static let didChangeObjectsNotification = NSNotification.Name.NSManagedObjectContextObjectsDidChange
    /// The notification posted on the context's queue before a save.
    public static let willSaveObjectsNotification = NSNotification.Name.NSManagedObjectContextWillSave
    /// The notification posted on the context's queue after a save, with the objects.
    public static let didSaveObjectsNotification = NSNotification.Name.NSManagedObjectContextDidSave
    /// The notification posted on the context's queue after a save, with the object IDs.
    public static let didSaveObjectIDsNotification = NSNotification.Name.NSManagedObjectContextDidSaveObjectIDs
    /// The notification posted on the context's queue after a merge, with the object IDs.
    public static let didMergeChangesObjectIDsNotification =
        NSNotification.Name.NSManagedObjectContextDidMergeChangesObjectIDs

    /// The keys of `userInfo` in the context's notifications; raw values are the keys themselves.
    public enum NotificationKey: String, Sendable {
        /// The query generation of a save: an `NSQueryGenerationToken`.
        case queryGeneration = "newQueryGeneration"
        /// The IDs of all objects that were invalidated together: `[NSManagedObjectID]`.
        case invalidatedAllObjects = "invalidatedAll"
        /// The inserted objects: `Set<NSManagedObject>`.
        case insertedObjects = "inserted"
        /// The updated objects: `Set<NSManagedObject>`.
        case updatedObjects = "updated"
        /// The deleted objects: `Set<NSManagedObject>`.
        case deletedObjects = "deleted"
        /// The objects with refreshed or merged values: `Set<NSManagedObject>`.
        case refreshedObjects = "refreshed"
        /// The objects that are no longer valid: `Set<NSManagedObject>`.
        case invalidatedObjects = "invalidated"
        /// The IDs of inserted objects: `Set<NSManagedObjectID>`.
        case insertedObjectIDs = "inserted_objectIDs"
        /// The IDs of updated objects: `Set<NSManagedObjectID>`.
        case updatedObjectIDs = "updated_objectIDs"
        /// The IDs of deleted objects: `Set<NSManagedObjectID>`.
        case deletedObjectIDs = "deleted_objectIDs"
        /// The IDs of refreshed objects: `Set<NSManagedObjectID>`.
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// The IDs of invalidated objects: `Set<NSManagedObjectID>`.
        case invalidatedObjectIDs = "invalidated_objectIDs"
    }
}
