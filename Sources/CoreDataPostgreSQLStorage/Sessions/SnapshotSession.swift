#if PostgreSQL
import CoreDataRowStorage
import Foundation

/// A session that shows the state at its creation: a transaction that sees no later commit. Used by several threads.
final class SnapshotSession: ReadingSession {
    private let engine: PostgreSQLEngine
    private let transaction: HeldTransaction

    /// The first query fixes the state.
    private static var beginning: [PipelineRequest] {
        [.plain("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"), .plain("SELECT 1")]
    }

    init(_ engine: PostgreSQLEngine) throws {
        self.engine = engine
        // A connection that was idle may turn out to be lost.
        transaction = try engine.retryPolicy.retrying { _ in
            try HeldTransaction(
                engine.snapshotPool, lease: Deadline(after: engine.options.leaseTimeout), Self.beginning,
                until: Deadline(after: engine.options.statementTimeout))
        }
    }

    func reading<Result>(_ body: (ServerReads) throws -> Result) throws -> Result {
        try engine.requireOpen()
        return try engine.translatingErrors {
            try transaction.reading { try body(ServerReads(engine: engine, connection: $0)) }
        }
    }

    func save(_ changes: StoreChanges) throws -> SavedKeys { throw StoreErrors.snapshotIsWritten }
    func run(_ work: BatchWork) throws -> BatchOutcome { throw StoreErrors.snapshotIsWritten }
    func purgeHistory(before limit: HistoryLimit) throws -> Int { throw StoreErrors.snapshotIsWritten }

    func changeHistoryReaders(_ change: HistoryReaderChange) throws { throw StoreErrors.snapshotIsWritten }

    func end() throws { transaction.end() }
}
#endif
