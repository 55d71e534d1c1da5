/// What has changed in a context: since it was saved last, and since it last processed changes.
///
/// Used on the context's queue only. Objects may run code of the program's when their last reference goes, which may come back
/// here: so nothing is let go inside. What is taken out is handed to the caller.
struct ChangeTracker {
    /// Objects with unsaved changes, each once, in the order they were changed first; and some that have none any more.
    private(set) var objects: ContiguousArray<NSManagedObject> = []
    /// Finds objects with unsaved changes by value, once a fetch has needed that.
    private(set) var index: PendingIndex?
    /// Objects that changed since changes were last processed, each once.
    private(set) var event: ContiguousArray<NSManagedObject> = []
    /// Newly deleted objects whose delete rules have not been applied.
    private(set) var deletions: ContiguousArray<NSManagedObject> = []
    /// Deleted objects whose delete rules could not be applied because the store could not be read.
    private var postponedDeletions: ContiguousArray<NSManagedObject> = []
    /// Objects that were never saved wait for the save to deny their deletion.
    private(set) var hasDeniedDeletions = false
    /// Changes are being processed.
    private(set) var isProcessing = false
    /// On the main queue: its next turn will process changes.
    private(set) var isScheduled = false
    /// In a save, what was last reported as changed, as long as nothing has changed since: the save reports much the same.
    private(set) var lastNotice: ChangeNotice?
    private var keepsNotice = false
    // Kept empty for the next time: to make other arrays and notices takes longer than to fill them.
    private var spareObjects: ContiguousArray<NSManagedObject> = []
    private var spareEvent: ContiguousArray<NSManagedObject> = []
    private var spareNotice: ChangeNotice?

    // MARK: Since the last save

    /// Puts an object among those with unsaved changes.
    @inline(__always)
    mutating func enlist(_ object: NSManagedObject) {
        object._state.insert(.changedInSave)
        guard !object._state.contains(.enlisted) else { return }
        object._state.insert(.enlisted)
        objects.append(object)
    }

    /// Takes out the last object if it has no unsaved changes any more.
    mutating func takeLastUnchanged() -> NSManagedObject? {
        guard let last = objects.last, !last._state.isChanged else { return nil }
        last._state.remove(.enlisted)
        index?.removeLast(last, at: objects.count - 1)
        return objects.removeLast()
    }

    /// Goes on with those objects alone that still have unsaved changes.
    ///
    /// - Returns: all objects there were, to be given to ``recycle(objects:)``.
    mutating func compact() -> ContiguousArray<NSManagedObject> {
        dropIndex()
        var listed = spareObjects
        spareObjects = []
        swap(&listed, &objects)
        listed.forEachUnretained { object in
            if object._state.isChanged { objects.append(object) } else { object._state.remove(.enlisted) }
        }
        return listed
    }

    mutating func recycle(objects: consuming ContiguousArray<NSManagedObject>) { spareObjects = objects }

    // MARK: The index

    /// Drops the index: positions among the changed objects are about to mean other objects.
    @inline(__always)
    mutating func dropIndex() {
        if index != nil { index = nil }
    }

    /// The index, made if there is none.
    mutating func makeIndex() -> PendingIndex {
        if let index { return index }
        let made = PendingIndex()
        index = made
        return made
    }

    /// Passes an event's objects on to the index.
    @inline(never)
    mutating func noteInIndex(_ objects: ContiguousArray<NSManagedObject>) {
        guard let index else { return }
        objects.forEachUnretained { index.note($0) }
        // Read again only by the next fetch that needs it, if ever.
        if index.isOutgrown { self.index = nil }
    }

    // MARK: The current event

    mutating func beginProcessing() { isProcessing = true }
    mutating func endProcessing() { isProcessing = false }
    mutating func schedule(_ isScheduled: Bool) { self.isScheduled = isScheduled }

    /// An object changes for the first time in this event.
    @inline(__always)
    mutating func join(_ object: NSManagedObject) {
        object._state.insert(.inEvent)
        event.append(object)
        // Last: objects that only the notice held may go with it, and run code of the program's.
        if keepsNotice { lastNotice = nil }
    }

