import Foundation

/// The kind of result of a batch insert. Raw values are Apple's.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// The success of the request: a `Bool`.
    case statusOnly = 0
    /// The IDs of the objects inserted, and of those updated by the merge policy, in the order of the rows:
    /// `[NSManagedObjectID]`.
    case objectIDs = 1
    /// The number of rows inserted or updated: an `Int`.
    case count = 2
}

/// A request to insert many rows in one transaction, without managed objects, validation or notifications.
///
/// Keys of the dictionaries are attribute names; missing attributes get their default values. Relationships cannot be set. The
/// context's merge policy decides about rows that violate a uniqueness constraint: the error policy throws, store trump and
/// rollback keep the existing row, object trump and overwrite update it. SQLite stores only.
///
/// Handlers are called within the transaction: they must not wait for another thread that writes to the same store, which would
/// deadlock.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    /// The rows to insert, if the request was created with rows.
    open var objectsToInsert: [[String: Any]]?

    /// The handler that fills one dictionary per call; returning true ends the request without inserting that dictionary.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?

    /// The handler that fills one object per call; returning true ends the request without inserting that object.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)?

    /// The kind of result; the status by default.
    open var resultType = NSBatchInsertRequestResultType.statusOnly

    open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

    final var target: BatchEntity

    /// The name of the entity to insert.
    open var entityName: String { target.name }

    /// The entity; nil if the request was created with a name and has not been executed.
    open var entity: NSEntityDescription? { target.entity }

    private init(target: BatchEntity) {
        self.target = target
        super.init()
    }

    /// Creates a request without an entity, which cannot be executed.
    public convenience override init() {
        self.init(target: BatchEntity(name: ""))
    }

    /// Creates a request to insert rows.
    public convenience init(entityName: String, objects dictionaries: [[String: Any]]) {
        self.init(target: BatchEntity(name: entityName))
        objectsToInsert = dictionaries
    }

    /// Creates a request to insert rows.
    public convenience init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        self.init(target: BatchEntity(entity))
        objectsToInsert = dictionaries
    }

    /// Creates a request to insert rows that a handler fills one at a time.
    public convenience init(entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        self.init(target: BatchEntity(name: entityName))
        dictionaryHandler = handler
    }

    /// Creates a request to insert rows that a handler fills one at a time.
    public convenience init(
        entity: NSEntityDescription,
        dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
    ) {
        self.init(target: BatchEntity(entity))
        dictionaryHandler = handler
    }

    /// Creates a request to insert rows from an object that a handler fills repeatedly.
    public convenience init(entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        self.init(target: BatchEntity(name: entityName))
        managedObjectHandler = handler
    }

    /// Creates a request to insert rows from an object that a handler fills repeatedly.
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
