import CoreDataRuntimeSupport

/// The origin of work: the recordings of the task, the task, and the operation that led to it.
///
/// The recordings are task-local values. A context passes them to the blocks it runs on its queue, which belong to no task.
package struct InstrumentOrigin: Sendable {
    package let scope: InstrumentScope?
    package let task: Int
    /// The number of the work item; see ``EventRecord/work``.
    package let work: Int
    /// The number of the block; see ``EventRecord/block``.
    package let block: Int
    /// The operation that waits for a block on another thread.
    package let operation: EventRecord?
    /// The traces that listeners pass on.
    package var traces: Traces?

    /// The origin of the code that runs now.
    package static var current: InstrumentOrigin {
        let thread = InstrumentThread.current
        if let origin = thread.origin {
            return InstrumentOrigin(
                scope: origin.scope, task: origin.task, work: origin.work, block: origin.block,
                operation: thread.current,
                traces: Probe.traces(on: thread))
        }
        return InstrumentOrigin(
            scope: InstrumentScope.current, task: currentTask, work: InstrumentWork.current, block: 0,
            operation: thread.current,
            traces: Probe.traces(on: thread))
    }

    /// The origin of a block that runs later.
    package static var ofLaterBlock: InstrumentOrigin {
        let current = current
        let work = InstrumentWork.current == 0 ? current.work : InstrumentWork.current
        return InstrumentOrigin(
            scope: current.scope, task: current.task, work: work, block: Probe.nextNumber(), operation: nil,
            traces: current.traces)
    }

    /// Runs `body` on this thread with one more recording.
    package static func with<Result>(_ scope: InstrumentScope, _ body: () throws -> Result) rethrows -> Result {
        let thread = InstrumentThread.current
        // Outside of contexts' blocks, the recording is task-local.
        guard let origin = thread.origin else { return try body() }
        thread.origin = InstrumentOrigin(
            scope: scope, task: origin.task, work: origin.work, block: origin.block, operation: origin.operation,
            traces: origin.traces)
        defer { thread.origin = origin }
        return try body()
    }

    /// Runs `body` on this thread as part of a work item that the program has named.
    package static func with<Result>(work: Int, _ body: () throws -> Result) rethrows -> Result {
        let thread = InstrumentThread.current
        guard let origin = thread.origin else { return try body() }
        thread.origin = InstrumentOrigin(
            scope: origin.scope, task: origin.task, work: work, block: origin.block, operation: origin.operation,
            traces: origin.traces)
        defer { thread.origin = origin }
        return try body()
    }

    /// The number of the current task; 0 outside of tasks.
    package static var currentTask: Int { TaskNumber.current }

    /// Runs a block of a context as part of this work.
    ///
    /// - Parameter isAwaited: whether the operation that led to the block waits for it, so that the block is part of it.
    package func run<Result>(isAwaited: Bool, _ body: () throws -> Result) rethrows -> Result {
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

/// The work item that the program has named for a task.
package enum InstrumentWork {
    /// The number of the work item; 0 for none.
    @TaskLocal package static var current = 0
}

/// The recordings of a task and of its child tasks.
package final class InstrumentScope: Sendable {
    package let listener: any EventListener
    package let outer: InstrumentScope?

    package init(_ listener: any EventListener, outer: InstrumentScope?) {
        (self.listener, self.outer) = (listener, outer)
    }

    /// The scope of the task; blocks of contexts have that of the task they were created in.
    @TaskLocal package static var current: InstrumentScope?

    /// The scope of the code that runs now.
    package static var innermost: InstrumentScope? {
        InstrumentThread.current.origin.map(\.scope) ?? current
    }
}
