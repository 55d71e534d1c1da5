import CoreDataMemoryStorage
import CoreDataRowStorage
import Foundation
import Synchronization

/// A database as one program has it open. Several engines of one database write to it.
package final class ToyEngine: StoreEngine {
    let database: ToyDatabase
    /// The rows as this engine has seen them last.
    private let memory: MemoryEngine
    private let seen = Mutex(0)
    private let isClosed = Mutex(false)
    /// True once another store has taken this one's place.
    private let isRetired = Mutex(false)
    /// Kept alive for the layouts.
    private let model: (any StoredModel)?

    init(_ database: ToyDatabase, _ opening: EngineOpening) {
        self.database = database
        model = opening.model
        memory = MemoryEngine(layouts: opening.layouts, objectID: opening.objectID)
        let empty = Unchecked(memory.state)
        database.content.withLock { if $0.state == nil { $0.state = empty.value } }
        try? refresh(force: true)
    }

    package var abilities: StoreAbilities { ToyDriver.abilities }

    func close() { isClosed.withLock { $0 = true } }

    func requireAnswer() throws {
        if isClosed.withLock({ $0 }) { throw StoreErrors.notOpen }
        try database.requireAnswer()
    }

    /// Sees what others have written.
    func refresh(force: Bool = false) throws {
        let (state, version) = database.content.withLock { (Unchecked($0.state), $0.version) }
        guard let state = state.value else { return }
        try seen.withLock { seen in
            guard force || seen != version else { return }
            try memory.load { $0 = state }
            seen = version
        }
    }

    /// Writes in the database's turn, and shows it to others if that succeeds.
    func writing<Result>(_ write: (MemoryEngine) throws -> Result) throws -> Result {
        try requireAnswer()
        database.writer.lock()
        defer { database.writer.unlock() }
        if isRetired.withLock({ $0 }) { throw StoreErrors.retired }
        try refresh()
        let result = try write(memory)
        let state = Unchecked(memory.state)
        let version = database.content.withLock { content in
            content.state = state.value
            content.version += 1
            return content.version
        }
        seen.withLock { $0 = version }
        return result
    }

    func save(_ changes: StoreChanges) throws -> SavedKeys {
        try writing { memory in
            let keys = try memory.save(changes)
            if let metadata = changes.metadata {
                let metadata = Unchecked(metadata)
                database.content.withLock { $0.metadata = metadata.value }
            }
            return keys
        }
    }

    // MARK: Sessions

    package func session() throws -> any StoreSession {
        try requireAnswer()
        return ToySession(self, memory.session(), .latest)
    }

    package func snapshot() throws -> (any StoreSession)? {
        try requireAnswer()
        try refresh()
        return memory.snapshot().map { ToySession(self, $0, .snapshot) }
    }

    package func exclusiveSession() throws -> any StoreSession {
        try requireAnswer()
        database.writer.lock()
        return ToySession(self, memory.session(), .exclusive)
    }

    /// Gives runs of at most three keys with gaps between them and the highest run first, as where others take keys meanwhile.
    package func reserveKeys(count: Int, of layout: EntityLayout) throws -> KeyRuns {
        try writing { memory in
            let sizes = stride(from: 0, to: count, by: 3).map { min(3, count - $0) }
            let runs = sizes.map { size in
                let first = memory.reserveKeys(count: size + 1, of: layout).first
                return first...first + Int64(size) - 1
            }
            var keys = KeyRuns(runs[runs.count - 1])
            for run in runs.dropLast().reversed() { keys.append(run) }
            return keys
        }
    }

    package func retiring<Result>(_ copy: () throws -> Result) throws -> Result {
        database.writer.lock()
        defer { database.writer.unlock() }
        let result = try copy()
        isRetired.withLock { $0 = true }
        return result
    }
}

/// A session with a database.
final class ToySession: StoreSession {
    enum Kind { case latest, snapshot, exclusive }

    private let engine: ToyEngine
    private let rows: any StoreSession
    private let kind: Kind
    private let isOver = Mutex(false)

    init(_ engine: ToyEngine, _ rows: any StoreSession, _ kind: Kind) {
        self.engine = engine
        self.rows = rows
        self.kind = kind
    }

    private func asked() throws -> any StoreSession {
        if isOver.withLock({ $0 }) { throw StoreErrors.sessionEnded }
        try engine.requireAnswer()
        if kind != .snapshot { try engine.refresh() }
        return rows
    }

    func fetchRows(_ fetch: StoreFetch, into sink: any RowSink) throws { try asked().fetchRows(fetch, into: sink) }
    func fetchReferences(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference> {
        try asked().fetchReferences(fetch)
    }
    func countRows(_ fetch: StoreFetch) throws -> Int { try asked().countRows(fetch) }
    func fetchDictionaries(_ fetch: StoreFetch, object: @escaping (RowReference) -> Any) throws -> [[String: Any]] {
        try asked().fetchDictionaries(fetch, object: object)
    }
    func readRows(keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink) throws {
        try asked().readRows(keys: keys, of: layout, into: sink)
    }
    func readToMany(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64
    ) throws -> ContiguousArray<RowReference> {
        try asked().readToMany(relationship, of: layout, key: key)
    }
    func readToManyRows(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, keys: ContiguousArray<Int64>,
        into sink: any RowSink, group: (Int64) -> Void
    ) throws {
        try asked().readToManyRows(relationship, of: layout, keys: keys, into: sink, group: group)
    }

    func save(_ changes: StoreChanges) throws -> SavedKeys {
        guard kind != .snapshot else { throw StoreErrors.snapshotIsWritten }
        _ = try asked()
        return try engine.save(changes)
    }

    func end() throws {
        let wasOver = isOver.withLock { isOver in
            defer { isOver = true }
            return isOver
        }
        if kind == .exclusive, !wasOver { engine.database.writer.unlock() }
        try rows.end()
    }
}
