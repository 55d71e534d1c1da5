#if PostgreSQL
import CoreDataRowStorage
import Foundation

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
        /// The mark of an attempt that may have been committed.
        var unresolved: SaveMark?
        do {
            return try writing { connection, isInTransaction in
                if let mark = unresolved {
                    if try mark.isCommitted(on: connection, until: Deadline(after: options.lockTimeout)) {
                        return operation.savedKeys
                    }
                    unresolved = nil
                }
                let mark = SaveMark()
                do {
                    return try write(operation, mark, on: connection, isInTransaction)
                } catch var error as PostgreSQLError where error.isOutcomeUnknown {
                    unresolved = mark
                    // The next attempt finds out.
                    error.isOutcomeUnknown = false
                    throw error
                }
            }
        } catch {
            guard let mark = unresolved else { throw error }
            try resolve(mark, after: error)
            return operation.savedKeys
        }
    }

    private func write(
        _ operation: SaveOperation, _ mark: SaveMark, on connection: PostgreSQLConnection, _ isInTransaction: Bool
    ) throws -> SavedKeys {
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
                // What was in the way is gone again.
                attempts += 1
                guard attempts < Self.mostAttempts else { throw error }
            }
        }
    }

    /// Finds out the outcome of a transaction that may have been committed, for as long as a connection may be waited for.
    ///
    /// - Throws: The error if it was not committed.
    func resolve(_ mark: SaveMark, after error: any Error) throws {
        let limit = Deadline(after: options.leaseTimeout)
        var pause = 0.02
        while true {
            do {
                let isCommitted = try pool.withConnection(until: limit) {
                    try mark.isCommitted(on: $0, until: Deadline(after: options.statementTimeout))
                }
                if isCommitted { return }
                throw error
            } catch let failure as PostgreSQLError {
                guard failure.isLoss || failure.isTransient, Deadline(after: pause).isEarlier(than: limit) else {
                    throw Self.unknownOutcome(error)
                }
                pool.closeIdle()
                Thread.sleep(forTimeInterval: pause)
                pause = min(pause * 2, 1)
            }
        }
    }

    private static func unknownOutcome(_ error: any Error) -> NSError {
        CoreDataError.make(
            NSPersistentStoreTimeoutError, description: "It is not known whether the changes were saved.",
            reason: "The connection was lost while the server committed them, and no other one could be made in time.",
            advice: "Refresh the objects once the server can be reached, and save what is missing.", underlying: error)
    }
}
#endif
