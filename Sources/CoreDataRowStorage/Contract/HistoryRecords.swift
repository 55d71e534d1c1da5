import Foundation
import PredicateFormat

/// What was done to a row. Raw values are those of the store file.
package enum HistoryChangeKind: Int, Sendable {
    case insert = 0
    case update = 1
    case delete = 2
}

/// One transaction of a store, as its history remembers it.
package struct HistoryTransaction {
    package var number: Int64
    package var timestamp: Date
    package var author: String?
    package var contextName: String?
    package var bundleID: String
    package var processID: String

    package init(
        number: Int64, timestamp: Date, author: String?, contextName: String?, bundleID: String, processID: String
    ) {
        self.number = number
        self.timestamp = timestamp
        self.author = author
        self.contextName = contextName
        self.bundleID = bundleID
        self.processID = processID
    }
}

/// One changed row of a transaction.
package struct HistoryChange {
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

/// A transaction by which a place in a store's history is known again.
///
/// The time tells it from another transaction of the same number, which a store that was set back to a backup goes on with.
package struct HistoryMark: Sendable {
    package var number: Int64
    /// When the transaction was written, in seconds since 2001; nil where that is not known.
    package var timestamp: Double?

    package init(number: Int64, timestamp: Double?) {
        self.number = number
        self.timestamp = timestamp
    }
}

/// A place in a store's history.
package enum HistoryPlace {
    case start
    case date(Date)
    /// Right after the transaction of that number.
    case transaction(Int64)
}

/// A question about a store's history.
///
/// Names in the predicate and the order are the properties of `NSPersistentHistoryTransaction` or
/// `NSPersistentHistoryChange`; a `token` is the number of its transaction. nil differs from every value, and `NOT` is true
/// for what is not true.
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
    package var after = HistoryPlace.start
    package var predicate: NSPredicate?
    /// By number where these say nothing.
    package var sortDescriptors: [NSSortDescriptor] = []
    /// 0 for no limit.
    package var limit = 0
    package var offset = 0
    /// The transactions that must be of this history for the question to make sense.
    package var marks: [HistoryMark] = []

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
    /// The first transaction that was not deleted from history when the question was answered; one beyond the last if all
    /// were.
    package var firstKept: Int64 = 0
    /// Those of the query's marks that this history does not have: beyond its end, or written at another time. One that was
    /// deleted from history is taken for its own.
    package var unknownMarks: [HistoryMark] = []

    package init() {}
}
