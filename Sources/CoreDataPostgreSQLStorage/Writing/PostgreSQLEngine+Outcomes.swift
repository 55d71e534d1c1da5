#if PostgreSQL
import CoreDataRowStorage
import Foundation

/// Transactions of unknown outcome: their connection was lost after `COMMIT` was sent.
extension PostgreSQLEngine {
    /// Runs a write that is committed once, or not at all, even if connections are lost on the way.
    ///
    /// - Parameter body: Writes everything with the mark, as in ``writing(_:)``. It may be called several times; the last
    ///   call is the one that was committed.
    func writingOnce(_ body: (SaveMark, PostgreSQLConnection, _ isInTransaction: Bool) throws -> Void) throws {
        /// The mark of an attempt that may have been committed.
        var unresolved: SaveMark?
        do {
            try writing { connection, isInTransaction in
                if let mark = unresolved {
                    if try mark.isCommitted(on: connection, until: Deadline(after: options.lockTimeout)) { return }
                    unresolved = nil
                }
                let mark = SaveMark()
                do {
                    try body(mark, connection, isInTransaction)
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
        }
    }

    /// Finds out the outcome of a transaction that may have been committed, for as long as a connection may be waited for.
    ///
    /// - Throws: The error if it was not committed.
    private func resolve(_ mark: SaveMark, after error: any Error) throws {
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
                let mayPass = failure.isLoss || failure.isTransient || failure.isOutOfConnections
                guard mayPass, Deadline(after: pause).isEarlier(than: limit) else {
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
