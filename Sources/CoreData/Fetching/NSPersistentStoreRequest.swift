import Foundation

/// The kinds of requests. Raw values are Apple's.
public enum NSPersistentStoreRequestType: UInt, Sendable {
    /// A fetch: `NSFetchRequest`.
    case fetchRequestType = 1
    /// A save: `NSSaveChangesRequest`.
    case saveRequestType = 2
    /// A batch insert: `NSBatchInsertRequest`.
    case batchInsertRequestType = 5
    /// A batch update: `NSBatchUpdateRequest`.
    case batchUpdateRequestType = 6
    /// A batch delete: `NSBatchDeleteRequest`.
    case batchDeleteRequestType = 7
}

/// The base of all requests from a context to its coordinator. Not thread-safe.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// The stores that the request is sent to; nil for all.
    @exclusivity(unchecked) open var affectedStores: [NSPersistentStore]? { willSet { willEdit() } }

    /// The kind of request.
    open var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// True if the request belongs to an immutable model and must not be changed.
    final var isFrozen = false

    /// Creates a request to all stores.
    public override init() {
        super.init()
    }

    /// Returns an empty request of the same class.
    func makeEmpty() -> NSPersistentStoreRequest { NSPersistentStoreRequest() }

    /// Copies all settings of another request of the same class.
    func assign(from other: NSPersistentStoreRequest) {
        affectedStores = other.affectedStores
    }

    final func willEdit() {
        guard isFrozen else { return }
        fatalError("Can't modify a named fetch request in an immutable model. Copy the request and change the copy.")
    }

    /// Returns a mutable copy.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = makeEmpty()
        copy.assign(from: self)
        return copy
    }
}
