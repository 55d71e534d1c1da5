#if PostgreSQL
import CoreDataRowStorage
import Synchronization

/// A session that shows the latest commit: each read leases a connection.
final class LatestSession: ReadingSession {
    let engine: PostgreSQLEngine
    private let isOver = Atomic(false)

    init(_ engine: PostgreSQLEngine) { self.engine = engine }

    private func requireUse() throws {
        if isOver.load(ordering: .relaxed) { throw StoreErrors.sessionEnded }
    }

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

    func end() throws { isOver.store(true, ordering: .relaxed) }
}
#endif
