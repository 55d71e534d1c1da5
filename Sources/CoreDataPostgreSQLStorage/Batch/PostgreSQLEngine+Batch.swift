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
            let written = try inTransaction(work, of: layout, retriesDuplicates: insert.resolvesConflicts) {
                try insert.run($0)
            }
            return BatchOutcome(count: written.count, rows: work.wantsRows ? written : [])
        case .update(let fetch, let assignments):
            let update = try BatchUpdate(fetch, assignments, self)
            let rows = try inTransaction(work, of: fetch.layout) { try update.run($0) }
            return BatchOutcome(count: rows.count, rows: rows)
        case .delete(let fetch):
            let rows = try inTransaction(work, of: fetch.layout) { transaction in
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
    /// - Parameter retriesDuplicates: True if a violated uniqueness constraint may be resolved by another attempt.
    private func inTransaction(
        _ work: BatchWork, of layout: EntityLayout, retriesDuplicates: Bool = false,
        _ body: (BatchTransaction) throws -> Void
    ) throws -> ContiguousArray<RowReference> {
        let history = try HistoryRecording(self, author: work.author, contextName: work.contextName)
        var rows: ContiguousArray<RowReference> = []
        var copiesRows = true
        try writingOnce { mark, connection, isInTransaction in
            var attempts = 0
            while true {
                attempts += 1
                let transaction = BatchTransaction(
                    self, connection, mark, history, isNested: isInTransaction, copiesRows: copiesRows)
                defer { rows = transaction.rows }
                do {
                    return try body(transaction)
                } catch let error as PostgreSQLError where !error.isOutcomeUnknown {
                    if error.isOfCopying, transaction.copiesRows {
                        copiesRows = false
                        try transaction.rollBack()
                        continue
                    }
                    if error.isOfVersionCheck, !isInTransaction {
                        try transaction.rollBack()
                        if try noteMigration(on: connection), attempts < Self.mostLookUps { continue }
                    }
                    let isResolvable = retriesDuplicates && !isInTransaction && error.state == "23505"
                    guard isResolvable, attempts < Self.mostLookUps else {
                        if let failure = ConstraintFailure(error, self, writing: [layout]) {
                            if !isInTransaction { try? transaction.rollBack() }
                            throw failure.failure(on: connection)
                        }
                        throw BatchFailure.error(error, layout) ?? error
                    }
                    try transaction.rollBack()
                }
            }
        }
        return rows
    }
}
#endif
