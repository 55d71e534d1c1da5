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

    /// Calls `notify` with true once access is exclusive: immediately if it is free, otherwise on the releasing thread. If the
    /// request is cancelled, calls it with false, and there is nothing to release. `notify` must not block.
    func acquire(at place: Place = Place(), _ notify: @escaping @Sendable (_ isGranted: Bool) -> Void) {
        let isGranted = lock.withLock { () -> Bool? in
            guard isTaken || place.isGivenUp else {
                isTaken = true
                return true
            }
            if place.isGivenUp { return false }
            place.notify = notify
            waiting.append(place)
            return nil
        }
        if let isGranted { notify(isGranted) }
    }

    /// Cancels a request. Does nothing once access has been granted.
    func giveUp(_ place: Place) {
        let notify = lock.withLock {
            place.isGivenUp = true
            waiting.removeAll { $0 === place }
            defer { place.notify = nil }
            return place.notify
        }
        notify?(false)
    }

    /// Takes exclusive access and returns true, or returns false if it is taken.
    func tryAcquire() -> Bool {
        lock.withLock {
            defer { isTaken = true }
            return !isTaken
        }
    }

    /// Blocks the thread until access is exclusive.
    func acquireAndWait() {
        let semaphore = DispatchSemaphore(value: 0)
        acquire { _ in semaphore.signal() }
        semaphore.wait()
    }

    /// Releases access and grants it to the next request. Must be called once for every grant.
    func release() {
        let notify = lock.withLock { () -> (@Sendable (Bool) -> Void)? in
            isTaken = !waiting.isEmpty
            guard isTaken else { return nil }
            let next = waiting.removeFirst()
            defer { next.notify = nil }
            return next.notify
        }
        notify?(true)
    }
}
