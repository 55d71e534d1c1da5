import CoreDataRowStorage
import PredicateFormat

/// Where a store keeps its history: transactions, which statements call `t`, and their changes, which they call `c`.
package protocol HistoryTableNames {
    /// The store's identifier.
    var storeID: String { get }
    /// The tables.
    var transactions: SQLFragment { get }
    var changes: SQLFragment { get }

    // MARK: Columns of transactions

    /// The columns whose values are the place of a transaction in history. The last one is its key.
    var place: [SQLFragment] { get }
    var timestamp: SQLFragment { get }
    /// A name as a value, by the property's name: `author`, `bundleID`, `contextName`, `processID`.
    func name(_ property: String) -> SQLFragment

    // MARK: Columns of changes

    var changeNumber: SQLFragment { get }
    /// The key of the transaction.
    var transaction: SQLFragment { get }
    var changedEntity: SQLFragment { get }
    var changedKey: SQLFragment { get }
    var kind: SQLFragment { get }
    /// The reference of the changed row as a value; nil where it is none.
    var changedRow: SQLFragment? { get }
    /// The order of changes.
    ///
    /// - Parameter alias: has the place of their transaction.
    func order(ofChangesIn alias: String) -> [SQLFragment]

    // MARK: Conditions

    /// The conditions that pick what comes after a place.
    func isAfter(_ place: [SQLFragment], _ subject: HistoryQuery.Subject) -> [SQLFragment]
    /// The condition that leaves out transactions before which others may still come; nil where there are none.
    var isSettled: SQLFragment? { get }
    /// The condition for a part of the predicate, where the store has another than the translation of it.
    func condition(
        _ part: PredicateNode, _ subject: HistoryQuery.Subject, _ compiler: SQLCompiler
    ) throws -> SQLFragment?
}

extension HistoryTableNames {
    var key: SQLFragment { place.last ?? "" }
}
