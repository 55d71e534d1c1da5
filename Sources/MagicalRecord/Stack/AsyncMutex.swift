import CoreData

/// An asynchronous mutex: grants exclusive access in the order of the requests; may be released on another thread.
///
/// Access is granted by callback, so a holder needs no thread of Swift's pool to continue. Otherwise blocking callers could
/// occupy the pool while they wait for a task that has no thread left.
final class AsyncMutex: @unchecked Sendable {
    /// A pending request, which can be cancelled.
    final class Place: @unchecked Sendable {
        // Both are protected by the mutex's lock.
        fileprivate var isGivenUp = false
        fileprivate var notify: (@Sendable (_ isGranted: Bool) -> Void)?
    }

    private let lock = NSLock()
    private var isTaken = false
    private var waiting: [Place] = []

    /// Calls `granted` once access is exclusive: immediately if it is free, otherwise on the releasing thread. `granted` must
    /// not block.
    func acquire(_ granted: @escaping @Sendable () -> Void) {
        acquire(at: Place()) { _ in granted() }
    }

    /// Requests access as ``acquire(_:)``, by a request that can be cancelled; `notify` is then called with false, and there is
    /// nothing to release.
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

    /// Cancels a request. Does nothing once access has been granted.
    func giveUp(_ place: Place) {
        lock.lock()
        place.isGivenUp = true
        waiting.removeAll { $0 === place }
        let notify = place.notify
        place.notify = nil
        lock.unlock()
        notify?(false)
    }

    /// Takes exclusive access and returns true, or returns false if it is taken.
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

    /// Releases access and grants it to the next request. Must be called once for every grant.
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
