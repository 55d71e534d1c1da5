import CoreDataRowStorage
import Foundation

/// The base class of stores that load and save piece by piece, on a back end of your own.
///
/// Override ``NSPersistentStore/loadMetadata()``, ``execute(_:with:)``, ``newValuesForObject(with:with:)``,
/// ``newValue(forRelationship:forObjectWith:with:)`` and ``obtainPermanentIDs(for:)``; register the class with
/// ``NSPersistentStoreCoordinator/registerStoreClass(_:forStoreType:)``. All of them are called on the queue of the context
/// they are called for.
///
/// Off Apple, a fetch request arrives as `NSFetchRequest<any NSFetchRequestResult>`, object IDs are asked for as objects, and
/// to-one relationships missing in a node are asked for as soon as the node is.
open class NSIncrementalStore: NSPersistentStore, ObjectStore, StoreSession, @unchecked Sendable {
    private final let keys = ReferenceKeys()

    // MARK: To override

    /// Executes a fetch or a save.
    ///
    /// - Returns: For a fetch an array of what its result type says: objects (`context.object(with:)` gives one for an ID),
    ///   dictionaries, or one `NSNumber` for a count. For a save, an empty array; its sets are nil when only the metadata is
    ///   to be written. For other requests an `NSPersistentStoreResult`.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        throw notOverridden("execute(_:with:)")
    }

    /// The values of an object whose fault fires: all attributes, and to-one relationships if they are at hand.
    ///
    /// - Throws: `NSManagedObjectReferentialIntegrityError` when there is no such object (any more).
    open func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        throw notOverridden("newValuesForObject(with:with:)")
    }

    /// What a relationship leads to: an object ID or `NSNull`, or for a to-many relationship an array or set of object IDs.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        throw notOverridden("newValue(forRelationship:forObjectWith:with:)")
    }

    /// Permanent IDs for new objects, in the same order; see ``newObjectID(for:referenceObject:)``.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        throw notOverridden("obtainPermanentIDs(for:)")
    }

    /// A context has taken up objects, for instance as faults of a fetch: a back end may keep their values at hand from now
    /// on. Called for each context.
    ///
    /// Off Apple it is called with one ID at a time, on the queue of the context.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// A context has let go of objects: every call undoes one of ``managedObjectContextDidRegisterObjects(with:)``.
    ///
    /// Off Apple it is called with one ID at a time, on whatever thread the last reference to the object was dropped.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// The identifier of a new store; a new UUID's text unless overridden.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    // MARK: Object IDs

    /// The ID of the object a text or number stands for in the back end.
    open func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
        keys.objectID(for: data, of: entity, in: self)
    }

    /// The text or number given for an ID. Traps for IDs of other stores.
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
