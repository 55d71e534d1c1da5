import CoreData

/// The pieces of work that are being done on a stack (saves, reads and imports; or merges), so that its stores are not
/// closed under them.
final class StackActivity: @unchecked Sendable {
    private let lock = NSLock()
    private var running = 0
    private var closed = false
    private var whenIdle: [@Sendable () -> Void] = []

    /// Whether no new work may begin.
    var isClosed: Bool { lock.withLock { closed } }

    /// Counts a piece of work. False when the stack is closed.
    func begin() -> Bool {
        lock.withLock {
            if !closed { running += 1 }
            return !closed
        }
    }

    /// Counts a piece of work that may be part of a running one, and then also begins on a closed stack. False when its
    /// stores are being closed.
    func beginWithin() -> Bool {
        lock.withLock {
            let mayBegin = !closed || running > 0
            if mayBegin { running += 1 }
            return mayBegin
        }
    }

    /// The end of a piece of work.
    func end() {
        let callbacks = lock.withLock {
            running -= 1
            guard running == 0 else { return [@Sendable () -> Void]() }
            defer { whenIdle = [] }
            return whenIdle
        }
        callbacks.forEach { $0() }
    }

    /// Lets no new work begin. False when the stack was closed already.
    func close() -> Bool {
        lock.withLock {
            defer { closed = true }
            return !closed
        }
    }

    /// What came of ``closeIfIdle()``.
    enum Closing {
        case closed, closedBefore, busy
    }

    /// Lets no new work begin, unless some is running.
    func closeIfIdle() -> Closing {
        lock.withLock {
            if closed { return .closedBefore }
            guard running == 0 else { return .busy }
            closed = true
            return .closed
        }
    }

    /// Calls `body` when the last piece of work has ended: at once, or on the thread that ends it.
    ///
    /// - Returns: whether that was at once.
    @discardableResult
    func notifyWhenIdle(_ body: @escaping @Sendable () -> Void) -> Bool {
        let isIdle = lock.withLock {
            if running > 0 { whenIdle.append(body) }
            return running == 0
        }
        if isIdle { body() }
        return isIdle
    }

    /// Blocks the thread until the last piece of work has ended.
    func waitUntilIdle() {
        let semaphore = DispatchSemaphore(value: 0)
        notifyWhenIdle { semaphore.signal() }
        semaphore.wait()
    }
}
