import CoreDataRowStorage
import CoreDataRuntimeSupport

/// The contents of one objects-did-change notification.
///
/// A context fills the same one for each event: to make small sets and free them takes longer than to fill them.
final class ChangeNotice {
    @exclusivity(unchecked) private(set) var sets = NoticeSets<NSManagedObject>()
    /// Whether a save that follows at once reports at least the same objects under the same keys.
    @exclusivity(unchecked) private(set) var isPartOfSave = true
    /// It is being filled, or observers are told of it: code of the program's may save, and empty notices, meanwhile.
    @exclusivity(unchecked) fileprivate var isInUse = false
    /// What objects were before the event, where that is not what is saved. Kept while observers are told.
    @exclusivity(unchecked) private var starts: ContiguousArray<(object: ObjectIdentifier, start: EventStart)> = []
    /// The same by object, put together when an observer asks.
    @exclusivity(unchecked) private var startsByObject: [ObjectIdentifier: EventStart]?

    /// To be called first, on an empty notice, which is in use until it was posted.
    ///
    /// - Parameters:
    ///   - refreshed: Objects whose values were refreshed or merged.
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

    /// Makes room: sets that grow as they are filled would hash every member several times.
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
    /// A new object is reported as inserted once, then as updated. One that is inserted and deleted in the same event is
    /// reported as deleted only, as at Apple. A deletion that is taken back is an insertion to those who watch.
    func add(_ object: NSManagedObject) {
        let state = object._state
        // Deleted by another context: one of those given at the start.
        if state.isErased { return }
        if state.isDeleted {
            guard !state.contains(.deletionReported) else { return }
            if state.isInserted { isPartOfSave = false }
            object._state.insert(.deletionReported)
            // Brought in by a merge and deleted at once: nobody needs to know.
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
            // `insert(_:)` would count one more reference, for what it returns.
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
        context.post(.NSManagedObjectContextObjectsDidChange, NoticeForm.objects(mask), sets)
    }

    // MARK: What observers may ask

    /// What one object was before an event.
    struct EventStart {
        /// Its row; nil where that is the row that is saved.
        var row: RowSnapshot?
        /// The members of changed to-many relationships, by relationship index.
        var members: [(index: Int, members: ContiguousArray<NSManagedObject>)] = []
    }

    /// Keeps what an object was before the event that ends now.
    func keep(_ start: EventStart, of object: NSManagedObject) {
        if start.row != nil || !start.members.isEmpty { starts.append((ObjectIdentifier(object), start)) }
    }

    /// What an object was before the event that is being reported; nil if the event did not change it.
    func start(of object: NSManagedObject) -> EventStart? {
        // One that another context deleted was not changed here.
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
    /// Empties a notice for the next event, unless it is still needed.
    final func recycle(_ notice: ChangeNotice) {
        guard notice !== changes.lastNotice, !notice.isInUse else { return }
        notice.clear()
        changes.recycle(notice: notice)
    }
}
