import Foundation

/// What a batch delete gives. Raw values are Apple's.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// Whether it succeeded: `Bool`.
    case resultTypeStatusOnly = 0
    /// The IDs of the deleted objects: `[NSManagedObjectID]`.
    case resultTypeObjectIDs = 1
    /// Their number: `Int`.
    case resultTypeCount = 2
}

/// A request to delete many rows in the database, without managed objects, validation or notifications.
///
/// Nullify and cascade rules are applied in the database; a deny rule or a required inverse that would break makes the
/// request fail. SQLite stores only.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    /// What to delete: predicate, sorting, limit, offset and subentities count.
    open internal(set) var fetchRequest: NSFetchRequest<any NSFetchRequestResult>

    /// What executing the request gives; the status unless set.
    open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly

    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    /// A request to delete what a fetch finds.
    ///
    /// Takes a request of any result type: generic classes do not convert into each other off Apple.
    public init(fetchRequest fetch: FetchRequestBase) {
        fetchRequest = fetch.retyped()
        super.init()
    }

    /// A request to delete the objects of those IDs, all of one inheritance of entities. No IDs at all trap.
    public init(objectIDs objects: [NSManagedObjectID]) {
        guard let first = objects.first else {
            fatalError("A batch delete needs at least one object ID.")
        }
        fetchRequest = NSFetchRequest()
        fetchRequest.entity = first.entity.rootEntity
        fetchRequest.predicate = NSPredicate(format: "SELF IN %@", argumentArray: [objects])
        super.init()
    }

    private init(copying other: NSBatchDeleteRequest) {
        fetchRequest = (other.fetchRequest.copy() as? NSFetchRequest<any NSFetchRequestResult>) ?? other.fetchRequest
        super.init()
    }

    override func makeEmpty() -> NSPersistentStoreRequest { NSBatchDeleteRequest(copying: self) }

    override func assign(from other: NSPersistentStoreRequest) {
        super.assign(from: other)
        if let other = other as? NSBatchDeleteRequest { resultType = other.resultType }
    }

    /// A request without an entity, for code written against Objective-C's `init`.
    public convenience override init() { self.init(fetchRequest: NSFetchRequest<any NSFetchRequestResult>()) }
}
