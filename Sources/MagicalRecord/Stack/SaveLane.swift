import CoreData

/// The turns in which the saves of one stack run.
///
/// Each save, from its first look-up to the end of writing, runs before the next begins. So a closure that looks an
/// object up and creates it when it is missing cannot run beside another that does the same (the original let them,
/// and created duplicates). Turns are given in the order in which they were asked for.
final class SaveLane: @unchecked Sendable {
    private let lock = NSLock()
    private var isTaken = false
    private var waiting: [@Sendable () -> Void] = []

    /// Calls `granted` when it is the caller's turn: at once if nobody is at work, else on the thread that gives its
    /// turn back. `granted` must not block.
    func acquire(_ granted: @escaping @Sendable () -> Void) {
        lock.lock()
        guard isTaken else {
            isTaken = true
            lock.unlock()
            return granted()
        }
        waiting.append(granted)
        lock.unlock()
    }

    /// Suspends the task until it is its turn.
    func acquire() async {
        await withCheckedContinuation { continuation in
            acquire { continuation.resume() }
        }
    }

    /// Blocks the thread until it is its turn.
    func acquireAndWait() {
        let semaphore = DispatchSemaphore(value: 0)
        acquire { semaphore.signal() }
        semaphore.wait()
    }

    /// Gives the turn to the next in line. To be called once for every turn granted.
    func release() {
        lock.lock()
        guard !waiting.isEmpty else {
            isTaken = false
            lock.unlock()
            return
        }
        let next = waiting.removeFirst()
        lock.unlock()
        next()
    }
}
