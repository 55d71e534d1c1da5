import CoreDataRowStorage
import Synchronization

/// A session with an engine that keeps its rows in memory. It reads the current state, or a snapshot.
final class MemorySession: StoreSession, @unchecked Sendable {
    private let engine: MemoryEngine
    /// The snapshot that all reads show; nil for the current state.
    private let shown: MemoryState?
    private let isExclusive: Bool
    private let isOver = Atomic<Bool>(false)

    init(_ engine: MemoryEngine, showing state: MemoryState? = nil, isExclusive: Bool = false) {
        self.engine = engine
        shown = state
        self.isExclusive = isExclusive
    }

    private func requireGoingOn() throws {
        if isOver.load(ordering: .relaxed) { throw StoreErrors.sessionEnded }
    }

    private func state() throws -> MemoryState {
        try requireGoingOn()
        return shown ?? engine.state
    }

    private func world() throws -> MemoryObject.World { engine.world(try state()) }

    func end() {
        guard isOver.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
        if isExclusive { engine.endExclusiveSession() }
    }

    // MARK: Reading

    func fetchRows(_ fetch: StoreFetch, into sink: any RowSink) throws {
        for match in try MemoryQuery(fetch, in: world()).matches() {
            switch sink.next(entityNumber: match.row.entityNumber, key: match.key) {
            case .take: sink.receive(row: match.row.row, in: match.row.slab)
            case .skip: continue
            case .stop: return
            }
        }
    }

    func fetchReferences(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference> {
        ContiguousArray(
            try MemoryQuery(fetch, in: world()).matches().map {
                RowReference(entityNumber: $0.row.entityNumber, key: $0.key)
            })
    }

    func countRows(_ fetch: StoreFetch) throws -> Int {
        var fetch = fetch
        fetch.sortDescriptors = []
        return try MemoryQuery(fetch, in: world()).count()
    }

    func fetchDictionaries(_ fetch: StoreFetch, object: @escaping (RowReference) -> Any) throws -> [[String: Any]] {
        try MemoryDictionaryQuery(fetch, in: world()).results(object: object)
    }

    func readRows(keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink) throws {
        let table = try state().tables[layout.root.number]
        for key in keys {
            guard let row = table[key] else { continue }
            switch sink.next(entityNumber: row.entityNumber, key: key) {
            case .take: sink.receive(row: row.row, in: row.slab)
            case .skip: continue
            case .stop: return
            }
        }
    }

    func readToMany(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64
    ) throws -> ContiguousArray<RowReference> {
        try state().related(by: relationship, of: layout, key: key)
    }

    func readToManyRows(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, keys: ContiguousArray<Int64>,
        into sink: any RowSink, group: (Int64) -> Void
    ) throws {
        let state = try state()
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

    func save(_ changes: StoreChanges) throws -> SavedKeys {
        guard shown == nil else { throw StoreErrors.snapshotIsWritten }
        try requireGoingOn()
        return try engine.save(changes)
    }
}
