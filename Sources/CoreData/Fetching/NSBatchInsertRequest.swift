import Foundation

/// What a batch insert gives. Raw values are Apple's.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// Whether it succeeded: `Bool`.
    case statusOnly = 0
    /// The IDs of the objects inserted, and of those overwritten by the merge policy, in the order of the rows given:
    /// `[NSManagedObjectID]`.
    case objectIDs = 1
    /// How many rows were inserted or overwritten: `Int`.
    case count = 2
}

/// A request to insert many rows in one transaction, without managed objects, validation or notifications.
///
/// Keys of the dictionaries are attribute names; attributes left out get their default values. Relationships cannot be
/// set. Rows that violate a uniqueness constraint are treated by the context's merge policy: an error throws, store
/// trump and rollback keep the existing row, object trump and overwrite update it. SQLite stores only.
///
/// Handlers are called within the transaction: they must not wait for another thread that writes to the same store, which
/// waits for them.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    /// The rows to insert, for requests made with them.
    open var objectsToInsert: [[String: Any]]?

    /// Fills one dictionary per call; true ends the insert, that last dictionary not being inserted.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?

    /// Fills one object per call; true ends the insert, that last object not being inserted.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)?

    /// What executing the request gives; the status unless set.
    open var resultType = NSBatchInsertRequestResultType.statusOnly

    open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

    final var target: BatchEntity

    /// Name of the entity to insert into.
    open var entityName: String { target.name }

    /// The entity; nil while a request made with a name has not been executed.
    open var entity: NSEntityDescription? { target.entity }

    private init(target: BatchEntity) {
        self.target = target
        super.init()
    }

    /// A request without an entity, of no use until it has one.
    public convenience override init() {
        self.init(target: BatchEntity(name: ""))
    }

    /// A request to insert the given rows.
    public convenience init(entityName: String, objects dictionaries: [[String: Any]]) {
        self.init(target: BatchEntity(name: entityName))
        objectsToInsert = dictionaries
    }

    /// A request to insert the given rows.
    public convenience init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        self.init(target: BatchEntity(entity))
        objectsToInsert = dictionaries
    }

    /// A request to insert rows that a closure fills in one at a time.
    public convenience init(entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        self.init(target: BatchEntity(name: entityName))
        dictionaryHandler = handler
    }

    /// A request to insert rows that a closure fills in one at a time.
    public convenience init(
        entity: NSEntityDescription,
        dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
    ) {
        self.init(target: BatchEntity(entity))
        dictionaryHandler = handler
    }

    /// A request to insert rows from an object that a closure fills in again and again.
    public convenience init(entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        self.init(target: BatchEntity(name: entityName))
        managedObjectHandler = handler
    }

    /// A request to insert rows from an object that a closure fills in again and again.
    public convenience init(
        entity: NSEntityDescription,
        managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
    ) {
        self.init(target: BatchEntity(entity))
        managedObjectHandler = handler
    }

    override func makeEmpty() -> NSPersistentStoreRequest { NSBatchInsertRequest() }

    override func assign(from other: NSPersistentStoreRequest) {
        super.assign(from: other)
        guard let other = other as? NSBatchInsertRequest else { return }
        target = other.target
        objectsToInsert = other.objectsToInsert
        dictionaryHandler = other.dictionaryHandler
        managedObjectHandler = other.managedObjectHandler
        resultType = other.resultType
    }
}
