import CoreDataRowStorage
import Foundation

/// The base class of custom stores that load and save individual objects on demand.
///
/// Override ``NSPersistentStore/loadMetadata()``, ``execute(_:with:)``, ``newValuesForObject(with:with:)``,
/// ``newValue(forRelationship:forObjectWith:with:)`` and ``obtainPermanentIDs(for:)``; register the class with
/// ``NSPersistentStoreCoordinator/registerStoreClass(_:forStoreType:)``. All of them are called on the queue of the context
/// that makes the request.
///
/// Off Apple's platforms, fetch requests have the type `NSFetchRequest<any NSFetchRequestResult>`, fetches of object IDs are
/// passed as fetches of objects, and to-one relationships that a node lacks are requested directly after the node.
open class NSIncrementalStore: NSPersistentStore, ObjectStore, StoreSession, @unchecked Sendable {
    private final let keys = ReferenceKeys()

    // MARK: To override

    /// Executes a fetch or a save.
    ///
    /// - Returns: for a fetch, an array of the request's result type: objects (`context.object(with:)` returns one for an ID),
    ///   dictionaries, or one `NSNumber` for a count. For a save, an empty array; the save request's sets are nil if only the
    ///   metadata is to be written. For other requests an `NSPersistentStoreResult`.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        throw notOverridden("execute(_:with:)")
    }

    /// Returns the values for a fault that fires: all attributes, and to-one relationships if they are available.
    ///
    /// - Throws: `NSManagedObjectReferentialIntegrityError` if the object does not exist.
    open func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        throw notOverridden("newValuesForObject(with:with:)")
    }

    /// Returns the destination of a relationship: an object ID or `NSNull`; for a to-many relationship, an array or set of IDs.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        throw notOverridden("newValue(forRelationship:forObjectWith:with:)")
    }

    /// Returns permanent IDs for new objects, in the same order; see ``newObjectID(for:referenceObject:)``.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        throw notOverridden("obtainPermanentIDs(for:)")
    }

    /// Notifies the store that a context has registered objects, for instance as faults of a fetch, so that the back end can
    /// cache their values. Called once for each context and object.
    ///
    /// Off Apple's platforms it is called with one ID at a time, on the context's queue.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// Notifies the store that a context has released objects. Balances a call of
    /// ``managedObjectContextDidRegisterObjects(with:)``.
    ///
    /// Off Apple's platforms it is called with one ID at a time, on the thread that released the object's last reference.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// Returns the identifier of a new store. The default is the text of a new UUID.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    // MARK: Object IDs

    /// Returns the ID of the object with a string or number in the back end. Traps if the entity is not in the store's model.
    open func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
        keys.objectID(for: data, of: entity, in: self)
    }

    /// Returns the string or number of an ID. Traps for IDs of other stores.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any {
        keys.reference(of: objectID, in: self)
    }

    override final var referenceKeys: ReferenceKeys? { keys }

    package override var notesRegistration: Bool { true }

    package override func noteRegistration(of id: NSManagedObjectID) {
        managedObjectContextDidRegisterObjects(with: [id])
    }

    package override func noteUnregistration(of id: NSManagedObjectID) {
        managedObjectContextDidUnregisterObjects(with: [id])
    }

    package override var copiesRows: Bool { false }
    package override var deliversRows: Bool { false }

    // MARK: Keys

    package final func makeKeys(for objects: [NSManagedObject]) throws -> [Int64] {
        let ids = try obtainPermanentIDs(for: objects)
        guard ids.count == objects.count, ids.allSatisfy({ reference(of: $0) != nil }) else {
            throw CoreDataError.make(
                NSPersistentStoreOperationError, description: "New objects cannot be given permanent IDs.",
                reason: "obtainPermanentIDs(for:) must give one ID of this store, made with "
                    + "newObjectID(for:referenceObject:), for each of \(objects.count) objects.",
                userInfo: [NSAffectedStoresErrorKey: [self]])
        }
        return ids.map(\.key)
    }

    package final func reserveKeys(count: Int, of layout: EntityLayout) throws -> KeyRuns {
        throw CoreDataError.make(
            NSPersistentStoreOperationError, description: "The store names its objects itself.",
            reason: "Keys of an incremental store come from obtainPermanentIDs(for:).", entity: layout.name)
    }

    final func objectID(for key: Int64, of layout: EntityLayout) -> NSManagedObjectID {
        let number = keys.entityNumber(of: key, of: layout) ?? layout.number
        return NSManagedObjectID(identity: identity(forEntityNumber: number), key: key)
    }
}
