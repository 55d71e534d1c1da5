import CoreData

/// Synchronous work on a context's queue on behalf of a task that waits for it.
///
/// The queue's threads belong to no task, so `Task.isCancelled` would always be false there. The work is the body of a separate
/// task, cancelled with the waiting one, on the queue's thread: all threads of Swift's pool may be waiting for it.
struct QueueTask: Sendable {
    private let cancellation = Cancellation()
    /// The default stack of the waiting task, if it has one.
    private let defaults = TaskDefaults.current

    /// Cancels the work. Called when the waiting task is cancelled, after which ``check()`` throws.
    func cancel() { cancellation.cancel() }

    func check() throws { try cancellation.check() }

    /// Runs `work` now, on this thread.
    func run<Value>(_ work: @escaping @Sendable () throws -> Value) throws -> Value {
        try TaskDefaults.$current.withValue(defaults ?? TaskDefaults.current) {
            guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
                return try Cancellation.$current.withValue(cancellation, operation: work)
            }
            return try runAsTask(work)
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private func runAsTask<Value>(_ work: @escaping @Sendable () throws -> Value) throws -> Value {
        let (executor, outcome) = (HoldingExecutor(), Locked<Result<Value, any Error>?>(nil))
        let task = Task(executorPreference: executor) {
            let result = Unchecked(Result { try work() })
            outcome.withLock { $0 = result.value }
        }
        cancellation.onCancel { task.cancel() }
        executor.run()
        cancellation.onCancel(nil)
        guard let result = outcome.withLock({ $0 }) else {
            preconditionFailure("A task that waits for nothing had not ended when its only job had run.")
        }
        return try result.get()
    }
}

/// Keeps the job of a task until it is run.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class HoldingExecutor: TaskExecutor {
    private let job = Locked<UnownedJob?>(nil)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.job.withLock { $0 = job }
    }

    func run() { job.withLock { $0 }?.runSynchronously(on: asUnownedTaskExecutor()) }
}

extension NSManagedObjectContext {
    /// Runs `body` on the context's queue, where it sees `Task.isCancelled`. Throws `CancellationError` if the task has been
    /// cancelled before.
    func performCancellably<Value>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        let work = QueueTask()
        let value = try await withTaskCancellationHandler {
            try await perform {
                try work.check()
                // The value is transferred to the caller, which alone uses it.
                return Unchecked(try work.run(body))
            }
        } onCancel: {
            work.cancel()
        }
        return value.value
    }
}
