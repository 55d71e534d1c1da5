import CoreData

/// Runs parts of a task on a context's queue, where they stay part of it: they see `Task.isCancelled` and the values of the
/// task. What it waits for resumes on that queue, so that it needs no thread of Swift's pool to go on.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
actor ContextWorker: MagicalRecord.ContextOwner {
    nonisolated let executor: MagicalRecord.ContextExecutor

    init(_ context: NSManagedObjectContext) {
        executor = MagicalRecord.ContextExecutor(context)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Runs `body` on the context's queue.
    func run<Value: Sendable>(
        _ body: @Sendable (isolated ContextWorker) async throws -> Value
    ) async throws -> Value {
        try await body(self)
    }
}

extension NSManagedObjectContext {
    /// Runs `body` on the context's queue as part of the task, unless the task has been cancelled before.
    ///
    /// - Throws: what `body` throws; `CancellationError`.
    func performInTask<Value>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
            let value = try await ContextWorker(self).run { _ in
                try Task.checkCancellation()
                // Handed over, and used by the caller alone.
                return Unchecked(try body())
            }
            return value.value
        }
        // Executors of one's own are not to be had: the block is no part of the task.
        let cancellation = Cancellation()
        let value = try await withTaskCancellationHandler {
            try await perform {
                try cancellation.check()
                return Unchecked(try body())
            }
        } onCancel: {
            cancellation.cancel()
        }
        return value.value
    }
}
