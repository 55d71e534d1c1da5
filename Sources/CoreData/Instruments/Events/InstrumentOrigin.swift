/// Where work comes from: the recordings of the task, the task, and the operation that led to it.
///
/// Tasks carry the recordings by themselves. A context carries them to the blocks it runs on its queue, which belong to no task.
struct InstrumentOrigin: Sendable {
    let scope: InstrumentScope?
    let task: Int
    /// The operation that waits for a block on another thread.
    let operation: EventRecord?

    /// Of the code that runs now.
    static var current: InstrumentOrigin {
        let thread = InstrumentThread.current
        if let origin = thread.origin {
            return InstrumentOrigin(scope: origin.scope, task: origin.task, operation: thread.current)
        }
        return InstrumentOrigin(scope: InstrumentScope.current, task: currentTask, operation: thread.current)
    }

    /// Runs `body` on this thread for a recording more.
    static func with<Result>(_ scope: InstrumentScope, _ body: () throws -> Result) rethrows -> Result {
        let thread = InstrumentThread.current
        // Outside of contexts' blocks the task carries it.
        guard let origin = thread.origin else { return try body() }
        thread.origin = InstrumentOrigin(scope: scope, task: origin.task, operation: origin.operation)
        defer { thread.origin = origin }
        return try body()
    }

    /// A number for the current task; 0 outside of tasks.
    static var currentTask: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }

    /// Runs a block of a context as part of this work.
    ///
    /// - Parameter isAwaited: whether the operation that led to the block waits for it, so that what it does is part of it.
    func run<Result>(isAwaited: Bool, _ body: () throws -> Result) rethrows -> Result {
        let thread = InstrumentThread.current
        let (outer, outerOperation) = (thread.origin, thread.current)
        thread.origin = self
        thread.current = isAwaited ? operation : nil
        defer {
            thread.origin = outer
            thread.current = outerOperation
        }
        return try body()
    }
}

/// The recordings of a task, and of the tasks it starts.
final class InstrumentScope: Sendable {
    let listener: any EventListener
    let outer: InstrumentScope?

    init(_ listener: any EventListener, outer: InstrumentScope?) { (self.listener, self.outer) = (listener, outer) }

    /// Of the task; blocks of contexts have that of the task they were made in.
    @TaskLocal static var current: InstrumentScope?

    /// Of the code that runs now.
    static var innermost: InstrumentScope? {
        InstrumentThread.current.origin.map(\.scope) ?? current
    }
}
