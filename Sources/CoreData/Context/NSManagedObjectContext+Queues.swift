import Dispatch

extension NSManagedObjectContext {
    /// Runs a block on the context's queue, later. Changes are processed when it ends; blocks run in order.
    public func perform(_ block: @escaping () -> Void) {
        let block = Unchecked(block)
        executor.async(self) { block.value() }
    }

    /// Runs a block on the context's queue and waits for it. May be nested.
    public func performAndWait(_ block: () -> Void) {
        executor.sync(self, block)
    }

    /// Runs a block on the context's queue, waits for it and gives what it returns or throws.
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        try executor.sync(self, block)
    }

    /// Runs a block on the context's queue and gives what it returns or throws.
    public func perform<T, E: Error>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws(E) -> T
    ) async throws(E) -> T {
        if schedule == .immediate, executor.isCurrent { return try block() }
        let block = Unchecked(block)
        let result: Unchecked<Result<T, E>> = await withCheckedContinuation { continuation in
            executor.asyncQuietly { [self] in
                let result = executor.asCurrent(self) {
                    let result = Result { () throws(E) -> T in try block.value() }
                    // Whoever awaits sees a context that has processed what the block changed.
                    processAllPendingChanges()
                    return result
                }
                continuation.resume(returning: Unchecked(result))
            }
        }
        return try result.value.get()
    }

    /// The context whose block is running on this thread.
    static var current: NSManagedObjectContext? { CurrentContexts.innermost }

    /// Deprecated by Apple; contexts are serialised by their queues.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    public func lock() {}
    /// Does nothing, as ``lock()`` does.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    public func unlock() {}
    /// True, and nothing is locked.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    public func tryLock() -> Bool { true }

    // MARK: Checking

    /// Traps when the concurrency checks are on and the caller is on a wrong queue.
    @inline(__always)
    final func checkQueue(_ object: NSManagedObject? = nil) {
        if ConcurrencyChecks.isOn { ConcurrencyChecks.verify(self, object) }
    }

    /// Sees to it that changes are processed soon: at the end of the block, or when the main queue gets to it.
    final func scheduleProcessing() {
        guard concurrencyType == .mainQueueConcurrencyType, !processingIsScheduled else { return }
        processingIsScheduled = true
        DispatchQueue.main.async { [handle] in
            guard let context = handle.object else { return }
            context.processingIsScheduled = false
            context.processPendingChanges()
        }
    }
}

/// Carries a value across threads where the context's queue makes sure that it is used by one at a time.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
