import CoreData

/// What a ``ContextWatcher`` makes values of. Everything is called on the context's queue.
class WatchedSource<Value> {
    /// Whether changes of rows matter that the context knows nothing of.
    var watchesStores: Bool { false }

    /// Looks through the question, once.
    func prepare(in context: NSManagedObjectContext) throws {}

    /// Notes changes of the context's objects.
    ///
    /// - Returns: whether they matter.
    func noteChanges(_ userInfo: [AnyHashable: Any]) -> Bool { false }

    /// Notes that the context has saved; true if that matters.
    func noteSave() -> Bool { false }

    /// Notes that rows of these entities have changed in the stores; true if that matters.
    func noteRows(of entities: Set<NSEntityDescription>) -> Bool { false }

    /// Takes account of what was noted, the first time of everything; true if that may give a new value.
    func update(in context: NSManagedObjectContext) throws -> Bool { false }

    /// The value of the latest state; nil if that has been told.
    func take() throws -> Value? { nil }
}

/// What a context says about its changes.
enum ChangedObjects {
    /// The objects that were inserted, changed, deleted or read again.
    static func all(in userInfo: [AnyHashable: Any]) -> some Sequence<NSManagedObject> {
        let keys = [
            NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey,
            NSInvalidatedObjectsKey,
        ]
        return keys.lazy.flatMap { userInfo[$0] as? Set<NSManagedObject> ?? [] }
    }
}
