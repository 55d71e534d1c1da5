import Foundation

/// What was done to an object. Raw values are Apple's and those of the store file.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    /// The object was inserted.
    case insert = 0
    /// The object was updated.
    case update = 1
    /// The object was deleted.
    case delete = 2

    /// Where did-save notifications of object IDs have what was changed so.
    var objectIDsKey: String {
        switch self {
        case .insert: NSInsertedObjectIDsKey
        case .update: NSUpdatedObjectIDsKey
        case .delete: NSDeletedObjectIDsKey
        }
    }
}

/// One changed object of a transaction. Does not change; may be used on any thread.
open class NSPersistentHistoryChange: NSObject, NSCopying, @unchecked Sendable {
    /// Number of the change, ascending in its store.
    open internal(set) var changeID: Int64 = 0
    /// The object that was changed.
    open var changedObjectID: NSManagedObjectID { knownID ?? NSManagedObjectID() }
    private final var knownID: NSManagedObjectID?
    /// What was done to it.
    open internal(set) var changeType = NSPersistentHistoryChangeType.insert
    /// For a deletion, the values of attributes that are kept in history.
    open internal(set) var tombstone: [AnyHashable: Any]?
    /// For an update, the properties that changed.
    open internal(set) var updatedProperties: Set<NSPropertyDescription>?
    /// The transaction the change was part of. A transaction with its changes holds them, and is not held by them.
    open internal(set) weak var transaction: NSPersistentHistoryTransaction?
    private final var keptTransaction: NSPersistentHistoryTransaction?

    convenience init(
        changeID: Int64,
        changedObjectID: NSManagedObjectID,
        changeType: NSPersistentHistoryChangeType,
        tombstone: [AnyHashable: Any]?,
        updatedProperties: Set<NSPropertyDescription>?
    ) {
        self.init()
        knownID = changedObjectID
        self.changeID = changeID
        self.changeType = changeType
        self.tombstone = tombstone
        self.updatedProperties = updatedProperties
    }

    /// Holds the transaction, which must not hold the change.
    final func keepTransaction() { keptTransaction = transaction }

    /// The change itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override var description: String {
        let names = updatedProperties.map { $0.map(\.name).sorted().joined(separator: ", ") }
        return "<NSPersistentHistoryChange \(changeID) \(changedObjectID) \(changeType), "
            + "properties \(names ?? "(null)")>"
    }

    /// A change of no object, for subclasses.
    public override init() { super.init() }
}
