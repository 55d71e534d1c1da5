extension NSManagedObjectContext {
    final func rollBackChanges() {
        checkQueue()
        undoManager?.removeAllActions()
        forgetReadErrors()
        let objects = Array(changedObjects)
        guard !objects.isEmpty || hasPendingChanges else { return }
        for object in changes.event { object.endEvent() }
        for object in changes.objects { object._state.remove(.enlisted) }
        _ = changes.removeAll()
        saves.unlockAll()
        var removed: ContiguousArray<NSManagedObject> = []
        var restored: ContiguousArray<NSManagedObject> = []
        let news = arrivals.takeNews()
        var refreshed = news.refreshed
        for object in objects {
            if object._state.isInserted {
                // An insertion that was never reported needs no deletion report.
                if object._state.contains(.insertionReported), !object._state.contains(.deletionReported) {
                    removed.append(object)
                }
            } else {
                object.restoreCommitted()
                if object._state.contains(.deletionReported) {
                    object._state.remove(.deletionReported)
                    restored.append(object)
                } else {
                    refreshed.append(object)
                }
            }
        }
        for object in objects where !object._state.isInserted {
            object.awake(fromSnapshotEvents: .rollback)
        }
        let notice = changes.takeNotice()
        notice.begin(
            refreshed: refreshed, inserted: news.inserted + restored, deleted: news.deleted + removed)
        updateViews()
        notice.post(from: self)
        for object in objects where object._state.isInserted { forget(object) }
        for object in news.deleted { forget(object) }
        recycle(notice)
    }

    final func resetObjects() {
        checkQueue()
        undoManager?.removeAllActions()
        _ = readErrors.take()
        let ids = registered().map(\.identifier)
        forgetEverything()
        ways = nil
        advanceGeneration()
        NotificationCenter.default.post(
            name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: [NSInvalidatedAllObjectsKey: ids])
    }
}
