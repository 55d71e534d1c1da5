#if PostgreSQL
import CoreDataRowStorage
import Foundation

/// A transaction in which a store is migrated step by step, and may be opened between the steps.
///
/// Used by one thread at a time.
final class StagedTransaction: @unchecked Sendable {
    let pool: ConnectionPool
    private let transaction: MigrationTransaction
    private var isOver = false

    /// Begins the transaction over a connection of the pool, and locks the store's metadata.
    init(_ pool: ConnectionPool) throws {
        self.pool = pool
        transaction = try StoreMigration.retrying(nil) {
            let connection = try pool.lease(until: Deadline(after: 30))
            do {
                return try MigrationTransaction(connection)
            } catch {
                pool.release(connection)
                throw error
            }
        }
    }

    deinit {
        let state = state
        if !isOver { state.rollBack() }
        pool.release(state.connection)
        pool.close()
    }

    /// The transaction, while no store is open in it.
    var state: MigrationTransaction {
        let connection = transaction.connection
        if connection.nesting?.isOpen == true { try? connection.run([PostgreSQLConnection.rollback]) }
        connection.nesting = nil
        return transaction
    }

    /// Returns a pool for a store that is opened in the transaction.
    func lend() -> ConnectionPool {
        let connection = state.connection
        connection.nesting = NestedTransactions()
        return ConnectionPool(lending: connection, pool.settings)
    }

    /// Runs a step. Its changes are rolled back after an error.
    func step(_ body: (MigrationTransaction) throws -> Void) throws {
        let state = state
        // An open store may have set other limits.
        try state.connection.run(
            [.plain("SAVEPOINT coredata_step")] + MigrationTransaction.limits, until: Deadline(after: 30))
        do {
            try body(state)
            try state.connection.run([.plain("RELEASE SAVEPOINT coredata_step")], until: Deadline(after: 30))
        } catch {
            state.connection.forgetInterruption()
            try? state.connection.run([.plain("ROLLBACK TO SAVEPOINT coredata_step")], until: Deadline(after: 30))
            throw error
        }
    }

    func commit() throws {
        try state.connection.run([.plain("COMMIT")], until: Deadline(after: 60))
        isOver = true
    }
}
#endif
