import CoreDataRowStorage
import CoreDataRuntimeSupport

/// The contents of one objects-did-change notification.
///
/// A context reuses one instance for each change-processing pass, because allocating and freeing small sets takes longer than
/// filling them.
final class ChangeNotice {
    @exclusivity(unchecked) private(set) var sets = NoticeSets<NSManagedObject>()
    /// True if a save that follows immediately reports at least the same objects under the same keys.
    @exclusivity(unchecked) private(set) var isPartOfSave = true
    /// True while it is filled or posted. Meanwhile observers may save, and so empty notices.
    @exclusivity(unchecked) fileprivate var isInUse = false
    /// The states of objects before the pass, where they differ from the saved state. Kept while observers are notified.
    @exclusivity(unchecked) private var starts: ContiguousArray<(object: ObjectIdentifier, start: EventStart)> = []
    /// The same by object, built when an observer asks first.
    @exclusivity(unchecked) private var startsByObject: [ObjectIdentifier: EventStart]?

    /// Starts filling an empty notice, which is in use until it has been posted. Must be called before other functions.
    ///
    /// - Parameters:
    ///   - refreshed: Objects with refreshed or merged values.
    ///   - inserted: Objects that another context inserted.
    ///   - deleted: Objects that another context deleted, perhaps after they were deleted here.
    func begin(
        refreshed: ContiguousArray<NSManagedObject> = [], inserted: ContiguousArray<NSManagedObject> = [],
        deleted: ContiguousArray<NSManagedObject> = []
    ) {
        isInUse = true
        isPartOfSave = refreshed.isEmpty && inserted.isEmpty && deleted.isEmpty
        if isPartOfSave { return }
        sets.refreshed = Set(refreshed)
        sets.inserted = Set(inserted)
        sets.deleted = Set(deleted.lazy.filter { !$0._state.contains(.deletionReported) })
    }

    /// Reserves capacity for `objects`: growing a set while filling it would hash every member several times.
    func reserve(for objects: ContiguousArray<NSManagedObject>) {
        var (insertions, updates, deletions) = (0, 0, 0)
        objects.forEachUnretained { object in
            let state = object._state
            if state.isDeleted {
                deletions += 1
            } else if state.isInserted {
                insertions += 1
            } else {
                updates += 1
            }
        }
        sets.reserve(inserted: insertions, updated: updates, deleted: deletions)
    }

    /// Adds an object that changed, and notes that it has been reported.
    ///
    /// A new object is reported as inserted once, then as updated. One that is inserted and deleted in the same pass is
    /// reported as deleted only, as Apple's framework does. A deletion that is undone is reported as an insertion.
    func add(_ object: NSManagedObject) {
        let state = object._state
        // Deleted by another context, so already added by `begin`.
        if state.isErased { return }
        if state.isDeleted {
            guard !state.contains(.deletionReported) else { return }
            if state.isInserted { isPartOfSave = false }
            object._state.insert(.deletionReported)
            // Inserted by a merge and deleted in the same pass: not reported.
            if sets.inserted.isEmpty || sets.inserted.remove(object) == nil { sets.deleted.insert(object) }
        } else if state.contains(.deletionReported) {
            isPartOfSave = false
            object._state.remove(.deletionReported)
            if state.isInserted { object._state.insert(.insertionReported) }
            sets.inserted.insert(object)
        } else if state.isInserted {
            if state.contains(.insertionReported) {
                isPartOfSave = false
                sets.updated.insert(object)
            } else {
                object._state.insert(.insertionReported)
                sets.inserted.insert(object)
            }
        } else if state.isUpdated, sets.inserted.isEmpty || !sets.inserted.contains(object) {
            // `insert(_:)` would retain once more, for the value it returns.
            sets.updated.update(with: object)
        }
    }

    func post(from context: NSManagedObjectContext) {
        let outer = context.reportedNotice
        defer {
            context.reportedNotice = outer
            starts.removeAll(keepingCapacity: starts.count < 4096)
            startsByObject = nil
            isInUse = false
        }
        let mask =
            (sets.inserted.isEmpty ? 0 : 1) | (sets.updated.isEmpty ? 0 : 2) | (sets.deleted.isEmpty ? 0 : 4)
            | (sets.refreshed.isEmpty ? 0 : 8)
        guard mask != 0 else { return }
        context.reportedNotice = self
        if let reads = context.observedReads { reads.report(sets) }
        context.post(.NSManagedObjectContextObjectsDidChange, NoticeForm.objects(mask), sets)
    }

    // MARK: What observers may ask

    /// The state of one object before a change-processing pass.
    struct EventStart {
        /// The object's row; nil if it equals the saved row.
        var row: RowSnapshot?
        /// The members of changed to-many relationships, by relationship index.
        var members: [(index: Int, members: ContiguousArray<NSManagedObject>)] = []
    }

    /// Keeps the state of an object from before the pass that ends now.
    func keep(_ start: EventStart, of object: NSManagedObject) {
        if start.row != nil || !start.members.isEmpty { starts.append((ObjectIdentifier(object), start)) }
    }

    /// Returns the state of an object before the pass that is being reported; nil if the pass did not change it.
    func start(of object: NSManagedObject) -> EventStart? {
        // An object deleted by another context was not changed here.
        guard !object._state.isErased,
            sets.deleted.contains(object) || sets.updated.contains(object) || sets.inserted.contains(object)
        else { return nil }
        if starts.isEmpty { return EventStart() }
        let known =
            startsByObject
            ?? Dictionary(starts.lazy.map { ($0.object, $0.start) }, uniquingKeysWith: { first, _ in first })
        startsByObject = known
        return known[ObjectIdentifier(object)] ?? EventStart()
    }

    fileprivate func clear() {
        sets.clear()
        isPartOfSave = true
    }
}

extension NSManagedObjectContext {
    /// Empties a notice for the next pass, unless it is still needed.
    final func recycle(_ notice: ChangeNotice) {
        guard notice !== changes.lastNotice, !notice.isInUse else { return }
        notice.clear()
        changes.recycle(notice: notice)
    }
}
