import CoreData

/// Exclusive access that is granted in the order in which it was asked for, and may be released on another thread.
///
/// Grants are callbacks: a holder needs no thread of Swift's pool to go on. Otherwise blocking callers could occupy the pool
/// while they wait for a task that has no thread left.
final class AsyncMutex: @unchecked Sendable {
    /// A place in line, which can be given up.
    final class Place: @unchecked Sendable {
        // Both under the lock of the mutex.
        fileprivate var isGivenUp = false
        fileprivate var notify: (@Sendable (_ isGranted: Bool) -> Void)?
    }

    private let lock = NSLock()
    private var isTaken = false
    private var waiting: [Place] = []

    /// Calls `granted` when access is exclusive: at once if nobody has it, else on the releasing thread. `granted` must
    /// not block.
    func acquire(_ granted: @escaping @Sendable () -> Void) {
        acquire(at: Place()) { _ in granted() }
    }

    /// As ``acquire(_:)``, at a place that may be given up; then `notify` is called with false, and there is nothing to
    /// release.
    func acquire(at place: Place, _ notify: @escaping @Sendable (_ isGranted: Bool) -> Void) {
        lock.lock()
        if place.isGivenUp {
            lock.unlock()
            return notify(false)
        }
        guard isTaken else {
            isTaken = true
            lock.unlock()
            return notify(true)
        }
        place.notify = notify
        waiting.append(place)
        lock.unlock()
    }

    /// Leaves the line. Does nothing once access has been granted.
    func giveUp(_ place: Place) {
        lock.lock()
        place.isGivenUp = true
        waiting.removeAll { $0 === place }
        let notify = place.notify
        place.notify = nil
        lock.unlock()
        notify?(false)
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
        let notify = next.notify
        next.notify = nil
        lock.unlock()
        notify?(true)
    }
}
