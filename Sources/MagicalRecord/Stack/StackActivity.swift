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
    ///
    /// - Parameter isNested: whether the operation may be part of a running one, and is then allowed on a closed stack.
    func begin(within isNested: Bool = false) -> Bool {
        lock.withLock {
            let mayBegin = !closed || (isNested && running > 0)
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

    /// Closes the stack as ``close()``, but returns nil while an operation is running.
    func closeIfIdle() -> Bool? {
        lock.withLock {
            guard closed || running == 0 else { return nil }
            defer { closed = true }
            return !closed
        }
    }

    /// Calls `body` when the last operation has ended: immediately, and then returns true, or on the thread that ends it.
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
