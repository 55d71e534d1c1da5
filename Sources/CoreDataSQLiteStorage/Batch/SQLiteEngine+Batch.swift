import CoreDataRowStorage
import Foundation
import PredicateFormat

/// Batch changes of rows without objects: each runs in one transaction.
extension SQLiteEngine {
    func run(_ work: BatchWork) throws -> BatchOutcome {
        switch work.change {
        case .insert(let rows, let layout, let rule):
            let written = try writeBatch { connection, files in
                let history = historyRecorder(connection, author: work.author, contextName: work.contextName)
                let written = try BatchInsert(
                    layout, self, connection, rule: rule, wantsKeys: history != nil || work.wantsRows, files: files
                ).run(rows)
                if let history {
                    for row in written.rows {
                        guard let layout = layouts.byNumber[row.reference.entityNumber] else { continue }
                        try history.record(row.isNew ? .insert : .update, layout, key: row.reference.key)
                    }
                    try history.finish()
                }
                return written
            }
            return BatchOutcome(
                count: written.count, rows: work.wantsRows ? ContiguousArray(written.rows.map(\.reference)) : [])
        case .update(let fetch, let assignments):
            let rows = try writeBatch { connection, files in
                let rows = try BatchUpdate(fetch, assignments, self, connection, files: files).run()
                if let history = historyRecorder(connection, author: work.author, contextName: work.contextName) {
                    let names = Set(assignments.map(\.name))
                    for row in rows {
                        guard let layout = layouts.byNumber[row.entityNumber] else { continue }
                        try history.record(.update, layout, key: row.key, properties: names)
                    }
                    try history.finish()
                }
                return rows
            }
            return BatchOutcome(count: rows.count, rows: rows)
        case .delete(let fetch):
            let (compiled, constants) = try compiled(fetch, .references)
            let rows = try writeBatch { connection, files in
                let statement = try prepare(compiled, constants, fetch, connection)
                let found = try references(
                    statement, number: fetch.layout.number, isPolymorphic: compiled.selectsEntity)
                let history = historyRecorder(connection, author: work.author, contextName: work.contextName)
                var deletion = BatchDelete(self, connection, history: history, files: files)
                try deletion.run(found)
                return found
            }
            return BatchOutcome(count: rows.count, rows: rows)
        }
    }

    /// Runs one batch in one transaction, together with the changes to its external files.
    private func writeBatch<Result>(
        _ body: (SQLiteConnection, ExternalFileChanges) throws -> Result
    ) throws -> Result {
        let files = ExternalFileChanges(self)
        do {
            let result = try write { connection in
                // Triggers report rows that have new derived values; a batch does not refresh registered objects.
                defer { connection.derivedChanges.clear() }
                return try body(connection, files)
            }
            files.finish(committed: true)
            return result
        } catch {
            files.finish(committed: false)
            throw error
        }
    }
}
