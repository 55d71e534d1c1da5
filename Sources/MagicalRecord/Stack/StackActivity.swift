import CoreData

/// The saves, reads and imports that work on a stack, so that its stores are not closed under them.
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
}
