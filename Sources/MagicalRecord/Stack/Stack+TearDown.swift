import CoreData

extension MagicalRecord.Stack {
    /// Ends the stack: waits for the saves and reads that are running or in line, discards what is unsaved, empties every
    /// context on its own queue, closes the stores, and, if asked, deletes their files.
    ///
    /// Afterwards another stack may open the same files at once. Objects of this stack must not be used any more.
    /// Tearing down twice does nothing. A save's closure must not wait for this.
    ///
    /// - Parameter deletingStores: also delete the stores' files with everything beside them.
    /// - Throws: Core Data's error when a store will not close, or
    ///   ``MagicalRecordError/Code/storeFile`` when a file cannot be removed.
    public func tearDown(deletingStores: Bool = false) async throws {
        guard activity.close() else { return }
        await withCheckedContinuation { continuation in activity.notifyWhenIdle { continuation.resume() } }
        stopFollowing()
        await withCheckedContinuation { continuation in merging.merges.notifyWhenIdle { continuation.resume() } }
        for context in contextsToEmpty {
            await context.perform { context.reset() }
        }
        try closeStores(deleting: deletingStores)
    }

    /// As ``tearDown(deletingStores:)``, blocking the thread.
    ///
    /// On any other thread than the main one this waits for the main queue, unless the shape has no context there.
    ///
    /// - Throws: Besides what ``tearDown(deletingStores:)`` throws: ``MagicalRecordError/Code/savesRunning`` where waiting
    ///   could never end, because saves or reads are running and this is the main thread, which they may be waiting for,
    ///   or the closure of one of them. Then nothing has changed.
    public func tearDownAndWait(deletingStores: Bool = false) throws {
        guard try closeAndWait() else { return }
        try emptyAndCloseStores(deleting: deletingStores)
    }

    /// Lets no new work begin and waits for what is running. False when the stack was closed before.
    func closeAndWait() throws -> Bool {
        if MainQueue.isCurrent || ContextScope.isInside(coordinator) || WriteScope.contains(coordinator) {
            switch activity.closeIfIdle() {
            case .closed: return true
            case .closedBefore: return false
            case .busy:
                throw MagicalRecordError(
                    .savesRunning, "The stack cannot be torn down here while saves or reads of it are running.",
                    advice: "Call try await tearDown(), or cleanUp(), which closes the stores when they have ended.")
            }
        }
        guard activity.close() else { return false }
        activity.waitUntilIdle()
        return true
    }

    func emptyAndCloseStores(deleting: Bool) throws {
        stopFollowing()
        merging.merges.waitUntilIdle()
        for context in contextsToEmpty {
            context.runAndWait { context.reset() }
        }
        try closeStores(deleting: deleting)
    }

    /// Ends the stack: empties every context on its own queue and closes the stores. While saves or reads are running that
    /// happens when the last of them has ended. Errors go to the error handler.
    ///
    /// With nothing running the stores are closed when this returns, unless a context's queue is busy for longer than a
    /// second: its thread may be waiting for this one.
    func abandon() {
        guard activity.close() else { return }
        let done = DispatchSemaphore(value: 0)
        let isIdle = activity.notifyWhenIdle { [self] in
            stopFollowing()
            merging.merges.notifyWhenIdle {
                self.empty(self.contextsToEmpty[...]) {
                    MagicalRecord.reporting { try self.closeStores(deleting: false) }
                    done.signal()
                }
            }
        }
        if isIdle { _ = done.wait(timeout: .now() + 1) }
    }

    /// Empties the contexts one after the other, behind the merges that are in line for them.
    private func empty(_ contexts: ArraySlice<NSManagedObjectContext>, _ completion: @escaping @Sendable () -> Void) {
        guard let context = contexts.first else { return completion() }
        let work: @Sendable () -> Void = {
            context.reset()
            self.empty(contexts.dropFirst(), completion)
        }
        if MainQueue.isCurrent && context.concurrencyType == .mainQueueConcurrencyType {
            context.runAndWait(work)
        } else {
            context.perform(work)
        }
    }

    /// Children before their parents.
    private var contextsToEmpty: [NSManagedObjectContext] {
        let contexts = merging.contexts
        return contexts.filter { $0.parent != nil } + contexts.filter { $0.parent == nil }
    }

    /// Ends what lasts: merging, and the watching of results.
    private func stopFollowing() {
        merging.stop()
        NotificationCenter.default.post(name: .magicalRecordStackClosed, object: coordinator)
    }

    private func closeStores(deleting: Bool) throws {
        for store in stores {
            let url = store.url
            let (type, isInMemory) = (store.type, store.type == NSInMemoryStoreType)
            try coordinator.remove(store)
            if deleting, !isInMemory, let url { try MagicalRecord.removeStore(at: url, type: type) }
        }
    }
}

extension NSNotification.Name {
    /// Posted when a stack is torn down, before its contexts are emptied; the object is the coordinator.
    static let magicalRecordStackClosed = NSNotification.Name("MagicalRecordStackClosed")
}
