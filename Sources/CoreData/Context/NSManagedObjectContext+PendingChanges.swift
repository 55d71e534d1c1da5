import CoreDataRuntimeSupport

extension NSManagedObjectContext {
    final func processChanges() {
        checkQueue()
        forgetUnusedBatches()
        guard !changes.isProcessing, hasPendingChanges else { return }
        changes.beginProcessing()
        if propagatesDeletesAtEndOfEvent { propagateDeletes() }
        finishEvent()
        #if DEBUG
        stopIfInvariantsAreBroken()
        #endif
    }

    /// Whether anything happened since changes were last processed.
    final var hasPendingChanges: Bool {
        !changes.event.isEmpty || (propagatesDeletesAtEndOfEvent && !changes.deletions.isEmpty)
            || !arrivals.news.isEmpty
    }

    /// Processes changes, and what observers change in answer, until nothing is left or they prove to answer without end.
    final func processAllPendingChanges() {
        for _ in 0..<100 {
            guard hasPendingChanges else { return }
            processPendingChanges()
        }
    }

    private final func finishEvent() {
        var objects = changes.takeEvent()
        if changes.index != nil { changes.noteInIndex(objects) }
        let undo = undoManager.flatMap { undoRecorder.undo(of: objects, in: $0) }
        var vanished: [NSManagedObject] = []
        let news = arrivals.takeNews()
        let notice = changes.takeNotice()
        notice.begin(refreshed: news.refreshed, inserted: news.inserted, deleted: news.deleted)
        notice.reserve(for: objects)
        objects.forEachUnretained { object in
            notice.add(object)
            object.endEvent(reportedBy: notice)
            if object._state.life == .discarded { vanished.append(object) }
        }
        changes.note(reported: notice)
        // Whoever watches the undo manager may make changes: they are part of the next event.
        if let undo, let undoManager { undoRecorder.register(undo, in: undoManager) }
        // From here on observers may make changes, and process them.
        changes.endProcessing()
        updateViews()
        notice.post(from: self)
        for object in vanished where object._state.life == .discarded {
            // A new object that was deleted before it was saved. Undo may still bring it back.
            if object.isDeletionDenied {
                // The save says so.
                changes.noteDeniedDeletion()
            } else {
                release(vanished: object)
            }
        }
        for object in news.deleted { forget(object) }
        recycle(notice)
        objects.removeAll(keepingCapacity: objects.count < 4096)
        changes.recycle(event: objects)
    }

    private final func release(vanished object: NSManagedObject) {
        registry.release(object)
        object.leave()
    }

    /// Lets the deleted objects that were never saved leave, whose deletion nothing denies any more.
    final func releaseVanished() {
        guard changes.hasDeniedDeletions else { return }
        changes.forgetDeniedDeletions()
        for object in changes.objects where object._state.life == .discarded { release(vanished: object) }
        compactChanged()
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
        registry.release(object)
        saves.unlock(object)
        object.die()
    }
}
