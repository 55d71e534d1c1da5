import Foundation

/// A property with the results of a fetch request as its value: read-only, evaluated on first access, never stored.
///
/// The request's predicate may use `$FETCH_SOURCE` (the object that has the property) and `$FETCHED_PROPERTY` (this
/// description).
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
    /// The request that returns the property's value.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { willSet { willEdit() } }

    /// Creates an editable fetched property without a request.
    public override init() {
        super.init()
        isTransient = true
        isReadOnly = true
    }

    override func makeEmpty() -> NSPropertyDescription { NSFetchedPropertyDescription() }

    override func assign(from other: NSPropertyDescription) {
        super.assign(from: other)
        guard let other = other as? NSFetchedPropertyDescription else { return }
        fetchRequest = other.fetchRequest?.copy() as? NSFetchRequest<any NSFetchRequestResult>
    }

    override func isSame(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSFetchedPropertyDescription, super.isSame(as: other) else { return false }
        return fetchRequest == other.fetchRequest
    }
}
