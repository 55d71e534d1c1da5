#if PostgreSQL
import CoreDataRowStorage
import Foundation

/// The turns of an engine's writers: saves side by side, or one thread that keeps the others out. Turns come in the
/// order of the requests. Threads wait without a connection, so that readers have the pool's.
final class WriteGate: @unchecked Sendable {
    private let lock = NSCondition()
    /// The number of saves that run.
    private var saves = 0
    private var isHeld = false
    /// The requests that wait or are about to enter, the oldest first.
    private var queue: [UInt64] = []
    private var lastTicket: UInt64 = 0

    /// The number of threads that wait.
    var waiting: Int { lock.withLock { queue.count } }

    /// Enters as one of several saves.
    ///
    /// - Throws: `NSPersistentStoreTimeoutError` if another thread keeps writers out for too long.
    func enter(until deadline: Deadline) throws { try enter(until: deadline, isAlone: false) }

    /// Enters, and keeps others out.
    func enterAlone(until deadline: Deadline) throws { try enter(until: deadline, isAlone: true) }

    private func enter(until deadline: Deadline, isAlone: Bool) throws {
        lock.lock()
        defer { lock.unlock() }
        lastTicket += 1
        let ticket = lastTicket
        queue.append(ticket)
        defer {
            // The next one may be able to enter, too.
            queue.removeAll { $0 == ticket }
            if !queue.isEmpty { lock.broadcast() }
        }
        while queue[0] != ticket || isHeld || (isAlone && saves > 0) {
            guard !deadline.isOver else { throw Self.timeout }
            _ = lock.wait(until: deadline.date)
        }
        if isAlone { isHeld = true } else { saves += 1 }
    }

    func leave() {
        lock.withLock {
            saves -= 1
            if saves == 0 { lock.broadcast() }
        }
    }

    func leaveAlone() {
        lock.withLock {
            isHeld = false
            lock.broadcast()
        }
    }

    private static var timeout: NSError {
        CoreDataError.make(
            NSPersistentStoreTimeoutError, description: "Another thread keeps writers from the store.",
            reason: "It has begun an exclusive unit of work, which did not end in time.",
            advice: "End exclusive units of work sooner, or try again.")
    }
}
#endif
