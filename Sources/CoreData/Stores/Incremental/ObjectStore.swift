import CoreDataRowStorage
import Foundation

/// A custom store of a program, which exchanges objects with contexts instead of rows.
package protocol ObjectStore: RowStore {
    /// Returns permanent keys for new objects, in the same order.
    func makeKeys(for objects: [NSManagedObject]) throws -> [Int64]
}

extension ObjectStore {
    /// Returns the context that uses the store on this thread. Throws if there is none.
    func servedContext() throws -> NSManagedObjectContext {
        if let coordinator = persistentStoreCoordinator {
            if let current = NSManagedObjectContext.current, current.parent == nil,
                current.persistentStoreCoordinator === coordinator
            {
                return current
            }
            // On the main thread, contexts can be used outside of blocks.
            let candidates = coordinator.liveContexts.filter(\.executor.isCurrent)
            if let found = candidates.first(where: \.saves.isSaving) ?? candidates.first { return found }
        }
        throw CoreDataError.make(
            NSPersistentStoreOperationError, description: "The store can be used through a context only.",
            reason: "\(self) was asked for objects outside of any context's queue.",
            userInfo: [NSAffectedStoresErrorKey: [self]])
    }

    /// Returns the error of a function that the store's class has to override.
    func notOverridden(_ function: String) -> NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError,
            description: "The store class \(Swift.type(of: self)) does not do what it was asked for.",
            reason: "It must override \(function).", userInfo: [NSAffectedStoresErrorKey: [self]])
    }

    /// Returns the row of an object ID, or nil if the ID is temporary or belongs to another store.
    func reference(of id: NSManagedObjectID) -> RowReference? {
        id.identity.store === self && id.key > 0 ? id.reference : nil
    }
}

/// The objects a save writes to one store.
struct SavedObjects {
    private(set) var inserted: Set<NSManagedObject> = []
    private(set) var updated: Set<NSManagedObject> = []
    private(set) var deleted: Set<NSManagedObject> = []
    private(set) var locked: Set<NSManagedObject> = []
    /// Temporary key → permanent key.
    private(set) var keys: [Int64: Int64] = [:]

    /// Finds the objects of the rows of a save, and assigns permanent IDs to the new ones.
    init(_ changes: StoreChanges, in context: NSManagedObjectContext, of store: any ObjectStore) throws {
        var wanted: Set<Int64> = []
        for group in changes.inserts { wanted.formUnion(group.rows.map(\.key)) }
        // Keys of saved rows are unique within an entity hierarchy only; temporary keys are unique in the process.
        let roots = Set(changes.inserts.map { $0.layout.root.number })
        inserted = context.unsavedInserts.filter { wanted.contains($0._key) && roots.contains($0.layout.root.number) }
        updated = context.unsavedUpdates.filter { $0._table?.store === store }
        deleted = context.unsavedDeletes.filter { $0._table?.store === store }
        locked = context.saves.locked.filter { !$0.hasUnsavedChanges && $0._table?.store === store }
        let new = inserted.filter { $0._key < 0 }.sorted { $0._key > $1._key }
        guard !new.isEmpty else { return }
        for (object, key) in zip(new, try store.makeKeys(for: new)) {
            keys[object._key] = key
            context.adoptPermanentKey(key, of: object, in: store)
        }
    }

    /// The new keys in the form that contexts use.
    var savedKeys: SavedKeys {
        guard let low = keys.keys.min(), let high = keys.keys.max() else { return SavedKeys() }
        var saved = SavedKeys(expecting: low...high, count: keys.count)
        for (temporary, key) in keys { saved[temporary] = key }
        return saved
    }
}
