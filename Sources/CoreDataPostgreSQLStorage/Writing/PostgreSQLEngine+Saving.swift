#if PostgreSQL
import CoreDataRowStorage

extension PostgreSQLEngine {
    /// The number of attempts of a save that fails without a cause that lasts.
    private static let mostAttempts = 5

    /// Saves changes in a transaction: it is written once, or not at all, even if connections are lost on the way.
    ///
    /// - Throws: ``StoreConflicts``, ``MissingDestinations``, errors of the server. `NSPersistentStoreTimeoutError` if the
    ///   connection was lost after `COMMIT` was sent, and the server could not be asked for the outcome in time.
    func save(_ changes: StoreChanges) throws -> SavedKeys {
        try requireWritable()
        // Before a connection is leased: keys may need one.
        let operation = try SaveOperation(changes, self)
        try writingOnce { try write(operation, $0, on: $1, $2) }
        return operation.savedKeys
    }

    private func write(
        _ operation: SaveOperation, _ mark: SaveMark, on connection: PostgreSQLConnection, _ isInTransaction: Bool
    ) throws {
        var operation = operation
        var attempts = 0
        while true {
            do {
                return try operation.run(mark, on: connection, isInTransaction: isInTransaction)
            } catch let error as PostgreSQLError where error.isOfCopying {
                guard let other = try operation.withoutCopies() else { throw error }
                operation = other
            } catch let error as PostgreSQLError where SaveFailure.mayExplain(error) {
                try SaveFailure(operation).check(on: connection, isInTransaction: isInTransaction)
                if error.isOfVersionCheck, try noteMigration(on: connection) {
                    operation = try operation.afterMigration()
                }
                // What was in the way is gone again.
                attempts += 1
                guard attempts < Self.mostAttempts else { throw error }
            } catch let error as PostgreSQLError {
                let written = (operation.changes.inserts + operation.changes.updates).map(\.layout)
                guard let failure = ConstraintFailure(error, self, writing: written) else { throw error }
                throw failure.failure(on: connection)
            }
        }
    }
}
#endif
