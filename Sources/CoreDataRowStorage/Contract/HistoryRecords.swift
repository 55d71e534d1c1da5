import Foundation
import PredicateFormat

/// The kind of a change. Raw values are those of `NSPersistentHistoryChangeType`.
package enum HistoryChangeKind: Int, Sendable {
    case insert = 0
    case update = 1
    case delete = 2
}

/// One transaction in a store's history.
package struct HistoryTransaction {
    /// The number of the transaction, unique in the store. It does not reflect the order of commits.
    package var number: Int64
    /// The position directly after the transaction.
    package var place: HistoryPlace
    package var timestamp: Date
    package var author: String?
    package var contextName: String?
    package var bundleID: String
    package var processID: String
    /// True if the engine that is asked has written the transaction itself.
    package var isOwn = false

    package init(
        number: Int64, place: HistoryPlace, timestamp: Date, author: String?, contextName: String?, bundleID: String,
        processID: String
    ) {
        self.number = number
        self.place = place
        self.timestamp = timestamp
        self.author = author
        self.contextName = contextName
        self.bundleID = bundleID
        self.processID = processID
    }
}

/// One changed row of a transaction.
package struct HistoryChange {
    /// The number of the change, unique in the store and ascending within a transaction.
    package var number: Int64
    /// The number of its transaction.
    package var transaction: Int64
    package var row: RowReference
    package var kind: HistoryChangeKind
    /// The names of the properties that an update changed; nil if the store does not record them.
    package var properties: Set<String>?
    /// The values that history preserves of a deleted object, by attribute.
    package var tombstone: [AnyHashable: Any]?

    package init(number: Int64, transaction: Int64, row: RowReference, kind: HistoryChangeKind) {
        self.number = number
        self.transaction = transaction
        self.row = row
        self.kind = kind
    }
}

/// A query on a store's history.
///
/// Names in the predicate and the sort descriptors are the properties of `NSPersistentHistoryTransaction` or
/// `NSPersistentHistoryChange`; a `token` is compared with constants of type ``HistoryPlace``. Nil differs from every value,
/// and `NOT` is true for every condition that is not true.
package struct HistoryQuery {
    /// The records that the predicate, the sort descriptors and the limit apply to.
    package enum Subject: Sendable {
        case transactions
        /// Changes; `transaction.KEY` is a property of a change's transaction.
        case changes
    }

    package enum Content: Sendable {
        /// Nothing: only checks whether the query is valid.
        case nothing
        /// The number of changes.
        case count
        /// The changed rows and the kinds of their changes.
        case rows
        /// The transactions without their changes.
        case transactions
        /// The transactions with their changes.
        case everything
    }

    package var subject: Subject
    package var content: Content
    package var after = HistoryStart.place(.start)
    package var predicate: NSPredicate?
    /// The sort descriptors; ties are in the order of commits.
    package var sortDescriptors: [NSSortDescriptor] = []
    /// The maximum number of records; 0 for no limit.
    package var limit = 0
    package var offset = 0
    /// The requirements that this history must meet for the query to be valid.
    package var needs: [Need] = []

    /// The requirement that everything after a mark exists.
    package struct Need: Sendable {
        package var mark: HistoryMark
        /// True if the mark's own transaction must exist, too.
        package var includesTransaction: Bool

        package init(_ mark: HistoryMark, includesTransaction: Bool) {
            self.mark = mark
            self.includesTransaction = includesTransaction
        }
    }

    package init(_ subject: Subject, _ content: Content) {
        self.subject = subject
        self.content = content
    }
}

/// The answer to a query on a store's history.
package struct HistoryAnswer {
    package var transactions: [HistoryTransaction] = []
    package var changes: [HistoryChange] = []
    /// The number of changes, if requested.
    package var count = 0
    /// The required marks that this history does not contain: beyond its end, with another timestamp, or with a position of
    /// another engine. A transaction that was deleted from history counts as contained. If there are any such marks, here or
    /// in ``purgedMarks``, the answer contains nothing else.
    package var unknownMarks: [HistoryMark] = []
    /// The required marks after which transactions have been deleted from history.
    package var purgedMarks: [HistoryMark] = []

    package init() {}
}
