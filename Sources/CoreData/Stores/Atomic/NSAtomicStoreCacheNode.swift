import Foundation

/// The values of one object of an ``NSAtomicStore``.
///
/// Attribute values by name; for a to-one relationship the other object's node, for a to-many relationship a set (or, if
/// ordered, an array or ordered set) of nodes. Not thread-safe.
open class NSAtomicStoreCacheNode: NSObject {
    /// The object that has the values.
    open internal(set) var objectID: NSManagedObjectID

    /// The values by property name; nil until something is set.
    open var propertyCache: NSMutableDictionary?

    /// Creates a node without values.
    public init(objectID moid: NSManagedObjectID) {
        objectID = moid
        super.init()
    }

    /// Returns the value of a property, or nil if none is set.
    open func value(forKey key: String) -> Any? { propertyCache?.object(forKey: key) }

    /// Sets the value of a property; nil removes it.
    open func setValue(_ value: Any?, forKey key: String) {
        let cache = propertyCache ?? NSMutableDictionary()
        if let value { cache.setObject(value, forKey: key as NSString) } else { cache.removeObject(forKey: key) }
        propertyCache = cache
    }

    /// Creates a node that belongs to no object, for code written against Objective-C's `init`.
    public convenience override init() { self.init(objectID: NSManagedObjectID()) }
}
