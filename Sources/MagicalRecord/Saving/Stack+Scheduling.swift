import CoreData

// Two mutexes order the saves of a stack. `exclusiveSaves` is held by a modern save for its whole duration; `writing` by every
// save, modern or legacy, while its changes go through the parents to the store, so that the refused changes of one are not
// written, or blamed on, by another. It is always taken second, and nothing waits for `exclusiveSaves` while holding it.

extension MagicalRecord.Stack {
    /// Returns true if saves in the context run one after the other. Where the stores let several save at once they do not,
    /// except through a parent: it takes the values of the last one without comparing them with those that were read.
    private func takesTurns(_ context: NSManagedObjectContext) -> Bool {
        !coordinator.letsSeveralSave || context.parent != nil
    }

    /// Counts a piece of work, which keeps the stores open until ``StackActivity/end()``. Throws
    /// ``MagicalRecordError/Code/tornDown``.
    func beginActivity() throws {
        guard activity.begin() else { throw MagicalRecordError.tornDown }
    }

    /// Runs `work` and, unless it throws, `write`, each on the context's queue, without blocking the caller. Calls `completion`
    /// with the outcome, on the queue unless `place` was given up.
    ///
    /// - Parameter place: where to wait for other exclusive work, which is excluded then. Without one it is not.
    func schedule<Work, Outcome>(
        in context: NSManagedObjectContext, at place: AsyncMutex.Place? = nil,
        _ work: @escaping @Sendable () throws -> Work,
        writing write: @escaping @Sendable (Work) throws -> Outcome,
        completion: @escaping @Sendable (Unchecked<Result<Outcome, any Error>>) -> Void
    ) {
        let takesTurns = takesTurns(context)
        let finish: @Sendable (Result<Outcome, any Error>) -> Void = { result in
            if place != nil, takesTurns { self.exclusiveSaves.release() }
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
                        if takesTurns { self.writing.release() }
                        finish(written)
                    }
                    if !takesTurns || self.writing.tryAcquire() { return writeNow() }
                    self.writing.acquire { _ in context.perform { writeNow() } }
                }
            }
        }
        guard activity.begin() else { return completion(Unchecked(.failure(MagicalRecordError.tornDown))) }
        guard let place, takesTurns else { return start() }
        exclusiveSaves.acquire(at: place) { isGranted in
            if isGranted { return start() }
            self.activity.end()
            completion(Unchecked(.failure(CancellationError())))
        }
    }

    /// Runs `work` and then `write` on the context's queue, one modern save after the other, suspending the task. Both see
    /// `Task.isCancelled`. In an exclusive save they are one transaction.
    ///
    /// - Throws: what they throw; `CancellationError` when the task was cancelled before `work` began.
    func schedule<Work, Outcome>(
        in context: NSManagedObjectContext, isolation: MagicalRecord.SaveIsolation = .serial,
        _ work: @escaping @Sendable () throws -> Work, writing write: @escaping @Sendable (Work) throws -> Outcome
    ) async throws -> Outcome {
        if isolation == .exclusive {
            return try await schedule(in: context) {
            } writing: {
                // It begins only now.
                try Task.checkCancellation()
                return try self.runExclusively { try write(work()) }
            }
        }
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

    /// Runs `work` and `write` as the asynchronous function, blocking the thread. Legacy saves have no isolation. Throws as
    /// `checkMayBeWaitedFor()`.
    func scheduleAndWait<Work, Outcome>(
        in context: NSManagedObjectContext, isolation: MagicalRecord.SaveIsolation? = .serial,
        _ work: () throws -> Work, writing write: (Work) throws -> Outcome
    ) throws -> Outcome {
        try context.checkMayBeWaitedFor()
        try beginActivity()
        defer { activity.end() }
        let takesTurns = isolation == .exclusive || takesTurns(context)
        let isHeld = isolation != nil && takesTurns && acquireExclusiveAccess()
        defer { if isHeld { exclusiveSaves.release() } }
        if isolation == .exclusive {
            let isWriting = acquireWriting()
            defer { if isWriting { writing.release() } }
            return try context.runAndWait { try runExclusively { try write(work()) } }
        }
        let losses = context.storeLosses
        let value = try context.runAndWait {
            try ContextScope.with(context, as: isolation == nil ? .other : .exclusiveSave, work)
        }
        let isWriting = takesTurns && acquireWriting()
        defer { if isWriting { writing.release() } }
        return try context.runAndWait {
            try context.requireNoStoreLosses(since: losses)
            return try WriteScope.with(coordinator) { try write(value) }
        }
    }

    /// Runs `body`, with its saves, in one transaction. For the queue of its context.
    private func runExclusively<Value>(_ body: () throws -> Value) throws -> Value {
        try WriteScope.with(coordinator) { try coordinator.writingExclusively(body) }
    }

    /// Waits for exclusive access where that cannot deadlock, and takes it elsewhere only when it is free: on the main thread, since
    /// the work of another save may be waiting for the main queue, and in the closure of another stack's save, since a save of
    /// this stack may be waiting for access to that stack.
    private func acquireExclusiveAccess() -> Bool {
        if ContextScope.isInside(coordinator, atLeast: .exclusiveSave) || WriteScope.contains(coordinator) {
            return false
        }
        if MainQueue.isCurrent || ContextScope.isInside(nil, atLeast: .exclusiveSave) {
            return exclusiveSaves.tryAcquire()
        }
        exclusiveSaves.acquireAndWait()
        return true
    }

    /// Waits until no other save is writing. On the main thread only where a writer can go on without the main queue.
    private func acquireWriting() -> Bool {
        if WriteScope.contains(coordinator) { return false }
        if MainQueue.isCurrent && newContext().needsMainQueue { return writing.tryAcquire() }
        writing.acquireAndWait()
        return true
    }
}

extension NSManagedObjectContext {
    /// Whether the context or one of its parents uses the main queue.
    fileprivate var needsMainQueue: Bool {
        sequence(first: self, next: \.parent).contains { $0.concurrencyType == .mainQueueConcurrencyType }
    }

    /// Throws ``MagicalRecordError/Code/wouldDeadlock`` where the closure of an exclusive save would wait for the main thread,
    /// which may be waiting for that save.
    func checkMayBeWaitedFor() throws {
        guard let coordinator = persistentStoreCoordinator,
            ContextScope.isInside(coordinator, atLeast: .exclusiveWrite),
            !MainQueue.isCurrent, needsMainQueue
        else { return }
        throw MagicalRecordError(
            .wouldDeadlock,
            "In the closure of an exclusive save no save may wait for the main queue, which may be waiting for that write.",
            advice: "Change objects in the closure's own context, which is saved at its end.")
    }
}

#if canImport(ObjectiveC)
extension NSPersistentStoreCoordinator {
    /// False: Apple's stores have one writer each.
    fileprivate var letsSeveralSave: Bool { false }

    /// Runs `body`. Apple's Core Data has no transaction that a program could hold open.
    fileprivate func writingExclusively<Value>(_ body: () throws -> Value) rethrows -> Value { try body() }
}
#endif
