#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// A transaction that migrates a store: it has locked the store's metadata.
struct MigrationTransaction {
    let connection: PostgreSQLConnection

    /// Begins the transaction. Others may read, but their transactions that write rows wait: each writes a mark.
    init(_ connection: PostgreSQLConnection) throws {
        self.connection = connection
        try telling {
            try connection.run(
                [
                    .plain("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
                    .plain("SET LOCAL statement_timeout = 0"),
                    .plain("SET LOCAL lock_timeout = '\(StoreMigration.turnTimeout)s'"),
                    .plain("SELECT FROM \(StoreRecord.table) FOR UPDATE"),
                ] + Self.limits + [.plain("LOCK TABLE \(SaveMark.table) IN SHARE ROW EXCLUSIVE MODE")],
                until: Deadline(after: Double(StoreMigration.turnTimeout) + 10))
        }
    }

    /// The statements that set the limits of time of a migration.
    static var limits: [PipelineRequest] { PostgreSQLMigration.limits.map { .plain($0) } }

    /// Rolls back after an error.
    func telling(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            rollBack()
            throw error
        }
    }

    func rollBack() {
        connection.forgetInterruption()
        guard !connection.isLost, connection.isInTransaction else { return }
        try? connection.run([PostgreSQLConnection.rollback], until: Deadline(after: 10))
    }

    /// Returns the metadata as they are in the transaction.
    func record() throws -> StoreRecord { try StoreRecord.read(on: connection) }
}
#endif
