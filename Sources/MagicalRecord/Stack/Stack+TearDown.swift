import CoreData

extension MagicalRecord.Stack {
    /// Closes the stack: waits for its running and pending saves and reads, resets every context on its own queue (unsaved
    /// changes are discarded), closes the stores, and deletes their files if asked to.
    ///
    /// Afterwards another stack may open the same files immediately. Objects of this stack must not be used any more. Tearing
    /// down twice does nothing. The closure of a save must not wait for this.
    ///
    /// - Parameter deletingStores: whether to delete the stores' files and the files beside them.
    /// - Throws: Core Data's error if a store cannot be closed, or ``MagicalRecordError/Code/storeFile`` if a file cannot be
    ///   removed.
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

    /// Closes the stack as ``tearDown(deletingStores:)``, blocking the thread.
    ///
    /// Off the main thread this waits for the main queue, unless the shape has no context there.
    ///
    /// - Throws: the errors of ``tearDown(deletingStores:)``, and ``MagicalRecordError/Code/savesRunning`` if waiting could
    ///   deadlock: saves or reads are running, and this is the main thread, for which they may be waiting, or the closure of
    ///   one of them. Nothing has changed then.
    public func tearDownAndWait(deletingStores: Bool = false) throws {
        guard try closeAndWait() else { return }
        try emptyAndCloseStores(deleting: deletingStores)
    }

    /// Closes the stack to new work and waits for running work; returns false if it was closed before.
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

    /// Closes the stack: resets every context on its own queue and closes the stores, after the last running save or read.
    /// Errors go to the error handler.
    ///
    /// If nothing is running, the stores are closed on return, unless a context's queue is busy for longer than one second: its
    /// thread may be waiting for this one.
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

    /// Resets the contexts one after the other, behind the merges enqueued on their queues.
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

    /// The contexts to reset, children before their parents.
    private var contextsToEmpty: [NSManagedObjectContext] {
        let contexts = merging.contexts
        return contexts.filter { $0.parent != nil } + contexts.filter { $0.parent == nil }
    }

    /// Ends the merging and the observation of results.
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
    /// Posted when a stack is torn down, before its contexts are reset; the object is the coordinator.
    static let magicalRecordStackClosed = NSNotification.Name("MagicalRecordStackClosed")
}
