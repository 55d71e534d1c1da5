#if PostgreSQL
import CoreDataRowStorage
import Synchronization

/// A session that keeps other writers out until its first save. Afterwards, or nested in another one of its thread, it
/// is an ordinary session.
final class ExclusiveSession: ReadingSession {
    private let engine: PostgreSQLEngine
    /// nil for a nested session.
    private let hold: WriteHold?
    private let isOver = Atomic(false)

    init(_ engine: PostgreSQLEngine, _ hold: WriteHold?) {
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

    func end() throws { finish() }

    private func finish() {
        if !isOver.exchange(true, ordering: .relaxed), let hold { engine.end(hold) }
    }
}
#endif
