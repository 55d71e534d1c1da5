import Foundation

/// What a store receives in a save. All sets nil: a save of metadata alone.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    /// Objects to insert.
    open internal(set) var insertedObjects: Set<NSManagedObject>?
    /// Objects to update.
    open internal(set) var updatedObjects: Set<NSManagedObject>?
    /// Objects to delete.
    open internal(set) var deletedObjects: Set<NSManagedObject>?
    /// Objects that must not have changed in the store meanwhile.
    open internal(set) var lockedObjects: Set<NSManagedObject>?

    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

    /// A request to save those objects.
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

    /// A request that saves metadata alone.
    public convenience override init() { self.init(inserted: nil, updated: nil, deleted: nil, locked: nil) }
}
