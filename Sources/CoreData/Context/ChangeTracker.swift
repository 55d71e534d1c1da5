/// The changes of a context: since its last save, and since the last `processPendingChanges()`.
///
/// Used on the context's queue only. Releasing the last reference to an object may run the program's code, which may access
/// this structure again. Mutating functions therefore release nothing and return removed objects to the caller.
struct ChangeTracker {
    /// Objects with unsaved changes, each once, in the order of their first change; may contain objects that no longer have
    /// any.
    private(set) var objects: ContiguousArray<NSManagedObject> = []
    /// The index of objects with unsaved changes by value, built when a fetch needs it.
    private(set) var index: PendingIndex?
    /// Objects changed since the last change-processing pass, each once.
    private(set) var event: ContiguousArray<NSManagedObject> = []
    /// Newly deleted objects; their delete rules have not been applied.
    private(set) var deletions: ContiguousArray<NSManagedObject> = []
    /// Deleted objects with delete rules that could not be applied because the store could not be read.
    private var postponedDeletions: ContiguousArray<NSManagedObject> = []
    /// True if a save must reject the deletion of objects that were never saved.
    private(set) var hasDeniedDeletions = false
    /// True while changes are processed.
    private(set) var isProcessing = false
    /// True if processing is scheduled for the next iteration of the main queue.
    private(set) var isScheduled = false
    /// During a save, the last change notification, as long as nothing has changed since: the save reports almost the same.
    private(set) var lastNotice: ChangeNotice?
    private var keepsNotice = false
    // Empty arrays and notices kept for reuse, because allocating new ones takes longer than filling them.
    private var spareObjects: ContiguousArray<NSManagedObject> = []
    private var spareEvent: ContiguousArray<NSManagedObject> = []
    private var spareNotice: ChangeNotice?

    // MARK: Since the last save

    /// Adds an object to those with unsaved changes.
    @inline(__always)
    mutating func enlist(_ object: NSManagedObject) {
        object._state.insert(.changedInSave)
        guard !object._state.contains(.enlisted) else { return }
        object._state.insert(.enlisted)
        objects.append(object)
    }

    /// Removes and returns the last object if it no longer has unsaved changes.
    mutating func takeLastUnchanged() -> NSManagedObject? {
        guard let last = objects.last, !last._state.isChanged else { return nil }
        last._state.remove(.enlisted)
        index?.removeLast(last, at: objects.count - 1)
        return objects.removeLast()
    }

    /// Keeps only the objects that still have unsaved changes.
    ///
    /// - Returns: The previous list, to be passed to ``recycle(objects:)``.
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

    /// Drops the index, because positions in the list of changed objects are about to change.
    @inline(__always)
    mutating func dropIndex() {
        if index != nil { index = nil }
    }

    /// Returns the index, creating it if there is none.
    mutating func makeIndex() -> PendingIndex {
        if let index { return index }
        let made = PendingIndex()
        index = made
        return made
    }

    /// Adds the objects of a change-processing pass to the index.
    @inline(never)
    mutating func noteInIndex(_ objects: ContiguousArray<NSManagedObject>) {
        guard let index else { return }
        objects.forEachUnretained { index.note($0) }
        // The next fetch that needs the index rebuilds it.
        if index.isOutgrown { self.index = nil }
    }

    // MARK: The current event

    mutating func beginProcessing() { isProcessing = true }
    mutating func endProcessing() { isProcessing = false }
    mutating func schedule(_ isScheduled: Bool) { self.isScheduled = isScheduled }

    /// Adds an object that changes for the first time in the current change-processing pass.
    @inline(__always)
    mutating func join(_ object: NSManagedObject) {
        object._state.insert(.inEvent)
        event.append(object)
        // Must be last: releasing the notice may release objects and run the program's code.
        if keepsNotice { lastNotice = nil }
    }

    /// Ends the current pass.
    ///
    /// - Returns: The objects of the pass, to be passed to ``recycle(event:)``.
    mutating func takeEvent() -> ContiguousArray<NSManagedObject> {
        var objects = spareEvent
        spareEvent = []
        swap(&objects, &event)
        return objects
    }

    mutating func recycle(event: consuming ContiguousArray<NSManagedObject>) { spareEvent = event }

    /// Schedules the delete rules of a deletion for the next change-processing pass.
    mutating func note(deletionOf object: NSManagedObject) { deletions.append(object) }

    mutating func takeDeletions() -> ContiguousArray<NSManagedObject> {
        defer { deletions = [] }
        return deletions
    }

    /// Postpones delete rules until the store can be read again.
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

    /// Starts or stops keeping the last change notification.
    mutating func keepNotices(_ keeps: Bool) { keepsNotice = keeps }

    mutating func note(reported notice: ChangeNotice) {
        if keepsNotice { lastNotice = notice }
    }

    mutating func forgetLastNotice() { lastNotice = nil }

    /// Returns an empty notice, the spare one if there is one.
    mutating func takeNotice() -> ChangeNotice {
        guard let notice = spareNotice else { return ChangeNotice() }
        spareNotice = nil
        return notice
    }

    /// Keeps an emptied notice for the next pass.
    mutating func recycle(notice: ChangeNotice) { spareNotice = notice }

    // MARK: Leaving

    /// Removes all objects, after a rollback or reset.
    ///
    /// - Returns: The previous lists, so that the caller releases the objects.
    mutating func removeAll() -> [ContiguousArray<NSManagedObject>] {
        dropIndex()
        defer { (objects, event, deletions, postponedDeletions) = ([], [], [], []) }
        return [objects, event, deletions]
    }

    /// Removes the objects of a removed store. Their change-processing passes must have ended.
    ///
    /// - Returns: The previous lists, so that the caller releases the objects.
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
    /// Prepares an object for a change: adds it to the current pass and to the next save, and gives it a private copy of its
    /// row.
    @inline(__always)
    final func noteChange(of object: NSManagedObject) {
        checkQueue(object)
        if !object._state.contains(.inEvent) { enterEvent(object) }
        if !object._state.contains(.ownsRow) { object.makeOwnRow(in: .passUnretained(self)) }
        if object._state.life == .saved { object.move(to: .updated) }
        changes.enlist(object)
    }

    /// Adds an object to the current change-processing pass and keeps its state from before the change.
    final func enterEvent(_ object: NSManagedObject) {
        object.keepEventStart(in: .passUnretained(self))
        joinEvent(object)
    }

    /// Adds an object to the current change-processing pass without keeping its earlier state.
    @inline(__always)
    final func joinEvent(_ object: NSManagedObject) {
        changes.join(object)
        if queueKind == .mainQueueConcurrencyType { scheduleProcessing() }
    }

    /// Removes the entries of objects that no longer have unsaved changes.
    final func compactChanged() {
        var listed = changes.compact()
        listed.removeAll(keepingCapacity: listed.capacity < 4096)
        changes.recycle(objects: listed)
    }
}
