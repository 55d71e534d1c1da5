import Foundation

/// A cancellation flag for work that runs outside of a task, on behalf of a task that waits for it.
final class Cancellation: Sendable {
    /// The flag of the current work.
    @TaskLocal static var current: Cancellation?

    private struct State {
        var isCancelled = false
        var handler: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Whether the current task, or the task that waits for the current work, has been cancelled.
    static var isRequested: Bool { Task.isCancelled || current?.isCancelled ?? false }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Throws `CancellationError` if the work has been cancelled.
    func check() throws { if isCancelled { throw CancellationError() } }

    func cancel() {
        let handler = state.withLock { state in
            defer { state = State(isCancelled: true) }
            return state.handler
        }
        handler?()
    }

    /// Sets the handler to be called on cancellation, or calls it immediately if that has happened already; nil removes it.
    func onCancel(_ handler: (@Sendable () -> Void)?) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.handler = handler }
            return state.isCancelled
        }
        if isCancelled { handler?() }
    }
}
