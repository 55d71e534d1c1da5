import Foundation

/// The kind of result of a batch delete. Raw values are Apple's.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// The success of the request: a `Bool`.
    case resultTypeStatusOnly = 0
    /// The IDs of the deleted objects: `[NSManagedObjectID]`.
    case resultTypeObjectIDs = 1
    /// The number of deleted objects: an `Int`.
    case resultTypeCount = 2
}

/// A request to delete many rows in the database, without managed objects, validation or notifications.
///
/// Nullify and cascade rules are applied in the database; the request fails if a deny rule forbids a deletion, or a required
/// inverse would become nil. SQLite stores only.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    /// The objects to delete: predicate, sort descriptors, limit, offset and subentities are considered.
    open internal(set) var fetchRequest: NSFetchRequest<any NSFetchRequestResult>

    /// The kind of result; the status by default.
    open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly

    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    /// Creates a request to delete the objects found by a fetch request.
    ///
    /// Accepts a request with any result type, because generic classes are not covariant off Apple's platforms.
    public init(fetchRequest fetch: FetchRequestBase) {
        fetchRequest = fetch.retyped()
        super.init()
    }

    /// Creates a request to delete objects by ID, all of one entity hierarchy. Traps if there are no IDs.
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

    /// Creates a request without an entity, for code written against Objective-C's `init`.
    public convenience override init() { self.init(fetchRequest: NSFetchRequest<any NSFetchRequestResult>()) }
}
