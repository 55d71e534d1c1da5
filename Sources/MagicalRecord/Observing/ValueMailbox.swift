import Foundation

/// Where an iterator waits for its next value. Values are made when it waits, on the queue of the context they come from.
final class ValueMailbox<Value>: Sendable {
    private typealias Waiting = CheckedContinuation<Unchecked<Value>?, any Error>

    private struct State {
        /// Whether there is something to make a value of that the iterator has not had.
        var hasNews = false
        var waiting: Waiting?
        var end: Result<Void, any Error>?
    }

    private let state = Locked(State())

    /// Whether the iterator waits.
    var isAwaited: Bool { state.withLock { $0.waiting != nil } }

    /// Notes that there is something to make a value of.
    ///
    /// - Returns: whether the iterator waits for it.
    func announce() -> Bool {
        state.withLock { state in
            guard state.end == nil else { return false }
            state.hasNews = true
            return state.waiting != nil
        }
    }

    /// Takes back what was announced: it came to nothing.
    func withdraw() {
        state.withLock { $0.hasNews = false }
    }

    /// Gives a value, made of the latest news, to the iterator that waits.
    func hand(_ value: Value) {
        let waiting: Waiting? = state.withLock { state in
            defer { state.waiting = nil }
            if state.waiting != nil { state.hasNews = false }
            return state.waiting
        }
        // Made for the one who waits, and kept by nothing else but as what it consists of.
        waiting?.resume(returning: Unchecked(value))
    }

    /// Ends the sequence. News that was not waited for is dropped: what it is about may be gone.
    func finish(_ end: Result<Void, any Error> = .success(())) {
        let waiting: Waiting? = state.withLock { state in
            guard state.end == nil else { return nil }
            defer { state.waiting = nil }
            // An error is told once.
            state.end = state.waiting == nil ? end : .success(())
            return state.waiting
        }
        waiting?.resume(with: end.map { nil })
    }

    /// The next value; nil after the end.
    ///
    /// - Parameter ask: makes whoever has announced something hand it over.
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
