import Foundation

/// One save of a store, as its history remembers it. Does not change; may be used on any thread.
open class NSPersistentHistoryTransaction: NSObject, NSCopying, @unchecked Sendable {
    /// When the transaction was written.
    public final let timestamp: Date
    /// Number of the transaction, ascending in its store.
    public final let transactionNumber: Int64
    /// Identifier of the store.
    public final let storeID: String
    /// Identifier of the bundle of the program that wrote it.
    public final let bundleID: String
    /// Name and number of the process that wrote it.
    public final let processID: String
    /// The `name` of the context that saved.
    public final let contextName: String?
    /// The `transactionAuthor` of the context that saved.
    public final let author: String?
    /// The changes; nil when only transactions were asked for.
    public internal(set) final var changes: [NSPersistentHistoryChange]?

    init(
        timestamp: Date,
        transactionNumber: Int64,
        storeID: String,
        bundleID: String,
        processID: String,
        contextName: String?,
        author: String?
    ) {
        self.timestamp = timestamp
        self.transactionNumber = transactionNumber
        self.storeID = storeID
        self.bundleID = bundleID
        self.processID = processID
        self.contextName = contextName
        self.author = author
        super.init()
    }

    /// The place in history right after this transaction.
    open var token: NSPersistentHistoryToken {
        NSPersistentHistoryToken(transactionNumbers: [storeID: transactionNumber])
    }

    /// A notification shaped as a context's did-save notification of object IDs, for `mergeChanges(fromContextDidSave:)`.
    open func objectIDNotification() -> Notification {
        let sets = Self.objectIDs(of: changes ?? [])
        return Notification(name: .NSManagedObjectContextDidSaveObjectIDs, object: self, userInfo: sets)
    }

    /// The changed objects by what was done to them, under the keys of did-save notifications.
    static func objectIDs(of changes: [NSPersistentHistoryChange]) -> [String: Set<NSManagedObjectID>] {
        var sets: [String: Set<NSManagedObjectID>] = [:]
        for change in changes {
            let key =
                switch change.changeType {
                case .insert: NSInsertedObjectIDsKey
                case .update: NSUpdatedObjectIDsKey
                case .delete: NSDeletedObjectIDsKey
                }
            sets[key, default: []].insert(change.changedObjectID)
        }
        return sets
    }

    /// The transaction itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override var description: String {
        "<NSPersistentHistoryTransaction \(transactionNumber) of \(timestamp), author \(author ?? "(null)"), "
            + "context \(contextName ?? "(null)"), store \(storeID), \(changes?.count ?? 0) changes>"
    }
}
