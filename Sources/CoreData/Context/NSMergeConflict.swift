import Foundation

/// An object that changed in a context and, meanwhile, in the store.
///
/// Snapshots hold attributes and to-one relationships (as object IDs), never to-many ones. To be used on the context's
/// queue.
open class NSMergeConflict: NSObject {
    /// The object that could not be saved.
    open internal(set) var sourceObject: NSManagedObject
    /// The object's values in the context.
    open internal(set) var objectSnapshot: [String: Any]? {
        get { ownSnapshot.values }
        set { ownSnapshot = ConflictSnapshot(newValue) }
    }
    /// The values the object's changes began from.
    open internal(set) var cachedSnapshot: [String: Any]? {
        get { oldSnapshot.values }
        set { oldSnapshot = ConflictSnapshot(newValue) }
    }
    /// The store's values; nil when the row is gone.
    open internal(set) var persistedSnapshot: [String: Any]? {
        get { newSnapshot.values }
        set { newSnapshot = ConflictSnapshot(newValue) }
    }
    /// Version of the newer values; 0 when the row was deleted.
    open internal(set) var newVersionNumber: Int
    /// Version the object's changes began from.
    open internal(set) var oldVersionNumber: Int

    private(set) var ownSnapshot: ConflictSnapshot
    private var oldSnapshot: ConflictSnapshot
    private var newSnapshot: ConflictSnapshot

    /// A conflict over an object; the object's values are taken as they are now.
    public convenience init(
        source srcObject: NSManagedObject,
        newVersion newvers: Int,
        oldVersion oldvers: Int,
        cachedSnapshot cachesnap: [String: Any]?,
        persistedSnapshot persnap: [String: Any]?
    ) {
        self.init(srcObject, newvers, oldvers, ConflictSnapshot(cachesnap), ConflictSnapshot(persnap))
    }

    init(
        _ object: NSManagedObject, _ newvers: Int, _ oldvers: Int, _ cached: ConflictSnapshot,
        _ persisted: ConflictSnapshot
    ) {
        sourceObject = object
        ownSnapshot = ConflictSnapshot(of: object)
        oldSnapshot = cached
        newSnapshot = persisted
        newVersionNumber = newvers
        oldVersionNumber = oldvers
        super.init()
    }

    /// A conflict over an object of no use, for code written against Objective-C's `init`.
    public convenience override init() {
        let object = NSManagedObject(entity: RecorderModel.entity, insertInto: nil)
        self.init(source: object, newVersion: 0, oldVersion: 0, cachedSnapshot: nil, persistedSnapshot: nil)
    }

    open override var description: String {
        "NSMergeConflict for \(sourceObject.objectID), oldVersion = \(oldVersionNumber) and newVersion = "
            + (newVersionNumber == 0 ? "<deleted>" : "\(newVersionNumber)")
    }
}

extension CocoaError {
    /// The conflicts that stopped a save (`NSPersistentStoreSaveConflictsErrorKey`).
    public var persistentStoreSaveConflicts: [NSMergeConflict]? {
        userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    }
}
