import CoreData

/// Counts the operations in progress on a stack (saves, reads and imports; or merges), so that its stores are not closed
/// meanwhile.
final class StackActivity: @unchecked Sendable {
    private let lock = NSLock()
    private var running = 0
    private var closed = false
    private var whenIdle: [@Sendable () -> Void] = []

    /// Whether the stack is closed to new work.
    var isClosed: Bool { lock.withLock { closed } }

    /// Begins an operation and returns true, or returns false if the stack is closed.
    func begin() -> Bool {
        lock.withLock {
            if !closed { running += 1 }
            return !closed
        }
    }

    /// Begins an operation that may be nested in a running one, and is then allowed on a closed stack; returns false if the
    /// stores are being closed.
    func beginWithin() -> Bool {
        lock.withLock {
            let mayBegin = !closed || running > 0
            if mayBegin { running += 1 }
            return mayBegin
        }
    }

    /// Ends an operation.
    func end() {
        let callbacks = lock.withLock {
            running -= 1
            guard running == 0 else { return [@Sendable () -> Void]() }
            defer { whenIdle = [] }
            return whenIdle
        }
        callbacks.forEach { $0() }
    }

    /// Closes the stack to new work; returns false if it was closed already.
    func close() -> Bool {
        lock.withLock {
            defer { closed = true }
            return !closed
        }
    }

    /// The result of ``closeIfIdle()``.
    enum Closing {
        case closed, closedBefore, busy
    }

    /// Closes the stack to new work unless an operation is running.
    func closeIfIdle() -> Closing {
        lock.withLock {
            if closed { return .closedBefore }
            guard running == 0 else { return .busy }
            closed = true
            return .closed
        }
    }

    /// Calls `body` when the last operation has ended: immediately, or on the thread that ends it.
    ///
    /// - Returns: true if `body` was called immediately.
    @discardableResult
    func notifyWhenIdle(_ body: @escaping @Sendable () -> Void) -> Bool {
        let isIdle = lock.withLock {
            if running > 0 { whenIdle.append(body) }
            return running == 0
        }
        if isIdle { body() }
        return isIdle
    }

    /// Blocks the thread until the last operation has ended.
    func waitUntilIdle() {
        let semaphore = DispatchSemaphore(value: 0)
        notifyWhenIdle { semaphore.signal() }
        semaphore.wait()
    }
}
