// Invalidating a context's objects when their store is removed from the coordinator.

import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// A store that was removed from a coordinator.
struct StoreRemoval {
    let store: any RowStore
    /// The stores that remain.
    let remaining: StoreSnapshot
    /// The store that replaced it, if there is one.
    var successor: StoreSuccessor?
}

/// The removals queued for a context, which processes them on its queue.
final class StoreRemovals: @unchecked Sendable {
    private let lock = Lock()
    private var removals: [StoreRemoval] = []

    private let isFilled = Atomic<Bool>(false)

    func add(_ removal: StoreRemoval) {
        lock.withLock {
            removals.append(removal)
            isFilled.store(true, ordering: .releasing)
        }
    }

    @inline(__always)
    var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

    var all: [StoreRemoval] { lock.withLock { removals } }

    /// The number of times that unsaved changes were lost with a store.
    private let lossCount = Atomic<Int>(0)

    func noteLoss() { lossCount.wrappingAdd(1, ordering: .releasing) }
    var losses: Int { lossCount.load(ordering: .acquiring) }

    func take() -> [StoreRemoval] {
        lock.withLock {
            isFilled.store(false, ordering: .releasing)
            defer { removals = [] }
            return removals
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// Invalidates the objects of a store in all contexts, child contexts included.
    ///
    /// Contexts on the caller's stack process the removal immediately, others before the next block on their queue. Contexts
    /// not used in blocks are not accessed there: they process it when they next fetch, save, fault or insert. Never blocks.
    final func invalidateObjects(of store: NSPersistentStore) {
        guard let store = store.rowStore else { return }
        let removal = StoreRemoval(store: store, remaining: currentStores)
        for context in liveContexts { context.receive(removal) }
    }

    /// Moves the objects of a store to its successor in all contexts, in the same way.
    final func moveObjects(of store: NSPersistentStore, to successor: StoreSuccessor) {
        guard let store = store.rowStore else { return }
        let removal = StoreRemoval(store: store, remaining: currentStores, successor: successor)
        for context in liveContexts { context.receive(removal) }
    }
}

extension NSManagedObjectContext {
    fileprivate final func receive(_ removal: StoreRemoval) {
        removals.add(removal)
        for child in children.all { child.receive(removal) }
        if executor.isCurrent, !saves.isSaving, !changes.isProcessing {
            executor.asCurrent(self) { handleRemovals() }
        } else if executor.isUsed {
            executor.asyncQuietly { [handle] in
                guard let context = handle.object else { return }
                context.executor.asCurrent(context) {
                    context.handleRemovals()
                    context.processAllPendingChanges()
                }
            }
        }
    }

    /// Invalidates the objects of removed stores, or postpones that during a save.
    @inline(__always)
    final func handleRemovals() {
        // Evaluated for every new object.
        if !removals.isEmpty { actOnRemovals() }
    }

    @inline(never)
    private final func actOnRemovals() {
        guard !saves.isSaving, !changes.isProcessing else { return }
        for removal in removals.take() {
            if let successor = removal.successor {
                moveObjects(from: removal.store, to: successor)
            } else {
                invalidateObjects(removal)
            }
        }
    }

    /// Invalidates the objects of removed stores before a save.
    ///
    /// - Throws: `NSPersistentStoreOperationError` if unsaved changes are lost with a store.
    final func handleRemovalsBeforeSave() throws {
        guard !removals.isEmpty else { return }
        let lost = changeLost(with: removals.all)
        actOnRemovals()
        if let lost { throw lost }
    }

    /// Checks that the stores of all unsaved changes are still there.
    ///
    /// - Throws: `NSPersistentStoreOperationError` if the store of unsaved changes was removed since the save began.
    @inline(__always)
    final func requireStoresOfChanges() throws {
        if !removals.isEmpty, let lost = changeLost(with: removals.all) { throw lost }
    }

    private final func changeLost(with removals: [StoreRemoval]) -> NSError? {
        for removal in removals where removal.successor == nil {
            for object in changes.objects
            where object.hasUnsavedChanges && object._state.life != .discarded && removal.concerns(object) {
                return StoreErrors.removed(removal.store, entity: object.layout.name)
            }
        }
        return nil
    }

    private final func invalidateObjects(_ removal: StoreRemoval) {
        arrivals.lose(removal.store)
        // Changed objects are retained here; others only matter as long as the program retains them.
        let all = registered()
        let gone = all.filter { removal.concerns($0) }
        guard !gone.isEmpty else { return }
        if gone.contains(where: \.hasUnsavedChanges) { removals.noteLoss() }
        undoManager?.removeAllActions()
        let identifiers = Set(gone.map(ObjectIdentifier.init))
        let isGone = { (object: NSManagedObject) in identifiers.contains(ObjectIdentifier(object)) }
        for object in all where object._state.isInserted && !isGone(object) { object.disconnect(isGone) }
        let ids = gone.map(\.identifier)
        for object in changes.event where isGone(object) { object.endEvent() }
        _ = changes.remove(where: isGone)
        _ = arrivals.removeNews(of: isGone)
        for object in gone {
            if object._state.isInserted || object._key < 0 {
                forget(object)
            } else {
                object.move(to: .saved)
                object._state.remove(.deletionReported)
                object.turnIntoFault()
                saves.unlock(object)
            }
        }
        advanceGeneration()
        NotificationCenter.default.post(
            name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: [NSInvalidatedAllObjectsKey: ids])
    }

    /// Returns true if the store of an object was removed.
    final func isLost(_ object: NSManagedObject) -> Bool {
        guard let store = object._table?.store else { return false }
        return arrivals.lostStores.contains { $0 === store }
    }
}

extension NSManagedObjectContext {
    /// The number of times that this context lost unsaved changes with a removed store. May be read on any thread.
    package final var changesLostWithStores: Int { removals.losses }
}

extension StoreRemoval {
    /// Returns true if an object was in the store, or is new and would be saved to it, since no other store accepts it.
    fileprivate func concerns(_ object: NSManagedObject) -> Bool {
        if let own = object._table?.store { return own === store }
        // New here, or passed to the parent as new and without a known permanent ID.
        if let assigned = object._extra?.assignedStore { return assigned === store }
        return remaining.store(forNew: object.layout) == nil
    }
}

extension NSManagedObject {
    /// Removes objects that are being invalidated from the relationships of a new object.
    fileprivate final func disconnect(_ isGone: (NSManagedObject) -> Bool) {
        for relationship in layout.relationships {
            if !relationship.isToMany {
                if let object = toOne(at: relationship.index), isGone(object) { setToOne(nil, at: relationship.index) }
            } else if realise() {
                let members = loadedToMany(at: relationship.index).members
                guard members.contains(where: isGone) else { continue }
                setToMany(ContiguousArray(members.filter { !isGone($0) }), at: relationship.index)
            }
        }
    }
}
