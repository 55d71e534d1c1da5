import CoreDataRowStorage
import Dispatch

extension NSManagedObjectContext {
    /// Runs a block on the context's queue, waits for it, and returns its result or throws its error.
    ///
    /// Calls ``performAndWait(_:)-(()->Void)`` if a subclass may override that.
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

    /// Runs a block on the context's queue and returns its result or throws its error.
    ///
    /// Calls `perform(_:)` if a subclass may override that.
    ///
    /// - Parameters:
    ///   - schedule: Whether the block may run immediately if the caller is already on the queue.
    ///   - isolation: The caller's actor, filled in by the compiler. The caller waits on its actor, so block and result need
    ///     not be `Sendable`, as with Apple's method.
    ///   - block: The work. It runs on the context's queue, whatever the caller's actor.
    public func perform<T, E: Error>(
        schedule: ScheduledTaskType = .immediate, isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping () throws(E) -> T
    ) async throws(E) -> T {
        if schedule == .immediate, executor.isCurrent { return try block() }
        let block = Unchecked(block)
        // A block of a cancelled task runs without a turn: its fetches end by themselves.
        let turns = await enteredTurns()
        let result: Unchecked<Result<T, E>> = await withCheckedContinuation { continuation in
            enqueue { [self] in
                let result = Result { () throws(E) -> T in try block.value() }
                // When the caller resumes, the context has processed the block's changes.
                processAllPendingChanges()
                turns?.leave()
                continuation.resume(returning: Unchecked(result))
            }
        }
        return try result.value.get()
    }

    /// Waits for a turn among the blocks that use a store, if the context has one that limits them.
    ///
    /// - Returns: The turns to leave after the block; nil if there are none, or the task was cancelled meanwhile.
    private final func enteredTurns(isolation: isolated (any Actor)? = #isolation) async -> TaskTurns? {
        guard queueKind == .privateQueueConcurrencyType, let turns = taskTurns, await turns.enter() else { return nil }
        return turns
    }

    private final var taskTurns: TaskTurns? {
        guard let stores = persistentStoreCoordinator?.rowStores else { return nil }
        for store in stores { if let turns = store.taskTurns { return turns } }
        return nil
    }

    private final func enqueue(_ work: @escaping @Sendable () -> Void) {
        if isPlain {
            executor.enqueue(self, work)
        } else {
            perform(work)
        }
    }

    /// The context of the innermost block that runs on this thread.
    static var current: NSManagedObjectContext? { CurrentContexts.innermost }

    // MARK: Checking

    /// Traps if the concurrency checks are on and the caller is on the wrong queue.
    @inline(__always)
    final func checkQueue(_ object: NSManagedObject? = nil) {
        if ConcurrencyChecks.isOn { ConcurrencyChecks.verify(self, object) }
    }

    /// Schedules change processing on the main queue; on private queues it runs at the end of the block.
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
