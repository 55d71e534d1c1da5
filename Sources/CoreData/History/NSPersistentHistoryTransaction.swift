import CoreDataRowStorage
import Foundation

/// One save of a store, as its history remembers it. Does not change; may be used on any thread.
open class NSPersistentHistoryTransaction: NSObject, NSCopying, @unchecked Sendable {
    /// When the transaction was written.
    open internal(set) var timestamp = Date()
    /// Number of the transaction, ascending in its store.
    open internal(set) var transactionNumber: Int64 = 0
    private final var place = HistoryPlace.start
    /// Identifier of the store.
    open internal(set) var storeID = ""
    /// Identifier of the bundle of the program that wrote it.
    open internal(set) var bundleID = ""
    /// Name and number of the process that wrote it.
    open internal(set) var processID = ""
    /// The `name` of the context that saved.
    open internal(set) var contextName: String?
    /// The `transactionAuthor` of the context that saved.
    open internal(set) var author: String?
    /// The changes; nil when only transactions were asked for.
    open internal(set) var changes: [NSPersistentHistoryChange]?

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

    /// The place in history right after this transaction.
    open var token: NSPersistentHistoryToken {
        let written = timestamp.timeIntervalSinceReferenceDate
        return NSPersistentHistoryToken([storeID: HistoryMark(place: place, timestamp: written)])
    }

    /// A notification shaped as a context's did-save notification of object IDs, for `mergeChanges(fromContextDidSave:)`.
    open func objectIDNotification() -> Notification {
        let sets = Self.objectIDs(of: changes ?? [])
        return Notification(name: .NSManagedObjectContextDidSaveObjectIDs, object: self, userInfo: sets)
    }

    /// The changed objects by what was done to them, under the keys of did-save notifications.
    static func objectIDs(of changes: [NSPersistentHistoryChange]) -> [String: Set<NSManagedObjectID>] {
        var sets: [String: Set<NSManagedObjectID>] = [:]
        for change in changes { sets[change.changeType.objectIDsKey, default: []].insert(change.changedObjectID) }
        return sets
    }

    /// The transaction itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override var description: String {
        "<NSPersistentHistoryTransaction \(transactionNumber) of \(timestamp), author \(author ?? "(null)"), "
            + "context \(contextName ?? "(null)"), store \(storeID), \(changes?.count ?? 0) changes>"
    }

    /// A transaction of no store, for subclasses.
    public override init() { super.init() }
}