    /// Ends the event.
    ///
    /// - Returns: its objects, to be given to ``recycle(event:)``.
    mutating func takeEvent() -> ContiguousArray<NSManagedObject> {
        var objects = spareEvent
        spareEvent = []
        swap(&objects, &event)
        return objects
    }

    mutating func recycle(event: consuming ContiguousArray<NSManagedObject>) { spareEvent = event }

    /// Has the delete rules of a deletion applied when changes are processed.
    mutating func note(deletionOf object: NSManagedObject) { deletions.append(object) }

    mutating func takeDeletions() -> ContiguousArray<NSManagedObject> {
        defer { deletions = [] }
        return deletions
    }

    /// Has delete rules applied when the store can be read again.
    mutating func postpone(deletionsOf objects: some Sequence<NSManagedObject>) {
        postponedDeletions.append(contentsOf: objects)
    }

    mutating func resumePostponedDeletions() {
        if postponedDeletions.isEmpty { return }
        deletions += postponedDeletions
        postponedDeletions = []
    }

    mutating func noteDeniedDeletion() { hasDeniedDeletions = true }

    mutating func forgetDeniedDeletions() { hasDeniedDeletions = false }

    // MARK: Notices

    /// Begins to keep what is reported, or ends that.
    mutating func keepNotices(_ keeps: Bool) { keepsNotice = keeps }

    mutating func note(reported notice: ChangeNotice) {
        if keepsNotice { lastNotice = notice }
    }

    mutating func forgetLastNotice() { lastNotice = nil }

    /// An empty notice.
    mutating func takeNotice() -> ChangeNotice {
        guard let notice = spareNotice else { return ChangeNotice() }
        spareNotice = nil
        return notice
    }

    /// Keeps an emptied notice for the next event.
    mutating func recycle(notice: ChangeNotice) { spareNotice = notice }

    // MARK: Leaving

    /// Everything is taken back or forgotten.
    ///
    /// - Returns: the objects there were.
    mutating func removeAll() -> [ContiguousArray<NSManagedObject>] {
        dropIndex()
        defer { (objects, event, deletions, postponedDeletions) = ([], [], [], []) }
        return [objects, event, deletions]
    }

    /// Some objects leave with their store. Their events have been ended.
    ///
    /// - Returns: the lists there were.
    mutating func remove(where isGone: (NSManagedObject) -> Bool) -> [ContiguousArray<NSManagedObject>] {
        dropIndex()
        let old = [objects, event, deletions]
        for object in objects where isGone(object) { object._state.remove(.enlisted) }
        objects.removeAll(where: isGone)
        event.removeAll(where: isGone)
        deletions.removeAll(where: isGone)
        return old
    }
}

extension NSManagedObjectContext {
    /// An object is about to change: it takes part in the current event, has a row of its own to be changed, and is to be saved.
    @inline(__always)
    final func noteChange(of object: NSManagedObject) {
        checkQueue(object)
        if !object._state.contains(.inEvent) { enterEvent(object) }
        if !object._state.contains(.ownsRow) { object.makeOwnRow(in: .passUnretained(self)) }
        if object._state.life == .saved { object.move(to: .updated) }
        changes.enlist(object)
    }

    /// An object changes for the first time since changes were processed: what it was is kept.
    final func enterEvent(_ object: NSManagedObject) {
        object.keepEventStart(in: .passUnretained(self))
        joinEvent(object)
    }

    /// The same for an object without anything to be kept.
    @inline(__always)
    final func joinEvent(_ object: NSManagedObject) {
        changes.join(object)
        if queueKind == .mainQueueConcurrencyType { scheduleProcessing() }
    }

    /// Forgets the entries of objects that have no unsaved changes any more.
    final func compactChanged() {
        var listed = changes.compact()
        listed.removeAll(keepingCapacity: listed.capacity < 4096)
        changes.recycle(objects: listed)
    }
}
