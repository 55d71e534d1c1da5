import CoreData

/// Hands the newest list over from the context's queue to whoever waits for it. Older ones that nobody took are dropped.
final class ResultsMailbox<Object: NSManagedObject>: Sendable {
    private typealias Waiting = CheckedContinuation<MagicalRecord.ResultList<Object>?, any Error>

    private struct State {
        var newest: ResultState<Object>?
        /// Objects whose values changed since a list was last taken.
        var updated: Set<Object> = []
        var taken = ResultState<Object>()
        var waiting: Waiting?
        var end: Result<Void, any Error>?

        /// The next list, if there is one to be had.
        mutating func take() -> MagicalRecord.ResultList<Object>? {
            guard let new = newest else { return nil }
            let list = MagicalRecord.ResultList(state: new, previous: taken, updated: updated)
            taken = new
            newest = nil
            updated = []
            return list
        }
    }

    private let state = Locked(State())

    func put(_ new: ResultState<Object>, updated: Set<Object>) {
        let delivery: (Waiting, MagicalRecord.ResultList<Object>)? = state.withLock { state in
            guard state.end == nil else { return nil }
            state.newest = new
            state.updated.formUnion(updated)
            guard let waiting = state.waiting, let list = state.take() else { return nil }
            state.waiting = nil
            return (waiting, list)
        }
        if let (waiting, list) = delivery { waiting.resume(returning: list) }
    }

    /// Ends the sequence, after what has not been taken yet.
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

    func next() async throws -> MagicalRecord.ResultList<Object>? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer: Result<MagicalRecord.ResultList<Object>?, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .success(nil) }
                    if let list = state.take() { return .success(list) }
                    if let end = state.end {
                        state.end = .success(())
                        return end.map { nil }
                    }
                    precondition(state.waiting == nil, "One iterator of live results cannot be used by two tasks.")
                    state.waiting = continuation
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            finish()
        }
    }
}
