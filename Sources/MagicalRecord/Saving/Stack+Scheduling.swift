import CoreData

// The scheduling of work on a stack.
//
// Two mutexes order them. `exclusiveSaves` is held by a modern save for its whole duration. `writing` is held by every
// save, modern or legacy, while its changes go through the parents to the store, so that the refused changes of one are
// not written, or blamed on, by another. It is always taken second, and nothing waits for `exclusiveSaves` while
// holding it.
//
// Where the stores let several save at once (``TurnsOfSaves``), saves take neither, but for `writing` where they go through
// parents.

/// The turns that one save takes.
private struct TurnsOfSaves {
    /// True where the whole save waits for those before it.
    let works: Bool
    /// True where its writing waits for that of others.
    let writes: Bool

    init(_ stack: MagicalRecord.Stack, _ context: NSManagedObjectContext) {
        works = !stack.coordinator.letsSeveralSave
        writes = works || context.parent != nil
    }
}

extension MagicalRecord.Stack {
    /// Counts a piece of work, which keeps the stores open until ``StackActivity/end()``.
    ///
    /// - Throws: ``MagicalRecordError/Code/tornDown``.
    func beginActivity() throws {
        guard activity.begin() else { throw MagicalRecordError.tornDown }
    }

    /// Runs `work` and then `write`, each on the context's queue, without blocking the caller.
    ///
    /// - Parameters:
    ///   - place: where to wait for other exclusive work, which is excluded then. Without one it is not.
    ///   - work: the closure of the save.
    ///   - write: writes the store. Not called when `work` throws.
    ///   - completion: called with the outcome, on the context's queue unless `place` was given up.
    func schedule<Work, Outcome>(
        in context: NSManagedObjectContext, at place: AsyncMutex.Place? = nil,
        _ work: @escaping @Sendable () throws -> Work,
        writing write: @escaping @Sendable (Work) throws -> Outcome,
        completion: @escaping @Sendable (Unchecked<Result<Outcome, any Error>>) -> Void
    ) {
        let turns = TurnsOfSaves(self, context)
        let finish: @Sendable (Result<Outcome, any Error>) -> Void = { result in
            if place != nil, turns.works { self.exclusiveSaves.release() }
            self.activity.end()
            completion(Unchecked(result))
        }
        let start: @Sendable () -> Void = {
            context.perform {
                let losses = context.storeLosses
                let worked = Result { try ContextScope.with(context, as: place == nil ? .other : .exclusiveSave, work) }
                switch worked {
                case .failure(let error): finish(.failure(error))
                case .success(let value):
                    // Only the context's queue touches it.
                    let value = Unchecked(value)
                    let writeNow: @Sendable () -> Void = {
                        let written = Result {
                            try context.requireNoStoreLosses(since: losses)
                            return try WriteScope.with(self.coordinator) { try write(value.value) }
                        }
                        if turns.writes { self.writing.release() }
                        finish(written)
                    }
                    if !turns.writes || self.writing.tryAcquire() { return writeNow() }
                    self.writing.acquire { context.perform { writeNow() } }
                }
            }
        }
        do {
            try beginActivity()
        } catch {
            return completion(Unchecked(.failure(error)))
        }
        guard let place, turns.works else { return start() }
        exclusiveSaves.acquire(at: place) { isGranted in
            if isGranted { return start() }
            self.activity.end()
            completion(Unchecked(.failure(CancellationError())))
        }
    }

