import CoreData

/// The source of a ``ContextWatcher``'s values. Every function is called on the context's queue.
class WatchedSource<Value> {
    /// Whether changes of rows outside the context affect the value.
    var watchesStores: Bool { false }

    /// Analyzes the query, once.
    func prepare(in context: NSManagedObjectContext) throws {}

    /// Notes changes of the context's objects. Returns whether they may affect the value.
    func noteChanges(_ userInfo: [AnyHashable: Any]) -> Bool { false }

    /// Notes that the context has saved. Returns whether this may affect the value.
    func noteSave() -> Bool { false }

    /// Notes that rows of these entities have changed in the stores. Returns whether this may affect the value.
    func noteRows(of entities: Set<NSEntityDescription>) -> Bool { false }

    /// Applies the noted changes, or reads everything at first. Returns whether there may be a new value.
    func update(in context: NSManagedObjectContext) throws -> Bool { false }

    /// True if the last update found that no further value can follow.
    var isOver: Bool { false }

    /// Returns the value of the latest state; nil if it was delivered already.
    func take() throws -> Value? { nil }
}

/// The contents of a context's notification about its changes.
enum ChangedObjects {
    /// Returns the objects that were inserted, changed, deleted or refreshed.
    static func all(in userInfo: [AnyHashable: Any]) -> some Sequence<NSManagedObject> {
        keys.lazy.flatMap { userInfo[$0] as? Set<NSManagedObject> ?? [] }
    }

    /// Returns whether an object was inserted, changed, deleted or refreshed. Does not look at the other objects.
    static func contain(_ object: NSManagedObject, in userInfo: [AnyHashable: Any]) -> Bool {
        keys.contains { (userInfo[$0] as? Set<NSManagedObject>)?.contains(object) ?? false }
    }

    private static let keys = [
        NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey,
        NSInvalidatedObjectsKey,
    ]
}
