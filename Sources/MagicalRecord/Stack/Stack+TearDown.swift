import CoreData

extension MagicalRecord.Stack {
    /// Closes the stack: waits for its running and pending saves and reads, resets every context on its own queue (unsaved
    /// changes are discarded), closes the stores, and deletes their files, with those beside them, if asked to.
    ///
    /// Afterwards another stack may open the same files immediately. Objects of this stack must not be used any more. Tearing
    /// down twice does nothing. The closure of a save must not wait for this.
    ///
    /// - Throws: Core Data's error if a store cannot be closed; ``MagicalRecordError/Code/storeFile`` for a file that stays.
    public func tearDown(deletingStores: Bool = false) async throws {
        guard activity.close() else { return }
        await withCheckedContinuation { continuation in activity.notifyWhenIdle { continuation.resume() } }
        stopFollowing()
        await withCheckedContinuation { continuation in merging.merges.notifyWhenIdle { continuation.resume() } }
        for context in contextsToEmpty { await context.perform { context.reset() } }
        try closeStores(deleting: deletingStores)
    }

    /// Closes the stack as ``tearDown(deletingStores:)``, blocking the thread. Off the main thread this waits for the main
    /// queue, unless the shape has no context there.
    ///
    /// - Throws: also ``MagicalRecordError/Code/savesRunning``, which changes nothing, where waiting for running saves or reads
    ///   could deadlock: on the main thread, for which they may be waiting, and in the closure of one of them.
    public func tearDownAndWait(deletingStores: Bool = false) throws {
        if try closeAndWait() { try emptyAndCloseStores(deleting: deletingStores) }
    }

    /// Closes the stack to new work and waits for running work; returns false if it was closed before.
    func closeAndWait() throws -> Bool {
        if MainQueue.isCurrent || ContextScope.isInside(coordinator) || WriteScope.contains(coordinator) {
            if let isFirst = activity.closeIfIdle() { return isFirst }
            throw MagicalRecordError(
                .savesRunning, "The stack cannot be torn down here while saves or reads of it are running.",
                advice: "Call try await tearDown(), or cleanUp(), which closes the stores when they have ended.")
        }
        guard activity.close() else { return false }
        activity.waitUntilIdle()
        return true
    }

    func emptyAndCloseStores(deleting: Bool) throws {
        stopFollowing()
        merging.merges.waitUntilIdle()
        for context in contextsToEmpty { context.runAndWait { context.reset() } }
        try closeStores(deleting: deleting)
    }

    /// Closes the stack as ``tearDown(deletingStores:)`` when the last running save or read has ended. If nothing is running, the
    /// stores are closed on return, unless a context's queue is busy for longer than one second: its thread may be waiting for
    /// this one. Errors go to the error handler.
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
        remoteMerging.withLock { $0?.stop() }
        merging.stop()
        NotificationCenter.default.post(name: .magicalRecordStackClosed, object: coordinator)
    }

    private func closeStores(deleting: Bool) throws {
        for store in stores {
            let (url, type) = (store.url, store.type)
            try coordinator.remove(store)
            if deleting, type != NSInMemoryStoreType, let url { try MagicalRecord.removeStore(at: url, type: type) }
        }
    }
}

extension NSNotification.Name {
    /// Posted when a stack is torn down, before its contexts are reset; the object is the coordinator.
    static let magicalRecordStackClosed = NSNotification.Name("MagicalRecordStackClosed")
}
