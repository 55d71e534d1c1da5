import CoreDataRowStorage
import PredicateFormat

/// Names of a store's history: of transactions, which statements call `t`, and of their changes, which they call `c`.
package protocol HistoryTableNames {
    /// Identifier of the store.
    var storeID: String { get }
    /// Table of transactions.
    var transactions: SQLFragment { get }
    /// Table of changes.
    var changes: SQLFragment { get }

    // MARK: Columns of transactions

    /// Columns whose values are the place of a transaction in history. The last one is its key.
    var place: [SQLFragment] { get }
    var timestamp: SQLFragment { get }
    /// Gives a name as a value, by the property's name: `author`, `bundleID`, `contextName`, `processID`.
    func name(_ property: String) -> SQLFragment

    // MARK: Columns of changes

    var changeNumber: SQLFragment { get }
    /// Column with the key of the transaction.
    var transaction: SQLFragment { get }
    var changedEntity: SQLFragment { get }
    var changedKey: SQLFragment { get }
    var kind: SQLFragment { get }
    /// Reference of the changed row as a value; nil where it is none.
    var changedRow: SQLFragment? { get }
    /// Gives the terms that changes are ordered by.
    ///
    /// - Parameter alias: has the place of their transaction.
    func order(ofChangesIn alias: String) -> [SQLFragment]

    /// Gives the value of ``key`` for a place in a predicate, where keys alone tell places apart.
    func constant(for place: HistoryPlace) throws -> Any

    // MARK: Conditions

    /// Gives the conditions that pick what comes after a place.
    func isAfter(_ place: [SQLFragment], _ subject: HistoryQuery.Subject) -> [SQLFragment]
    /// Condition that leaves out transactions before which others may still come; nil where there are none.
    var isSettled: SQLFragment? { get }
    /// Gives the condition for a part of the predicate, where the store has another than the translation of it.
    func condition(
        _ part: PredicateNode, _ subject: HistoryQuery.Subject, _ compiler: SQLCompiler
    ) throws -> SQLFragment?
}

extension HistoryTableNames {
    /// Column with the key of a transaction.
    var key: SQLFragment { place.last ?? "" }
}
