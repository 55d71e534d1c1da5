#if PostgreSQL
import CoreDataRowStorage
import Foundation

/// A transaction that stays open between calls, over a connection that nothing else uses.
///
/// A savepoint after its first statements lets it survive statements that fail. Calls of several threads are
/// serialized.
final class HeldTransaction: @unchecked Sendable {
    private let pool: ConnectionPool
    private let lock = NSLock()
    /// nil once the transaction has ended.
    private var connection: PostgreSQLConnection?
    /// Why the transaction cannot be used any more.
    private var failure: PostgreSQLError?

    /// The savepoint, after everything that the transaction begins with.
    private static var savepoint: PipelineRequest { .plain("SAVEPOINT held") }

    /// Begins a transaction, in one round trip.
    ///
    /// - Parameter beginning: The statements from `BEGIN` on.
    init(_ pool: ConnectionPool, lease: Deadline, _ beginning: [PipelineRequest], until deadline: Deadline) throws {
        self.pool = pool
        let connection = try pool.lease(until: lease)
        do {
            try connection.run(beginning + [Self.savepoint], until: deadline)
        } catch {
            pool.release(connection)
            throw error
        }
        self.connection = connection
    }

    deinit { end() }

    /// True if the transaction has been committed or rolled back.
    var isOver: Bool { lock.withLock { connection == nil } }

    // MARK: Use

    /// Runs reads in the transaction.
    ///
    /// - Throws: Errors of `body`, after which the transaction continues unless its connection was lost; nothing was
    ///   read that is not of its state.
    func reading<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try use { connection in
            let received = connection.deliveries
            return try Self.repeating({ connection.deliveries == received }) {
                do {
                    return try body(connection)
                } catch {
                    if connection.isInFailedTransaction { Self.rollBack(connection) }
                    throw error
                }
            }
        }
    }

    /// Runs statements again, once, if the server's connection does not have them by their names: the transaction keeps its
    /// connection, and they are not executed by name any more.
    private static func repeating<Result>(
        _ isPossible: () -> Bool = { true }, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as PostgreSQLError where error.isOfPreparation && isPossible() {
            return try body()
        }
    }

    /// Runs a write in the transaction, and commits it. If the write fails, its changes are rolled back, and the
    /// transaction continues.
    ///
    /// - Parameter body: Sends no `BEGIN`. It may send `COMMIT` itself.
    func committing<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        let result = try use { connection in
            try Self.repeating {
                do {
                    let result = try body(connection)
                    if connection.isInTransaction { try connection.run(Self.commit, until: Deadline(after: 30)) }
                    return result
                } catch {
                    if connection.isInTransaction { Self.rollBack(connection) }
                    throw error
                }
            }
        }
        end()
        return result
    }

    /// Returns to the savepoint.
    private static func rollBack(_ connection: PostgreSQLConnection) {
        // After an interruption, too.
        connection.forgetInterruption()
        try? connection.run([.plain("ROLLBACK TO SAVEPOINT held")], until: Deadline(after: 5))
    }

    /// Constraints are checked before: a violation at `COMMIT` would end the transaction.
    private static var commit: [PipelineRequest] { [.plain("SET CONSTRAINTS ALL IMMEDIATE"), .plain("COMMIT")] }

    private func use<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try lock.withLock {
            if let failure { throw failure }
            guard let connection else { throw StoreErrors.sessionEnded }
            defer {
                if failure == nil, connection.isLost || connection.isInFailedTransaction {
                    failure = PostgreSQLError(state: "08006", message: "the connection of the transaction was lost")
                }
            }
            do {
                return try body(connection)
            } catch let error as PostgreSQLError where error.isLoss {
                failure = error
                throw error
            }
        }
    }

    /// Rolls back what was not committed, and releases the connection.
    func end() {
        let connection = lock.withLock { () -> PostgreSQLConnection? in
            defer { self.connection = nil }
            return self.connection
        }
        if let connection { pool.release(connection) }
    }
}
#endif
