#if PostgreSQL
import CoreDataRowStorage
import Foundation

extension PostgreSQLEngine {
    /// The number of attempts of a save that fails without a cause that lasts.
    private static let mostAttempts = 5

    /// Saves changes in a transaction.
    func save(_ changes: StoreChanges) throws -> SavedKeys {
        try requireOpen()
        // Before a connection is leased: keys may need one.
        let operation = try SaveOperation(changes, self)
        return try writing { try write(operation, on: $0, isInTransaction: $1) }
    }

    /// Saves changes over a connection that the caller has leased.
    ///
    /// - Parameter isInTransaction: True if the connection is in a transaction, which is committed if the save succeeds, and
    ///   stays open otherwise.
    func save(
        _ changes: StoreChanges, on connection: PostgreSQLConnection, isInTransaction: Bool
    ) throws -> SavedKeys {
        try requireOpen()
        return try write(SaveOperation(changes, self, on: connection), on: connection, isInTransaction: isInTransaction)
    }

    private func write(
        _ operation: SaveOperation, on connection: PostgreSQLConnection, isInTransaction: Bool
    ) throws -> SavedKeys {
        var attempts = 0
        while true {
            do {
                return try operation.run(on: connection, isInTransaction: isInTransaction)
            } catch let error as PostgreSQLError where SaveFailure.mayExplain(error) {
                try SaveFailure(operation).check(on: connection, isInTransaction: isInTransaction)
                // What was in the way is gone again.
                attempts += 1
                guard attempts < Self.mostAttempts else { throw error }
            }
        }
    }
}
#endif
