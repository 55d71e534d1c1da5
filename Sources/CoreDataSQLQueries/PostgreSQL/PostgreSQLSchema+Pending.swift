/// The table of the statements that a migration leaves to run after its transaction. It exists while there are some.
extension PostgreSQLSchema {
    package static let pendingTable = "coredata_pending"

    package static let pending = Part(
        kind: .table, name: pendingTable,
        sql:
            "CREATE TABLE IF NOT EXISTS \(pendingTable) (position integer NOT NULL, sql text NOT NULL, index_name text)"
    )
}

/// A statement to run after a migration, within a transaction or outside of one.
package struct PendingStatement: Hashable, Sendable {
    package let sql: String
    /// The index that the statement creates, qualified and quoted; nil if it creates none.
    package let index: String?

    package init(sql: String, index: String?) {
        self.sql = sql
        self.index = index
    }

    /// The statement for use outside of a transaction.
    package var concurrentSQL: String {
        guard index != nil else { return sql }
        return sql.replacing("CREATE INDEX ", with: "CREATE INDEX CONCURRENTLY ", maxReplacements: 1)
    }
}
