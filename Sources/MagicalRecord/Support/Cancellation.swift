import Foundation

/// Tells work on a thread that is no task's that the task waiting for it has been cancelled.
final class Cancellation: Sendable {
    /// That of the work on this thread.
    @TaskLocal static var current: Cancellation?

    private struct State {
        var isCancelled = false
        var handler: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Whether the task that waits for the work on this thread, or the task that does it, has been cancelled.
    static var isRequested: Bool { Task.isCancelled || current?.isCancelled ?? false }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// - Throws: `CancellationError`.
    func check() throws {
        if isCancelled { throw CancellationError() }
    }

    func cancel() {
        let handler = state.withLock { state in
            defer { state = State(isCancelled: true) }
            return state.handler
        }
        handler?()
    }

    /// Has `handler` called when the work is cancelled, at once if it was before; nil for no longer.
    func onCancel(_ handler: (@Sendable () -> Void)?) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.handler = handler }
            return state.isCancelled
        }
        if isCancelled { handler?() }
    }
}
