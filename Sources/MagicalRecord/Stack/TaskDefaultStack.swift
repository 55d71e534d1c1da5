import CoreData

extension MagicalRecord {
    /// Runs `body` with a task-local default stack, which functions without a context use in `body`, in child tasks and in
    /// tasks created with `Task { … }`. The rest of the program keeps its default stack.
    ///
    /// ```swift
    /// try await MagicalRecord.withDefaultStack(stack) {
    ///     try await MagicalRecord.save { context in try User.create(in: context).displayName = "Ann" }
    /// }
    /// ```
    /// Use it for tests that run in parallel, and in programs that serve several users with code written for one. `setUp()`,
    /// `setDefaultStack(_:)`, `tearDown()` and the legacy set-up functions in `body` affect this default stack alone. A stack
    /// stays open when `body` ends.
    ///
    /// The value belongs to the task, not to a thread: blocks on dispatch queues or operation queues, and detached tasks, see
    /// the program's default stack. The closures of asynchronous saves and reads are part of the task (on Apple's platforms
    /// from macOS 14 and iOS 17 on), and use the context they are given, whatever thread they run on.
    ///
    /// - Parameters:
    ///   - stack: the default stack; nil for none at the beginning.
    ///   - isolation: the actor on which `body` runs: the caller's.
    ///   - body: the work.
    public static func withDefaultStack<Value>(
        _ stack: Stack?, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await TaskDefaults.$current.withValue(Locked(Defaults(stack)), operation: body, isolation: isolation)
    }

    /// Runs a synchronous `body` with a task-local default stack. See ``withDefaultStack(_:isolation:_:)``.
    public static func withDefaultStack<Value>(_ stack: Stack?, _ body: () throws -> Value) rethrows -> Value {
        try TaskDefaults.$current.withValue(Locked(Defaults(stack)), operation: body)
    }
}

/// The task-local defaults.
enum TaskDefaults {
    @TaskLocal static var current: Locked<MagicalRecord.Defaults>?
}
