import CoreData

/// Exclusive access that is granted in the order in which it was asked for, and may be released on another thread.
///
/// An asynchronous holder needs no thread of Swift's cooperative pool to go on: grants are callbacks. Otherwise blocking
/// callers could occupy the pool while they wait for a task that has no thread left.
final class AsyncMutex: @unchecked Sendable {
    private let lock = NSLock()
    private var isTaken = false
    private var waiting: [@Sendable () -> Void] = []

    /// Calls `granted` when access is exclusive: at once if nobody has it, else on the releasing thread. `granted` must
    /// not block.
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

    /// Takes exclusive access if nobody has it. False otherwise.
    func tryAcquire() -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard !isTaken else { return false }
        isTaken = true
        return true
    }

    /// Blocks the thread until access is exclusive.
    func acquireAndWait() {
        let semaphore = DispatchSemaphore(value: 0)
        acquire { semaphore.signal() }
        semaphore.wait()
    }

    /// Passes access to the next in line. To be called once for every access granted.
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
