import Dispatch

extension NSManagedObjectContext {
    /// Runs a block on the context's queue, waits for it and gives what it returns or throws.
    ///
    /// Goes through ``performAndWait(_:)-(()->Void)`` where a subclass may override it.
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        if isPlain { return try executor.sync(self, block) }
        func wait(rescue: (any Error) throws -> T) rethrows -> T {
            var outcome: Result<T, any Error>?
            let perform: (() -> Void) -> Void = performAndWait
            perform { outcome = Result { try block() } }
            switch outcome {
            case .success(let value): return value
            case .failure(let error): return try rescue(error)
            case nil:
                preconditionFailure(
                    "\(Swift.type(of: self)).performAndWait(_:) returned without running its block. Call the block, or super."
                )
            }
        }
        return try wait { throw $0 }
    }

    /// Runs a block on the context's queue and gives what it returns or throws.
    ///
    /// Goes through `perform(_:)` where a subclass may override it.
    ///
    /// - Parameters:
    ///   - schedule: Whether the block may run at once when the caller is on the queue already.
    ///   - isolation: The caller's actor, filled in by the compiler. The caller waits on its own actor, so that block and
    ///     result need not be `Sendable`, as with Apple's method.
    ///   - block: What to run. It runs on the context's queue, whatever actor the caller is on.
    public func perform<T, E: Error>(
        schedule: ScheduledTaskType = .immediate, isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping () throws(E) -> T
    ) async throws(E) -> T {
        if schedule == .immediate, executor.isCurrent { return try block() }
        let block = Unchecked(block)
        let result: Unchecked<Result<T, E>> = await withCheckedContinuation { continuation in
            enqueue { [self] in
                let result = Result { () throws(E) -> T in try block.value() }
                // The caller resumes with a context that has processed what the block changed.
                processAllPendingChanges()
                continuation.resume(returning: Unchecked(result))
            }
        }
        return try result.value.get()
    }

    private final func enqueue(_ work: @escaping @Sendable () -> Void) {
        if isPlain {
            executor.enqueue(self, work)
        } else {
            perform(work)
        }
    }

    /// The context whose block is running on this thread.
    static var current: NSManagedObjectContext? { CurrentContexts.innermost }

    // MARK: Checking

    /// Traps when the concurrency checks are on and the caller is on a wrong queue.
    @inline(__always)
    final func checkQueue(_ object: NSManagedObject? = nil) {
        if ConcurrencyChecks.isOn { ConcurrencyChecks.verify(self, object) }
    }

    /// Sees to it that changes are processed soon: at the end of the block, or when the main queue gets to it.
    final func scheduleProcessing() {
        guard queueKind == .mainQueueConcurrencyType, !changes.isScheduled else { return }
        changes.schedule(true)
        DispatchQueue.main.async { [handle] in
            guard let context = handle.object else { return }
            context.changes.schedule(false)
            context.processPendingChanges()
        }
    }
}

/// Carries a value across threads where the context's queue makes sure that it is used by one at a time.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
