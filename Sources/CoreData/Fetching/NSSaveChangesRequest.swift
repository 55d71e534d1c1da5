import Foundation

/// The changes that a store receives in a save. All sets are nil if only metadata is saved.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    /// The objects to insert.
    open internal(set) var insertedObjects: Set<NSManagedObject>?
    /// The objects to update.
    open internal(set) var updatedObjects: Set<NSManagedObject>?
    /// The objects to delete.
    open internal(set) var deletedObjects: Set<NSManagedObject>?
    /// The objects to check for conflicts: they must not have changed in the store.
    open internal(set) var lockedObjects: Set<NSManagedObject>?

    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

    /// Creates a request to save objects.
    public init(
        inserted insertedObjects: Set<NSManagedObject>?,
        updated updatedObjects: Set<NSManagedObject>?,
        deleted deletedObjects: Set<NSManagedObject>?,
        locked lockedObjects: Set<NSManagedObject>?
    ) {
        self.insertedObjects = insertedObjects
        self.updatedObjects = updatedObjects
        self.deletedObjects = deletedObjects
        self.lockedObjects = lockedObjects
        super.init()
    }

    override func makeEmpty() -> NSPersistentStoreRequest {
        NSSaveChangesRequest(
            inserted: insertedObjects, updated: updatedObjects, deleted: deletedObjects, locked: lockedObjects)
    }

    /// Creates a request to save metadata only.
    public convenience override init() { self.init(inserted: nil, updated: nil, deleted: nil, locked: nil) }
}
