import Foundation

/// What was done to an object. Raw values are Apple's and those of the store file.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    /// The object was inserted.
    case insert = 0
    /// The object was updated.
    case update = 1
    /// The object was deleted.
    case delete = 2
}

/// One changed object of a transaction. Does not change; may be used on any thread.
open class NSPersistentHistoryChange: NSObject, NSCopying, @unchecked Sendable {
    /// Number of the change, ascending in its store.
    public final let changeID: Int64
    /// The object that was changed.
    public final let changedObjectID: NSManagedObjectID
    /// What was done to it.
    public final let changeType: NSPersistentHistoryChangeType
    /// For a deletion, the values of attributes that are kept in history.
    public final let tombstone: [AnyHashable: Any]?
    /// For an update, the properties that changed.
    public final let updatedProperties: Set<NSPropertyDescription>?
    /// The transaction the change was part of; held by the result of the request, not by the change.
    public internal(set) final weak var transaction: NSPersistentHistoryTransaction?

    init(
        changeID: Int64,
        changedObjectID: NSManagedObjectID,
        changeType: NSPersistentHistoryChangeType,
        tombstone: [AnyHashable: Any]?,
        updatedProperties: Set<NSPropertyDescription>?
    ) {
        self.changeID = changeID
        self.changedObjectID = changedObjectID
        self.changeType = changeType
        self.tombstone = tombstone
        self.updatedProperties = updatedProperties
        super.init()
    }

    /// The change itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override var description: String {
        let names = updatedProperties.map { $0.map(\.name).sorted().joined(separator: ", ") }
        return "<NSPersistentHistoryChange \(changeID) \(changedObjectID) \(changeType), "
            + "properties \(names ?? "(null)")>"
    }
}
