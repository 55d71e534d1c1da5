import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// The workings of a store that keeps all its rows in memory; the stores differ in where rows come from and go to.
///
/// Readers take the state as it is and work on it without a lock, so they neither wait for a save nor see half of one.
package final class MemoryEngine: StoreEngine, @unchecked Sendable {
    /// What stands for a row in predicates, and equals the graph's object of it there.
    private let objectID: (RowReference) -> NSObject
    private let lock = Lock()
    private var guarded: MemoryState

    package init(layouts: ModelLayouts, lastSharedKey: Int64? = nil, objectID: @escaping (RowReference) -> NSObject) {
        self.objectID = objectID
        guarded = MemoryState(plan: MemoryPlan(layouts), lastSharedKey: lastSharedKey)
    }

    package var state: MemoryState { lock.withLock { guarded } }

    /// The rows as they are now, for a query.
    private var world: MemoryObject.World { MemoryObject.World(state, objectID: objectID) }

    // MARK: Reading

    package func fetchRows(_ fetch: StoreFetch, into sink: any RowSink) throws {
        for match in try MemoryQuery(fetch, in: world).matches() {
            switch sink.next(entityNumber: match.row.entityNumber, key: match.key) {
            case .take: sink.receive(row: match.row.row, in: match.row.slab)
            case .skip: continue
            case .stop: return
            }
        }
    }

    package func fetchReferences(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference> {
        ContiguousArray(
            try MemoryQuery(fetch, in: world).matches().map {
                RowReference(entityNumber: $0.row.entityNumber, key: $0.key)
            })
    }

    package func countRows(_ fetch: StoreFetch) throws -> Int {
        var fetch = fetch
        fetch.sortDescriptors = []
        return try MemoryQuery(fetch, in: world).count()
    }

    package func fetchDictionaries(
        _ fetch: StoreFetch, object: @escaping (RowReference) -> Any
    ) throws -> [[String: Any]] {
        try MemoryDictionaryQuery(fetch, in: world).results(object: object)
    }

    package func readRows(keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink) {
        let table = state.tables[layout.root.number]
        for key in keys {
            guard let row = table[key] else { continue }
            switch sink.next(entityNumber: row.entityNumber, key: key) {
            case .take: sink.receive(row: row.row, in: row.slab)
            case .skip: continue
            case .stop: return
            }
        }
    }

    package func readToMany(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64
    ) -> ContiguousArray<RowReference> {
        state.related(by: relationship, of: layout, key: key)
    }

    package func readToManyRows(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, keys: ContiguousArray<Int64>,
        into sink: any RowSink, group: (Int64) -> Void
    ) {
        let state = state
        for key in keys {
            let related = state.related(by: relationship, of: layout, key: key)
            guard !related.isEmpty else { continue }
            group(key)
            for reference in related {
                guard let row = state.row(reference) else { continue }
                switch sink.next(entityNumber: row.entityNumber, key: reference.key) {
                case .take: sink.receive(row: row.row, in: row.slab)
                case .skip: continue
                case .stop: return
                }
            }
        }
    }

    // MARK: Writing

    package func reserveKeys(count: Int, of layout: EntityLayout) -> Int64 {
        lock.withLock { guarded.reserveKeys(count, of: layout) }
    }

    package func save(_ changes: StoreChanges) throws -> SavedKeys { try save(changes, commit: nil) }

    /// Writes the changes, or nothing.
    ///
    /// - Parameters:
    ///   - keys: Permanent keys that were chosen already, by temporary key.
    ///   - commit: Makes the new state durable before anybody sees it; if it throws, the old state stays.
    package func save(
        _ changes: StoreChanges, keys: [Int64: Int64] = [:], commit: ((MemoryState) throws -> Void)?
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

    /// Fills a store that nobody uses yet.
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

    private let writer = Lock()
    /// Whether the store was removed. Guarded by `writer`.
    private var isClosed = false
    /// Whether another store has taken this one's place. Guarded by `writer`.
    private var isRetired = false

    /// Waits for the save that is running, and lets none follow.
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
