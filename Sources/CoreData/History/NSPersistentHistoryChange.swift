import Foundation

/// The kind of change of an object. Raw values are Apple's and those in the store file.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    /// The object was inserted.
    case insert = 0
    /// The object was updated.
    case update = 1
    /// The object was deleted.
    case delete = 2

    /// The key of such changes in did-save notifications of object IDs.
    var objectIDsKey: String {
        switch self {
        case .insert: NSInsertedObjectIDsKey
        case .update: NSUpdatedObjectIDsKey
        case .delete: NSDeletedObjectIDsKey
        }
    }
}

/// A changed object of a transaction. Immutable; may be used on any thread.
open class NSPersistentHistoryChange: NSObject, NSCopying, @unchecked Sendable {
    /// The number of the change, ascending within its store.
    open internal(set) var changeID: Int64 = 0
    /// The ID of the changed object.
    open var changedObjectID: NSManagedObjectID { knownID ?? NSManagedObjectID() }
    private final var knownID: NSManagedObjectID?
    /// The kind of change.
    open internal(set) var changeType = NSPersistentHistoryChangeType.insert
    /// The attribute values that history keeps of a deleted object.
    open internal(set) var tombstone: [AnyHashable: Any]?
    /// The changed properties of an updated object.
    open internal(set) var updatedProperties: Set<NSPropertyDescription>?
    /// The transaction of the change. A transaction with changes retains them, and they refer to it weakly.
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

    /// Retains the transaction, which must not retain the change.
    final func keepTransaction() { keptTransaction = transaction }

    /// Returns the change itself, because changes are immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override var description: String {
        let names = updatedProperties.map { $0.map(\.name).sorted().joined(separator: ", ") }
        return "<NSPersistentHistoryChange \(changeID) \(changedObjectID) \(changeType), "
            + "properties \(names ?? "(null)")>"
    }

    /// Creates a change without an object, for subclasses.
    public override init() { super.init() }
}