    /// Runs `work` and then `write` on the context's queue, alone among exclusive work, suspending the task. Both see
    /// `Task.isCancelled`.
    ///
    /// - Throws: what they throw; `CancellationError` when the task was cancelled before `work` began.
    func schedule<Work, Outcome>(
        in context: NSManagedObjectContext, _ work: @escaping @Sendable () throws -> Work,
        writing write: @escaping @Sendable (Work) throws -> Outcome
    ) async throws -> Outcome {
        try Task.checkCancellation()
        let (place, task) = (AsyncMutex.Place(), QueueTask())
        // The result of the work is transferred to the caller, which alone uses it.
        let result: Unchecked<Result<Outcome, any Error>> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                schedule(in: context, at: place) {
                    try task.check()
                    return Unchecked(try task.run(work))
                } writing: { value in
                    try task.run { try write(value.value) }
                } completion: {
                    continuation.resume(returning: $0)
                }
            }
        } onCancel: {
            task.cancel()
            exclusiveSaves.giveUp(place)
        }
        return try result.value.get()
    }

    /// Runs `work` and `write` as ``schedule(in:at:_:writing:completion:)``, blocking the thread.
    ///
    /// - Throws: ``MagicalRecordError/Code/wouldDeadlock`` in the closure of an exclusive save, for a context that waits for
    ///   the main queue.
    func scheduleAndWait<Work, Outcome>(
        in context: NSManagedObjectContext, isExclusive: Bool, _ work: () throws -> Work,
        writing write: (Work) throws -> Outcome
    ) throws -> Outcome {
        try context.checkMayBeWaitedFor()
        try beginActivity()
        defer { activity.end() }
        let turns = TurnsOfSaves(self, context)
        let isHeld = isExclusive && turns.works && acquireExclusiveAccess()
        defer { if isHeld { exclusiveSaves.release() } }
        let losses = context.storeLosses
        let value = try context.runAndWait {
            try ContextScope.with(context, as: isExclusive ? .exclusiveSave : .other, work)
        }
        let isWriting = turns.writes && acquireWriting()
        defer { if isWriting { writing.release() } }
        return try context.runAndWait {
            try context.requireNoStoreLosses(since: losses)
            return try WriteScope.with(coordinator) { try write(value) }
        }
    }

    /// Runs `body` while no other save of the stack works or writes, blocking the thread; where that could deadlock, without
    /// waiting for them.
    func withTurnToWrite<Value>(_ body: () throws -> Value) rethrows -> Value {
        let isHeld = acquireExclusiveAccess()
        defer { if isHeld { exclusiveSaves.release() } }
        let isWriting = acquireWriting()
        defer { if isWriting { writing.release() } }
        return try body()
    }

    /// Waits for exclusive access where that cannot deadlock, and takes it elsewhere only when it is free.
    ///
    /// The main thread never waits for the work of another save, which may be waiting for the main queue. Nor does the closure of
    /// another stack's save: a save of this stack may be waiting for access to that stack.
    private func acquireExclusiveAccess() -> Bool {
        if ContextScope.isInExclusiveSave(on: coordinator) || WriteScope.contains(coordinator) { return false }
        if MainQueue.isCurrent || ContextScope.isInExclusiveSave(on: nil) { return exclusiveSaves.tryAcquire() }
        exclusiveSaves.acquireAndWait()
        return true
    }

    /// Waits until no other save is writing. On the main thread only where a writer can go on without the main queue.
    private func acquireWriting() -> Bool {
        if WriteScope.contains(coordinator) { return false }
        if MainQueue.isCurrent && writersNeedMainQueue { return writing.tryAcquire() }
        writing.acquireAndWait()
        return true
    }

    private var writersNeedMainQueue: Bool {
        newContext().needsMainQueue
    }
}

extension NSManagedObjectContext {
    /// Whether the context or one of its parents uses the main queue.
    fileprivate var needsMainQueue: Bool {
        ([self] + ancestors).contains { $0.concurrencyType == .mainQueueConcurrencyType }
    }

    /// Checks that the closure of an exclusive save does not wait for the main thread, which may be waiting for that save.
    ///
    /// - Throws: ``MagicalRecordError/Code/wouldDeadlock``.
    func checkMayBeWaitedFor() throws {
        guard let coordinator = persistentStoreCoordinator, ContextScope.isInExclusiveWrite(on: coordinator),
            !MainQueue.isCurrent, needsMainQueue
        else { return }
        throw MagicalRecordError(
            .wouldDeadlock,
            "In the closure of an exclusive save no save may wait for the main queue, which may be waiting for that write.",
            advice: "Change objects in the closure's own context, which is saved at its end.")
    }
}
