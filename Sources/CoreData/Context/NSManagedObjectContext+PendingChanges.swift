extension NSManagedObjectContext {
    /// Applies delete rules, registers undo, and posts what changed since the last time. Called by itself at the end of
    /// ``perform(_:)`` blocks, on the main queue's next turn, and before fetches and saves.
    ///
    /// What observers of the notification change is processed the next time.
    public final func processPendingChanges() {
        checkQueue()
        guard !isProcessing, hasPendingChanges else { return }
        isProcessing = true
        if propagatesDeletesAtEndOfEvent { propagateDeletes() }
        finishEvent()
    }

    /// Whether anything happened since changes were last processed.
    final var hasPendingChanges: Bool {
        !event.isEmpty || (propagatesDeletesAtEndOfEvent && !deletions.isEmpty) || !eventRefreshed.isEmpty
            || !eventMergedInserts.isEmpty || !eventMergedDeletes.isEmpty
    }

    /// Processes changes, and what observers change in answer, until nothing is left or they prove to answer without end.
    final func processAllPendingChanges() {
        for _ in 0..<100 where hasPendingChanges { processPendingChanges() }
    }

    private final func finishEvent() {
        let objects = event
        var vanished: [NSManagedObject] = []
        if let undoManager { undoRecorder.record(objects, in: undoManager) }
        var notice = ChangeNotice(refreshed: eventRefreshed, inserted: eventMergedInserts, deleted: eventMergedDeletes)
        let merged = eventMergedDeletes
        event.removeAll(keepingCapacity: objects.count < 4096)
        eventRefreshed = []
        eventMergedInserts = []
        eventMergedDeletes = []
        notice.reserve(for: objects)
        objects.forEachUnretained { object in
            notice.add(object)
            object.endEvent()
            if object._state.contains([.inserted, .deleted]) { vanished.append(object) }
        }
        if keepsNotice { lastNotice = notice }
        // From here on observers may make changes, and process them.
        isProcessing = false
        updateViews()
        notice.post(from: self)
        for object in vanished where object._state.contains([.inserted, .deleted]) {
            // A new object that was deleted before it was saved. Undo may still bring it back.
            retained.remove(object)
            object.leave()
        }
        for object in merged { forget(object) }
    }

    /// Brings the views up to date that somebody holds of relationships which were refreshed.
    final func updateViews() {
        guard !staleViews.isEmpty else { return }
        let views = staleViews
        staleViews = []
        for view in views { view.view?.update() }
    }

    /// The row of an object is gone, or it belongs here no longer.
    final func forget(_ object: NSManagedObject) {
        if !retained.isEmpty { retained.remove(object) }
        if !locked.isEmpty { locked.remove(object) }
        object.die()
    }
}

/// The contents of one objects-did-change notification.
struct ChangeNotice {
    private(set) var sets = NoticeSets<NSManagedObject>()
    /// Whether a save that follows at once reports at least the same objects under the same keys.
    private(set) var isPartOfSave: Bool

    /// - Parameters:
    ///   - refreshed: Objects whose values were refreshed or merged.
    ///   - inserted: Objects that another context inserted.
    ///   - deleted: Objects that another context deleted, perhaps after they were deleted here.
    init(
        refreshed: ContiguousArray<NSManagedObject> = [], inserted: ContiguousArray<NSManagedObject> = [],
        deleted: ContiguousArray<NSManagedObject> = []
    ) {
        isPartOfSave = refreshed.isEmpty && inserted.isEmpty && deleted.isEmpty
        if isPartOfSave { return }
        sets.refreshed = Set(refreshed)
        sets.inserted = Set(inserted)
        sets.deleted = Set(deleted.lazy.filter { !$0._state.contains(.deletionReported) })
    }

    /// Makes room: sets that grow as they are filled would hash every member several times.
    mutating func reserve(for objects: ContiguousArray<NSManagedObject>) {
        var (insertions, updates, deletions) = (0, 0, 0)
        objects.forEachUnretained { object in
            let state = object._state
            if state.contains(.deleted) {
                deletions += 1
            } else if state.contains(.inserted) {
                insertions += 1
            } else {
                updates += 1
            }
        }
        Self.reserve(&sets.inserted, insertions)
        Self.reserve(&sets.updated, updates)
        Self.reserve(&sets.deleted, deletions)
    }

    @inline(__always)
    private static func reserve(_ set: inout Set<NSManagedObject>, _ count: Int) {
        guard count > 0 else { return }
        // Twice the room makes for half the collisions, each of which costs a comparison.
        let capacity = count > 16 ? count * 2 : count
        if set.isEmpty {
            set = Set(minimumCapacity: capacity)
        } else {
            set.reserveCapacity(set.count + capacity)
        }
    }

    /// Adds an object that changed, and notes that it has been reported.
    ///
    /// A new object is reported as inserted once, then as updated; one deleted before it was saved is reported as deleted
    /// only to those who know it. A deletion that is taken back is an insertion to those who watch.
    mutating func add(_ object: NSManagedObject) {
        let state = object._state
        // Deleted by another context: one of those given at the start.
        if state.contains(.deletionSaved) { return }
        if state.contains(.deleted) {
            guard !state.contains(.deletionReported) else { return }
            if state.contains(.inserted), !state.contains(.insertionReported) { return }
            if state.contains(.inserted) { isPartOfSave = false }
            object._state.insert(.deletionReported)
            // Brought in by a merge and deleted at once: nobody needs to know.
            if sets.inserted.isEmpty || sets.inserted.remove(object) == nil { sets.deleted.insert(object) }
        } else if state.contains(.deletionReported) {
            isPartOfSave = false
            object._state.remove(.deletionReported)
            if state.contains(.inserted) { object._state.insert(.insertionReported) }
            sets.inserted.insert(object)
        } else if state.contains(.inserted) {
            if state.contains(.insertionReported) {
                isPartOfSave = false
                sets.updated.insert(object)
            } else {
                object._state.insert(.insertionReported)
                sets.inserted.insert(object)
            }
        } else if state.contains(.updated), !sets.inserted.contains(object) {
            sets.updated.insert(object)
        }
    }

    func post(from context: NSManagedObjectContext) {
        let mask =
            (sets.inserted.isEmpty ? 0 : 1) | (sets.updated.isEmpty ? 0 : 2) | (sets.deleted.isEmpty ? 0 : 4)
            | (sets.refreshed.isEmpty ? 0 : 8)
        guard mask != 0 else { return }
        context.post(.NSManagedObjectContextObjectsDidChange, NoticeForm.objects[mask], sets)
    }
}
