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

    /// True if anything changed since the last change-processing pass.
    final var hasPendingChanges: Bool {
        !changes.event.isEmpty || (propagatesDeletesAtEndOfEvent && !changes.deletions.isEmpty)
            || !arrivals.news.isEmpty
    }

    /// Processes changes, and those that observers make in response, until none are left or 100 passes have run.
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
        // Observers of the undo manager may make changes, which belong to the next pass.
        if let undo, let undoManager { undoRecorder.register(undo, in: undoManager) }
        // From here on observers may make and process changes.
        changes.endProcessing()
        updateViews()
        notice.post(from: self)
        for object in vanished where object._state.life == .discarded {
            // A new object deleted before its first save. Undo may still restore it.
            if object.isDeletionDenied {
                // The save reports the error.
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

    /// Unregisters deleted objects that were never saved, once no delete rule denies their deletion.
    final func releaseVanished() {
        guard changes.hasDeniedDeletions else { return }
        changes.forgetDeniedDeletions()
        for object in changes.objects where object._state.life == .discarded { release(vanished: object) }
        compactChanged()
    }

    /// Updates the mutable collections that the program holds of refreshed relationships.
    final func updateViews() {
        guard !staleViews.isEmpty else { return }
        let views = staleViews
        staleViews = []
        for view in views { view.view?.update() }
    }

    /// Unregisters an object with a deleted row, or one that no longer belongs to this context.
    final func forget(_ object: NSManagedObject) {
        registry.release(object)
        saves.unlock(object)
        object.detachFromContext()
    }
}
