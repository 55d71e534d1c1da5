import CoreDataRowStorage
import PredicateFormat

/// The table and column names of a store's history in PostgreSQL.
///
/// A transaction's position consists of the transaction ID that the database assigned at its first write, and its key. IDs
/// are not in the order of commits, so only transactions are read before which no other can still commit.
package struct PostgreSQLHistory: HistoryTableNames {
    package let storeID: String

    package init(storeID: String) { self.storeID = storeID }

    package var transactions: SQLFragment { "coredata_transaction" }
    package var changes: SQLFragment { "coredata_change" }

    package var place: [SQLFragment] { ["xid", "id"] }
    package var timestamp: SQLFragment { "committed" }

    package func name(_ property: String) -> SQLFragment { "t.\(raw: PostgreSQLName.snakeCase(property))" }

    package var changeNumber: SQLFragment { "id" }
    package var transaction: SQLFragment { "transaction" }
    package var changedEntity: SQLFragment { "entity" }
    package var changedKey: SQLFragment { "key" }
    package var kind: SQLFragment { "kind" }
    /// Nil: entities are identified by name, so no number combines entity and key.
    package var changedRow: SQLFragment? { nil }

    package func constant(for place: HistoryPlace) throws -> Any {
        throw UnsupportedQuery.make(
            "tokens cannot be compared in a predicate about the history of this store",
            advice: "Fetch the history after a token with fetchHistory(after:).")
    }

    package func order(ofChangesIn alias: String) -> [SQLFragment] {
        ["\(raw: alias).xid", "\(raw: alias).id", "c.id"]
    }

    package func isAfter(_ place: [SQLFragment], _ subject: HistoryQuery.Subject) -> [SQLFragment] {
        ["(t.xid, t.id) > (CAST(\(place[0]) AS xid8), \(place[1]))"]
    }

    package var isSettled: SQLFragment? { "t.xid < pg_snapshot_xmin(pg_current_snapshot())" }

    package func condition(
        _ part: PredicateNode, _ subject: HistoryQuery.Subject, _ compiler: SQLCompiler
    ) -> SQLFragment? {
        nil
    }
}
