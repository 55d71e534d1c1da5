import Foundation

/// The values of one object of an ``NSIncrementalStore``, as returned by the store.
open class NSIncrementalStoreNode: NSObject {
    /// The object that has the values.
    open internal(set) var objectID: NSManagedObjectID
    /// The version of the values, starting with 1 and incremented by every change.
    open internal(set) var version: UInt64
    private final var values: [String: Any]

    /// Creates a node.
    ///
    /// - Parameters:
    ///   - objectID: The object's ID.
    ///   - values: The values by property name: attribute values, object IDs for to-one relationships, `NSNull` for nil.
    ///   - version: The row's version, which every change increments.
    public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        self.objectID = objectID
        self.values = values
        self.version = version
        super.init()
    }

    /// Replaces the values after a save.
    open func update(withValues values: [String: Any], version: UInt64) {
        self.values = values
        self.version = version
    }

    /// Returns the value of a property: nil if the node does not contain it, `NSNull` if it is nil.
    open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }

    /// Creates a node that belongs to no object, for code written against Objective-C's `init`.
    public convenience override init() { self.init(objectID: NSManagedObjectID(), withValues: [:], version: 0) }
}
