import CoreDataRowStorage
import Foundation

/// A conflict of an object changed in a context and, meanwhile, in the store.
///
/// Snapshots contain attributes and to-one relationships (as object IDs), but no to-many relationships. To be used on the
/// context's queue.
open class NSMergeConflict: NSObject {
    /// The object that could not be saved.
    open internal(set) var sourceObject: NSManagedObject
    /// The object's values in the context.
    open internal(set) var objectSnapshot: [String: Any]? {
        get { ownSnapshot.values }
        set { ownSnapshot = ConflictSnapshot(newValue) }
    }
    /// The values that the object's changes are based on.
    open internal(set) var cachedSnapshot: [String: Any]? {
        get { oldSnapshot.values }
        set { oldSnapshot = ConflictSnapshot(newValue) }
    }
    /// The store's values; nil if the row was deleted.
    open internal(set) var persistedSnapshot: [String: Any]? {
        get { newSnapshot.values }
        set { newSnapshot = ConflictSnapshot(newValue) }
    }
    /// The version of the store's values; 0 if the row was deleted.
    open internal(set) var newVersionNumber: Int
    /// The version that the object's changes are based on.
    open internal(set) var oldVersionNumber: Int

    private(set) var ownSnapshot: ConflictSnapshot
    private var oldSnapshot: ConflictSnapshot
    private var newSnapshot: ConflictSnapshot
    /// The store's row; nil if it was deleted, or if a caller made the conflict.
    final var newRow: RowSnapshot?

    /// Creates a conflict with the object's current values.
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

    /// Creates a conflict of an unusable object, for code written against Objective-C's `init`.
    public convenience override init() {
        let object = NSManagedObject(entity: RecorderModel.entity, insertInto: nil)
        self.init(source: object, newVersion: 0, oldVersion: 0, cachedSnapshot: nil, persistedSnapshot: nil)
    }

    /// The names of the properties that this context and the store have changed to different values. Values in external files
    /// are not read.
    final var keysChangedTwice: [String] {
        ConflictValues.keys(of: sourceObject.entity).filter { key in
            guard [ownSnapshot, oldSnapshot, newSnapshot].allSatisfy({ $0.file(key) == nil }) else { return false }
            let old = oldSnapshot.value(key), own = ownSnapshot.value(key), new = newSnapshot.value(key)
            return !ConflictValues.areEqual(own, old) && !ConflictValues.areEqual(new, old)
                && !ConflictValues.areEqual(own, new)
        }
    }

    /// Returns a property's value in the context and that in the store.
    final func values(ofKey key: String) -> (own: Any?, stored: Any?) {
        (ownSnapshot.value(key), newSnapshot.value(key))
    }

    open override var description: String {
        "NSMergeConflict for \(sourceObject.objectID), oldVersion = \(oldVersionNumber) and newVersion = "
            + (newVersionNumber == 0 ? "<deleted>" : "\(newVersionNumber)")
    }
}

extension CocoaError {
    /// The conflicts that made a save fail (`NSPersistentStoreSaveConflictsErrorKey`).
    public var persistentStoreSaveConflicts: [NSMergeConflict]? {
        userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    }
}
