import Foundation
import PredicateFormat

/// The kind of a change of a row. Raw values are those of `NSPersistentHistoryChangeType`.
package enum HistoryChangeKind: Int, Sendable {
    case insert = 0
    case update = 1
    case delete = 2
}

/// One transaction of a store, as its history remembers it.
package struct HistoryTransaction {
    /// Number that no other transaction of the store has. It says nothing about the order of commits.
    package var number: Int64
    /// Place right behind the transaction.
    package var place: HistoryPlace
    package var timestamp: Date
    package var author: String?
    package var contextName: String?
    package var bundleID: String
    package var processID: String

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
    /// Number that no other change of the store has, and which ascends within a transaction.
    package var number: Int64
    /// The number of its transaction.
    package var transaction: Int64
    package var row: RowReference
    package var kind: HistoryChangeKind
    /// Of an update, the names of the properties that changed; nil where the store does not say.
    package var properties: Set<String>?
    /// Of a deletion, the values that history keeps, by attribute.
    package var tombstone: [AnyHashable: Any]?

    package init(number: Int64, transaction: Int64, row: RowReference, kind: HistoryChangeKind) {
        self.number = number
        self.transaction = transaction
        self.row = row
        self.kind = kind
    }
}

/// A question about a store's history.
///
/// Names in the predicate and the order are the properties of `NSPersistentHistoryTransaction` or
/// `NSPersistentHistoryChange`; a `token` is compared with constants that are ``HistoryPlace``s. nil differs from every value,
/// and `NOT` is true for what is not true.
package struct HistoryQuery {
    /// What the predicate, the order and the limit are about.
    package enum Subject: Sendable {
        case transactions
        /// `transaction.KEY` is a property of the change's transaction.
        case changes
    }

    package enum Content: Sendable {
        /// Whether the question can be asked.
        case nothing
        /// The number of changes.
        case count
        /// Which rows were changed, and how.
        case rows
        /// The transactions alone.
        case transactions
        /// Changes and their transactions.
        case everything
    }

    package var subject: Subject
    package var content: Content
    package var after = HistoryStart.place(.start)
    package var predicate: NSPredicate?
    /// In the order of commits where these say nothing.
    package var sortDescriptors: [NSSortDescriptor] = []
    /// 0 for no limit.
    package var limit = 0
    package var offset = 0
    /// Needs that this history must meet for the question to make sense.
    package var needs: [Need] = []

    /// All that lies behind a place.
    package struct Need: Sendable {
        package var mark: HistoryMark
        /// True where the mark's own transaction must be there, too.
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

/// What a store's history says.
package struct HistoryAnswer {
    package var transactions: [HistoryTransaction] = []
    package var changes: [HistoryChange] = []
    /// The number of changes, if that was asked for.
    package var count = 0
    /// Marks of the query's needs that this history does not have: beyond its end, written at another time, or with a
    /// place of another engine's. One that was deleted from history is taken for its own. If there are any, here or in
    /// ``purgedMarks``, nothing else is in the answer.
    package var unknownMarks: [HistoryMark] = []
    /// Marks of the query's needs of which a part was deleted from history.
    package var purgedMarks: [HistoryMark] = []

    package init() {}
}
