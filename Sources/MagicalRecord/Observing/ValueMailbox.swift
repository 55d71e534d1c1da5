import Foundation

/// A single-slot channel between a context and an iterator. Values are made when the iterator waits, on the context's queue.
final class ValueMailbox<Value>: Sendable {
    private typealias Waiting = CheckedContinuation<Unchecked<Value>?, any Error>

    private struct State {
        /// Whether there is a state that was not delivered to the iterator.
        var hasNews = false
        var waiting: Waiting?
        var end: Result<Void, any Error>?
    }

    private let state = Locked(State())

    /// Whether the iterator waits.
    var isAwaited: Bool { state.withLock { $0.waiting != nil } }

    /// Notes that there is a new state. Returns whether the iterator waits for it.
    func announce() -> Bool {
        state.withLock { state in
            guard state.end == nil else { return false }
            state.hasNews = true
            return state.waiting != nil
        }
    }

    /// Withdraws an announced state without a value.
    func withdraw() { state.withLock { $0.hasNews = false } }

    /// Delivers a value of the latest state to the waiting iterator.
    func hand(_ value: Value) {
        let waiting: Waiting? = state.withLock { state in
            if state.waiting != nil { state.hasNews = false }
            return state.waiting.take()
        }
        // The value was made for this iterator, and nothing else keeps it.
        waiting?.resume(returning: Unchecked(value))
    }

    /// Ends the sequence. A state that no iterator waits for is dropped: its objects may be deleted.
    func finish(_ end: Result<Void, any Error> = .success(())) {
        let waiting: Waiting? = state.withLock { state in
            guard state.end == nil else { return nil }
            // An error is delivered once.
            state.end = state.waiting == nil ? end : .success(())
            return state.waiting.take()
        }
        waiting?.resume(with: end.map { nil })
    }

    /// Returns the next value; nil after the end. Calls `ask` to request the value of an announced state.
    func next(_ ask: @Sendable () -> Void) async throws -> Unchecked<Value>? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (answer, hasNews): (Result<Unchecked<Value>?, any Error>?, Bool) = state.withLock { state in
                    if Task.isCancelled { return (.success(nil), false) }
                    if let end = state.end {
                        state.end = .success(())
                        return (end.map { nil }, false)
                    }
                    precondition(state.waiting == nil, "One iterator of live results cannot be used by two tasks.")
                    state.waiting = continuation
                    return (nil, state.hasNews)
                }
                if let answer { continuation.resume(with: answer) }
                if hasNews { ask() }
            }
        } onCancel: {
            finish()
        }
    }
}
