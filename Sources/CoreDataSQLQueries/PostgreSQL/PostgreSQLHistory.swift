import CoreDataRowStorage
import PredicateFormat

/// Names of a store's history in PostgreSQL.
///
/// A transaction's place is the number that the database gave it when it began to write, and its key. Numbers are not in the
/// order in which transactions are committed: only those are read before which no other can still come.
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
    /// Entities are told by name, so there is no number for both.
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
