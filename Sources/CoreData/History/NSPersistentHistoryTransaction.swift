import CoreDataRowStorage
import Foundation

/// The record of a save in a store's history. Immutable; may be used on any thread.
open class NSPersistentHistoryTransaction: NSObject, NSCopying, @unchecked Sendable {
    /// The time at which the transaction was written.
    open internal(set) var timestamp = Date()
    /// The number of the transaction, ascending within its store.
    open internal(set) var transactionNumber: Int64 = 0
    private final var place = HistoryPlace.start
    /// The identifier of the store.
    open internal(set) var storeID = ""
    /// The bundle identifier of the program that wrote the transaction.
    open internal(set) var bundleID = ""
    /// The name and number of the process that wrote the transaction.
    open internal(set) var processID = ""
    /// The `name` of the context that saved.
    open internal(set) var contextName: String?
    /// The `transactionAuthor` of the context that saved.
    open internal(set) var author: String?
    /// The changes; nil if the request asked for transactions only.
    open internal(set) var changes: [NSPersistentHistoryChange]?

    /// True if the store that was asked has written the transaction itself, since it was added.
    package final internal(set) var isOwn = false

    convenience init(
        timestamp: Date,
        transactionNumber: Int64,
        place: HistoryPlace,
        storeID: String,
        bundleID: String,
        processID: String,
        contextName: String?,
        author: String?
    ) {
        self.init()
        self.timestamp = timestamp
        self.transactionNumber = transactionNumber
        self.place = place
        self.storeID = storeID
        self.bundleID = bundleID
        self.processID = processID
        self.contextName = contextName
        self.author = author
    }

    /// The token of the place in history directly after this transaction.
    open var token: NSPersistentHistoryToken {
        let written = timestamp.timeIntervalSinceReferenceDate
        return NSPersistentHistoryToken([storeID: HistoryMark(place: place, timestamp: written)])
    }

    /// Returns a notification with the contents of a did-save notification of object IDs, for
    /// `mergeChanges(fromContextDidSave:)`.
    open func objectIDNotification() -> Notification {
        let sets = Self.objectIDs(of: changes ?? [])
        return Notification(name: .NSManagedObjectContextDidSaveObjectIDs, object: self, userInfo: sets)
    }

    /// Returns the IDs of the changed objects by kind of change, under the keys of did-save notifications.
    static func objectIDs(of changes: [NSPersistentHistoryChange]) -> [String: Set<NSManagedObjectID>] {
        var sets: [String: Set<NSManagedObjectID>] = [:]
        for change in changes { sets[change.changeType.objectIDsKey, default: []].insert(change.changedObjectID) }
        return sets
    }

    /// Returns the transaction itself, because transactions are immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override var description: String {
        "<NSPersistentHistoryTransaction \(transactionNumber) of \(timestamp), author \(author ?? "(null)"), "
            + "context \(contextName ?? "(null)"), store \(storeID), \(changes?.count ?? 0) changes>"
    }

    /// Creates a transaction without a store, for subclasses.
    public override init() { super.init() }
}
