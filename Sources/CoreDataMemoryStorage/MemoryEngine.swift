import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// The engine of stores that keep all rows in memory; stores differ in where rows are loaded from and written to.
///
/// Readers copy the state and work on the copy without a lock, so they neither wait for a save nor see half of one.
package final class MemoryEngine: StoreEngine, @unchecked Sendable {
    /// Creates the object that represents a row in predicates, and equals the graph's object there.
    private let objectID: (RowReference) -> NSObject
    private let lock = Lock()
    private var guarded: MemoryState

    package init(layouts: ModelLayouts, lastSharedKey: Int64? = nil, objectID: @escaping (RowReference) -> NSObject) {
        self.objectID = objectID
        guarded = MemoryState(plan: MemoryPlan(layouts), lastSharedKey: lastSharedKey)
    }

    package var state: MemoryState { lock.withLock { guarded } }

    // MARK: Sessions

    package var abilities: StoreAbilities { [.snapshots, .exclusiveWrites] }

    package func session() -> any StoreSession { MemorySession(self) }

    package func snapshot() -> (any StoreSession)? { MemorySession(self, showing: state) }

    package func exclusiveSession() -> any StoreSession {
        writer.lock()
        return MemorySession(self, isExclusive: true)
    }

    /// Admits other writers again.
    func endExclusiveSession() { writer.unlock() }

    /// Returns the rows of a state for a query.
    func world(_ state: MemoryState) -> MemoryObject.World { MemoryObject.World(state, objectID: objectID) }

    // MARK: Writing

    package func reserveKeys(count: Int, of layout: EntityLayout) -> KeyRuns {
        lock.withLock { guarded.reserveKeys(count, of: layout) }
    }

    /// Writes all changes, or none.
    ///
    /// - Parameters:
    ///   - keys: Permanent keys that have already been assigned, by temporary key.
    ///   - commit: Makes the new state durable before it becomes visible; if it throws, the old state remains.
    package func save(
        _ changes: StoreChanges, keys: [Int64: Int64] = [:], commit: ((MemoryState) throws -> Void)? = nil
    ) throws -> SavedKeys {
        writer.lock()
        defer { writer.unlock() }
        guard !isRetired else { throw StoreErrors.retired }
        guard !isClosed else { throw StoreErrors.notOpen }
        let (edit, keys) = try prepare(changes, keys)
        if let commit {
            try replaceState { next in
                next.apply(edit)
                try commit(next)
            }
        } else {
            lock.withLock { guarded.apply(edit) }
        }
        return keys
    }

    private func prepare(_ changes: StoreChanges, _ keys: [Int64: Int64]) throws -> (MemoryEdit, SavedKeys) {
        var save = MemorySave(changes, state: state, assigned: keys) { [self] count, layout in
            reserveKeys(count: count, of: layout)
        }
        let edit = try save.prepare()
        return (edit, save.keys)
    }

    /// Fills a store that is not in use yet.
    package func load(_ body: (inout MemoryState) throws -> Void) throws {
        writer.lock()
        defer { writer.unlock() }
        try replaceState(body)
    }

    private func replaceState(_ body: (inout MemoryState) throws -> Void) throws {
        var next = state
        try body(&next)
        lock.withLock { guarded = next }
    }

    /// The writer lock. Recursive, because an exclusive session saves.
    private let writer = NSRecursiveLock()
    /// Whether the store was removed. Guarded by `writer`.
    private var isClosed = false
    /// Whether another store has replaced this one. Guarded by `writer`.
    private var isRetired = false

    /// Waits for the save in progress, and refuses later ones.
    package func close() {
        writer.lock()
        defer { writer.unlock() }
        isClosed = true
    }

    package func retiring<Result>(_ copy: () throws -> Result) throws -> Result {
        writer.lock()
        defer { writer.unlock() }
        let result = try copy()
        isRetired = true
        return result
    }
}
