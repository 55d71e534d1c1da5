#if PostgreSQL
import CoreDataRowStorage
import Foundation

/// Batch changes of rows without objects: each runs in one transaction.
extension PostgreSQLEngine {
    func run(_ work: BatchWork) throws -> BatchOutcome {
        try requireWritable()
        switch work.change {
        case .insert(let rows, let layout, let rule):
            // The program's code provides the rows: it runs before a connection is leased, which it may need itself.
            let insert = try BatchInsert(rows, layout, rule, self)
            let written = try inTransaction(of: layout, retriesDuplicates: insert.resolvesConflicts) {
                try insert.run($0)
            }
            return BatchOutcome(count: written.count, rows: work.wantsRows ? written : [])
        case .update(let fetch, let assignments):
            let update = try BatchUpdate(fetch, assignments, self)
            let rows = try inTransaction(of: fetch.layout) { try update.run($0) }
            return BatchOutcome(count: rows.count, rows: rows)
        case .delete(let fetch):
            let rows = try inTransaction(of: fetch.layout) { transaction in
                var deletion = BatchDelete(transaction)
                try deletion.run(fetch)
            }
            return BatchOutcome(count: rows.count, rows: rows)
        }
    }

    /// The highest number of times that rows are looked up and inserted while others insert the same values.
    private static let mostLookUps = 5

    /// Runs a transaction, and returns the rows of its outcome.
    ///
    /// - Parameter retriesDuplicates: Whether a violated uniqueness constraint may be resolved by another attempt.
    private func inTransaction(
        of layout: EntityLayout, retriesDuplicates: Bool = false, _ body: (BatchTransaction) throws -> Void
    ) throws -> ContiguousArray<RowReference> {
        /// An attempt that may have been committed.
        var unresolved: BatchTransaction?
        var copiesRows = true
        do {
            return try writing { connection, isInTransaction in
                if let transaction = unresolved {
                    let limit = Deadline(after: options.lockTimeout)
                    if try transaction.mark.isCommitted(on: connection, until: limit) { return transaction.rows }
                    unresolved = nil
                }
                var attempts = 0
                while true {
                    attempts += 1
                    let transaction = BatchTransaction(
                        self, connection, isNested: isInTransaction, copiesRows: copiesRows)
                    do {
                        try body(transaction)
                        return transaction.rows
                    } catch var error as PostgreSQLError {
                        if error.isOutcomeUnknown {
                            unresolved = transaction
                            // The next attempt finds out.
                            error.isOutcomeUnknown = false
                            throw error
                        }
                        if error.isOfCopying, transaction.copiesRows {
                            copiesRows = false
                            try transaction.rollBack()
                            continue
                        }
                        let isResolvable = retriesDuplicates && !isInTransaction && error.state == "23505"
                        guard isResolvable, attempts < Self.mostLookUps else {
                            throw BatchFailure.error(error, layout) ?? error
                        }
                        try transaction.rollBack()
                    }
                }
            }
        } catch {
            guard let transaction = unresolved else { throw error }
            try resolve(transaction.mark, after: error)
            return transaction.rows
        }
    }
}
#endif
