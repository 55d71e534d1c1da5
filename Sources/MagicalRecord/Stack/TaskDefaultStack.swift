import CoreData

extension MagicalRecord {
    /// Runs `body` with a default stack of its own: what functions without a context mean there, in child tasks and in tasks
    /// made with `Task { … }`. The rest of the program goes on with its own.
    ///
    /// ```swift
    /// try await MagicalRecord.withDefaultStack(stack) {
    ///     try await MagicalRecord.save { context in try User.create(in: context).displayName = "Ann" }
    /// }
    /// ```
    /// For tests that run side by side, and for programs that serve several users with code written for one.
    /// `setUp()`, `setDefaultStack(_:)`, `tearDown()` and the legacy set-ups in `body` work on this default stack alone.
    /// A stack stays open when `body` ends.
    ///
    /// A task carries it, a thread does not: blocks given to a dispatch queue or to an operation queue, and detached tasks,
    /// see the program's default stack. The closures of asynchronous saves and reads are part of the task (on Apple's platforms from
    /// macOS 14 and iOS 17 on), and have the context they are given, wherever they run.
    ///
    /// - Parameters:
    ///   - stack: the default stack; nil to begin with none.
    ///   - isolation: the actor on which `body` runs, the caller's.
    ///   - body: the work.
    public static func withDefaultStack<Value>(
        _ stack: Stack?, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await TaskDefaults.$current.withValue(Locked(Defaults(stack)), operation: body, isolation: isolation)
    }

    /// As ``withDefaultStack(_:isolation:_:)``, for work that does not wait.
    public static func withDefaultStack<Value>(_ stack: Stack?, _ body: () throws -> Value) rethrows -> Value {
        try TaskDefaults.$current.withValue(Locked(Defaults(stack)), operation: body)
    }
}

/// The defaults of a task that has some of its own.
enum TaskDefaults {
    @TaskLocal static var current: Locked<MagicalRecord.Defaults>?
}
