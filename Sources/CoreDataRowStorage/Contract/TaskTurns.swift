import Dispatch
import Synchronization

/// The turns of tasks with blocks that wait for a server: at most a number of them at once are on a context's queue, and thus on a
/// thread. The others are suspended, in the order of their requests.
///
/// A task that has waited for long goes on without a turn: blocks may wait for each other in ways that the turns do not know.
package final class TaskTurns: Sendable {
    private struct Request {
        let number: UInt64
        let limit: ContinuousClock.Instant
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State: ~Copyable {
        var free: Int
        var requests: [Request] = []
        /// The position of the first request that is not answered.
        var first = 0
        var lastNumber: UInt64 = 0
        /// The requests that were neither added nor answered yet, and those of them that were cancelled.
        var pending: Set<UInt64> = []
        var cancelled: Set<UInt64> = []
        var hasTimer = false
    }

    private let state: Mutex<State>
    private let patience: Duration

    /// Creates the turns.
    ///
    /// - Parameters:
    ///   - count: The highest number at once.
    ///   - patience: The time after which a task goes on without a turn.
    package init(count: Int, patience: Duration = .seconds(10)) {
        state = Mutex(State(free: count))
        self.patience = patience
    }

    /// The number of tasks that wait.
    package var waiting: Int { state.withLock { $0.requests.count - $0.first } }

    /// Waits for a turn, which ends with ``leave()``.
    ///
    /// - Returns: False if the task has no turn, because it was cancelled while it waited, or has waited for too long.
    package func enter() async -> Bool {
        let number: UInt64? = state.withLock { state in
            if state.free > 0 {
                state.free -= 1
                return nil
            }
            state.lastNumber += 1
            state.pending.insert(state.lastNumber)
            return state.lastNumber
        }
        guard let number else { return true }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { add(number, $0) }
        } onCancel: {
            cancel(number)
        }
    }

    private func add(_ number: UInt64, _ continuation: CheckedContinuation<Bool, Never>) {
        let limit = ContinuousClock.now + patience
        var needsTimer = false
        let answer: Bool? = state.withLock { state in
            state.pending.remove(number)
            if state.cancelled.remove(number) != nil { return false }
            if state.free > 0 {
                state.free -= 1
                return true
            }
            state.requests.append(Request(number: number, limit: limit, continuation: continuation))
            needsTimer = !state.hasTimer
            state.hasTimer = true
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
        if needsTimer { setTimer(limit) }
    }

    private func cancel(_ number: UInt64) {
        let request: Request? = state.withLock { state in
            guard let index = state.requests[state.first...].firstIndex(where: { $0.number == number }) else {
                if state.pending.contains(number) { state.cancelled.insert(number) }
                return nil
            }
            return state.requests.remove(at: index)
        }
        request?.continuation.resume(returning: false)
    }

    /// Ends a turn; the next task has it.
    package func leave() {
        let request: Request? = state.withLock { state in
            guard let next = Self.takeFirst(&state) else {
                state.free += 1
                return nil
            }
            return next
        }
        request?.continuation.resume(returning: true)
    }

    private static func takeFirst(_ state: inout State) -> Request? {
        guard state.first < state.requests.count else { return nil }
        let request = state.requests[state.first]
        state.first += 1
        if state.first == state.requests.count || state.first > 1000 {
            state.requests.removeFirst(state.first)
            state.first = 0
        }
        return request
    }

    // MARK: Patience

    private func setTimer(_ limit: ContinuousClock.Instant) {
        let wait = max(.zero, ContinuousClock.now.duration(to: limit))
        let seconds = Double(wait.components.seconds) + Double(wait.components.attoseconds) / 1e18
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in self?.endWaits() }
    }

    /// Resumes the tasks that have waited for too long.
    private func endWaits() {
        let now = ContinuousClock.now
        var late: [Request] = []
        let next: ContinuousClock.Instant? = state.withLock { state in
            while state.first < state.requests.count, state.requests[state.first].limit <= now {
                if let request = Self.takeFirst(&state) { late.append(request) }
            }
            let next = state.first < state.requests.count ? state.requests[state.first].limit : nil
            state.hasTimer = next != nil
            return next
        }
        for request in late { request.continuation.resume(returning: false) }
        if let next { setTimer(next) }
    }
}
