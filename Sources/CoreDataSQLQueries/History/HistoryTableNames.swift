import CoreDataRowStorage
import PredicateFormat

/// The table and column names of a store's history: of transactions, with the alias `t`, and of their changes, with the alias
/// `c`.
package protocol HistoryTableNames {
    /// The identifier of the store.
    var storeID: String { get }
    /// The table of transactions.
    var transactions: SQLFragment { get }
    /// The table of changes.
    var changes: SQLFragment { get }

    // MARK: Columns of transactions

    /// The columns that form the position of a transaction in history. The last one is its key.
    var place: [SQLFragment] { get }
    var timestamp: SQLFragment { get }
    /// Returns the SQL of a name by its property: `author`, `bundleID`, `contextName`, `processID`.
    func name(_ property: String) -> SQLFragment

    /// The condition for transactions that the engine has written itself; nil if the tables do not tell.
    var isOwn: SQLFragment? { get }

    // MARK: Columns of changes

    var changeNumber: SQLFragment { get }
    /// The column with the key of the transaction.
    var transaction: SQLFragment { get }
    var changedEntity: SQLFragment { get }
    var changedKey: SQLFragment { get }
    var kind: SQLFragment { get }
    /// The reference of the changed row as a value; nil if the store has none.
    var changedRow: SQLFragment? { get }
    /// Returns the terms that order changes.
    ///
    /// - Parameter alias: the alias of the table with the transaction's position.
    func order(ofChangesIn alias: String) -> [SQLFragment]

    /// The position of a transaction as a value that is compared with positions in a predicate.
    var token: (sql: SQLFragment, kind: CellKind) { get }
    /// Returns the value of ``token`` for a position in a predicate.
    func constant(for place: HistoryPlace) throws -> Any

    // MARK: Conditions

    /// Returns the conditions that select everything after a position.
    func isAfter(_ place: [SQLFragment], _ subject: HistoryQuery.Subject) -> [SQLFragment]
    /// The condition that excludes transactions before which others may still be committed; nil if there are none.
    var isSettled: SQLFragment? { get }
    /// Returns the condition for a part of the predicate, if the store has a better one than its translation.
    func condition(
        _ part: PredicateNode, _ subject: HistoryQuery.Subject, _ compiler: SQLCompiler
    ) throws -> SQLFragment?
}

extension HistoryTableNames {
    /// The column with the key of a transaction.
    var key: SQLFragment { place.last ?? "" }

    package var isOwn: SQLFragment? { nil }

    /// The key, if it alone identifies positions.
    package var token: (sql: SQLFragment, kind: CellKind) { ("t.\(place.last ?? "")", .int64) }
}
