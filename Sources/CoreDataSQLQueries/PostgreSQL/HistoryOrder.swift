/// The numbers that order the transactions of a store's history by commit.
package enum HistoryOrder: String, Sendable {
    /// The transaction IDs of the database. Saves do not wait for each other, but a transaction is only reported once all
    /// with lower IDs have ended.
    case commits
    /// A counter, which each transaction advances last. Works in databases without PostgreSQL's transaction IDs; saves wait
    /// for each other while they commit.
    case counter

    /// The condition for transactions before which no other can still commit; nil if that is true for all.
    package var isSettled: String? {
        switch self {
        case .commits:
            "(t.era < (SELECT era FROM coredata_history) OR t.commit_order < \(Self.horizon))"
        case .counter: nil
        }
    }

    /// The lowest transaction ID that may still be running.
    package static let horizon = "pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
}
