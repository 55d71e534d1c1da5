import Foundation

/// Kinds of requests. Raw values are Apple's.
public enum NSPersistentStoreRequestType: UInt, Sendable {
    /// `NSFetchRequest`.
    case fetchRequestType = 1
    /// `NSSaveChangesRequest`.
    case saveRequestType = 2
    /// `NSBatchInsertRequest`.
    case batchInsertRequestType = 5
    /// `NSBatchUpdateRequest`.
    case batchUpdateRequestType = 6
    /// `NSBatchDeleteRequest`.
    case batchDeleteRequestType = 7
}

/// What a context asks its coordinator for: the base of all requests. Not thread-safe.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// The stores to ask; nil means all.
    @exclusivity(unchecked) open var affectedStores: [NSPersistentStore]? { willSet { willEdit() } }

    /// The kind of request.
    open var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// Whether the request belongs to a frozen model and must not change.
    final var isFrozen = false

    /// A request to all stores.
    public override init() {
        super.init()
    }

    /// An empty request of the same class.
    func makeEmpty() -> NSPersistentStoreRequest { NSPersistentStoreRequest() }

    /// Takes over everything another request of the same class says.
    func assign(from other: NSPersistentStoreRequest) {
        affectedStores = other.affectedStores
    }

    final func willEdit() {
        guard isFrozen else { return }
        fatalError("Can't modify a named fetch request in an immutable model. Copy the request and change the copy.")
    }

    /// A copy that may be changed.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = makeEmpty()
        copy.assign(from: self)
        return copy
    }
}
