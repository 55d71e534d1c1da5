#if PostgreSQL
import CoreDataRowStorage
import Synchronization

/// A session that shows the latest commit: each read leases a connection. An exclusive one keeps other writers out until its
/// first save.
final class EngineSession: ReadingSession {
    private let engine: PostgreSQLEngine
    /// nil for a session that is not exclusive, or nested in one of its thread.
    private let hold: WriteHold?
    private let isOver = Atomic(false)

    init(_ engine: PostgreSQLEngine, _ hold: WriteHold? = nil) {
        self.engine = engine
        self.hold = hold
    }

    deinit { finish() }

    private func requireUse() throws {
        if isOver.load(ordering: .relaxed) { throw StoreErrors.sessionEnded }
    }

    // The engine uses the hold of the thread for whatever the thread reads and writes.

    func reading<Result>(_ body: (ServerReads) throws -> Result) throws -> Result {
        try requireUse()
        return try engine.reading { try body(ServerReads(engine: engine, connection: $0)) }
    }

    func save(_ changes: StoreChanges) throws -> SavedKeys {
        try requireUse()
        return try engine.save(changes)
    }

    func run(_ work: BatchWork) throws -> BatchOutcome {
        try requireUse()
        return try engine.run(work)
    }

    func purgeHistory(before limit: HistoryLimit) throws -> Int {
        try requireUse()
        return try engine.purgeHistory(before: limit)
    }

    func changeHistoryReaders(_ change: HistoryReaderChange) throws {
        try requireUse()
        try engine.changeHistoryReaders(change)
    }

    func end() throws { finish() }

    private func finish() {
        if !isOver.exchange(true, ordering: .relaxed), let hold { engine.end(hold) }
    }
}
#endif
