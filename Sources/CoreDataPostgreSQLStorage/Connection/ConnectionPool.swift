#if PostgreSQL
import Foundation

/// The connections of one store: opened when needed, at most a number at once, handed out in the order of the requests.
///
/// Asynchronous callers suspend while they wait; blocking ones block their thread. No thread waits for a connection while it
/// holds one: nested leases would end in a deadlock.
package final class ConnectionPool: @unchecked Sendable {
    package let settings: ConnectionSettings
    /// The highest number of connections.
    package let size: Int
    private let lock = NSLock()
    private var idle: [PostgreSQLConnection] = []
    /// The number of connections that are leased, being opened or idle.
    private var count = 0
    private var isClosed = false
    private var waiters: [Waiter] = []
    private var firstWaiter = 0

    /// One caller that waits for a connection, or for the permission to open one.
    private final class Waiter: @unchecked Sendable {
        enum Grant {
            case connection(PostgreSQLConnection)
            case opening
            case refusal(any Error)
        }
        /// Guarded by the pool's lock.
        var isDone = false
        let resume: (Grant) -> Void
        init(_ resume: @escaping (Grant) -> Void) { self.resume = resume }
    }

    /// The number of connections unless a program asks for another: few, because each is a process of the server.
    package static var usualSize: Int { min(2 * ProcessInfo.processInfo.activeProcessorCount + 2, 16) }

    package init(_ settings: ConnectionSettings, size: Int) {
        self.settings = settings
        self.size = size
    }

    // MARK: Leasing

    /// Runs a closure with a connection that nothing else uses meanwhile. Blocks the thread until there is one.
    ///
    /// - Throws: 134xxx's cause, a ``PostgreSQLError`` 53300, if none became free in time; errors of opening one.
    package func withConnection<Result>(
        until deadline: Deadline, _ body: (PostgreSQLConnection) throws -> Result
    ) throws -> Result {
        let connection = try lease(until: deadline)
        defer { release(connection) }
        return try body(connection)
    }

    /// Returns a connection, which must be released. Blocks the thread until there is one.
    package func lease(until deadline: Deadline) throws -> PostgreSQLConnection {
        let semaphore = DispatchSemaphore(value: 0)
        let box = GrantBox()
        let waiter = Waiter { grant in
            box.grant = grant
            semaphore.signal()
        }
        switch enqueue(waiter) {
        case .connection(let connection)?: return connection
        case .opening?: return try open(until: deadline)
        case .refusal(let error)?: throw error
        case nil: break
        }
        if semaphore.wait(timeout: deadline.dispatchTime) == .timedOut {
            let isGranted = lock.withLock { () -> Bool in
                defer { waiter.isDone = true }
                return waiter.isDone
            }
            guard isGranted else { throw exhausted }
            semaphore.wait()
        }
        return try accept(box.grant, until: deadline)
    }

    /// Returns a connection, which must be released. Suspends the task until there is one.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits.
    package func lease(until deadline: Deadline) async throws -> PostgreSQLConnection {
        try Task.checkCancellation()
        let cancellation = Cancellation()
        let grant: Waiter.Grant = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter { continuation.resume(returning: $0) }
                if let grant = enqueue(waiter) { return continuation.resume(returning: grant) }
                cancellation.arm { [weak self] in self?.give(up: waiter, CancellationError()) }
                guard let error = Optional(exhausted) else { return }
                DispatchQueue.global().asyncAfter(deadline: deadline.dispatchTime) { [weak self] in
                    self?.give(up: waiter, error)
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        switch grant {
        case .connection(let connection): return connection
        case .refusal(let error): throw error
        case .opening:
            // Opening blocks: not on a thread of the pool of tasks.
            return try await withCheckedThrowingContinuation { continuation in
                Self.openers.async { continuation.resume(with: Result { try self.open(until: deadline) }) }
            }
        }
    }

    private static let openers = DispatchQueue(label: "CoreData.PostgreSQL.opening", attributes: .concurrent)

    /// Returns what is there at once, or nil after adding a waiter.
    private func enqueue(_ waiter: Waiter) -> Waiter.Grant? {
        lock.withLock {
            if isClosed { return .refusal(closed) }
            if firstWaiter == waiters.count {
                if let connection = idle.popLast() { return .connection(connection) }
                if count < size {
                    count += 1
                    return .opening
                }
            }
            waiters.append(waiter)
            return nil
        }
    }

    private func accept(_ grant: Waiter.Grant?, until deadline: Deadline) throws -> PostgreSQLConnection {
        switch grant {
        case .connection(let connection)?: return connection
        case .opening?: return try open(until: deadline)
        case .refusal(let error)?: throw error
        case nil: throw closed
        }
    }

    private func open(until deadline: Deadline) throws -> PostgreSQLConnection {
        do {
            return try PostgreSQLConnection(settings, until: deadline)
        } catch {
            freePlace()
            throw error
        }
    }

    private func give(up waiter: Waiter, _ error: any Error) {
        let isWaiting = lock.withLock { () -> Bool in
            defer { waiter.isDone = true }
            return !waiter.isDone
        }
        if isWaiting { waiter.resume(.refusal(error)) }
    }

    // MARK: Returning

    /// Takes a connection back. One with an open transaction is rolled back; one that is lost is closed.
    package func release(_ connection: PostgreSQLConnection) {
        if !connection.isLost, connection.isInTransaction {
            try? connection.run([PipelineRequest(Self.rollback)], until: Deadline(after: 5))
        }
        guard !connection.isLost, !connection.isInTransaction else { return freePlace() }
        let waiter = lock.withLock { () -> Waiter? in
            if let waiter = nextWaiter() { return waiter }
            if isClosed { count -= 1 } else { idle.append(connection) }
            return nil
        }
        waiter?.resume(.connection(connection))
    }

    private static let rollback = ServerStatement("ROLLBACK", isPrepared: false)

    /// Lets the next caller open a connection in place of one that is closed.
    private func freePlace() {
        let waiter = lock.withLock { () -> Waiter? in
            if let waiter = nextWaiter() { return waiter }
            count -= 1
            return nil
        }
        waiter?.resume(.opening)
    }

    private func nextWaiter() -> Waiter? {
        while firstWaiter < waiters.count {
            let waiter = waiters[firstWaiter]
            firstWaiter += 1
            if firstWaiter == waiters.count || firstWaiter > 1000 {
                waiters.removeFirst(firstWaiter)
                firstWaiter = 0
            }
            guard !waiter.isDone else { continue }
            waiter.isDone = true
            return waiter
        }
        return nil
    }

    /// Closes idle connections; leased ones are closed when they are released.
    package func close() {
        let (connections, waiting) = lock.withLock { () -> ([PostgreSQLConnection], [Waiter]) in
            isClosed = true
            count -= idle.count
            defer {
                idle = []
                waiters = []
                firstWaiter = 0
            }
            let waiting = waiters[firstWaiter...].filter { !$0.isDone }
            for waiter in waiting { waiter.isDone = true }
            return (idle, waiting)
        }
        _ = connections
        for waiter in waiting { waiter.resume(.refusal(closed)) }
    }

    private var exhausted: PostgreSQLError {
        PostgreSQLError(
            state: "53300", message: "all \(size) connections to \(settings.place) were in use until the time was over")
    }
    private var closed: PostgreSQLError { PostgreSQLError(state: "08003", message: "the store was closed") }

    private final class GrantBox: @unchecked Sendable { var grant: Waiter.Grant? }
}

/// What is done when a task is cancelled, before or after that is known.
private final class Cancellation: @unchecked Sendable {
    private let lock = NSLock()
    private var isCancelled = false
    private var action: (() -> Void)?

    func arm(_ action: @escaping () -> Void) {
        let runs = lock.withLock { () -> Bool in
            self.action = action
            return isCancelled
        }
        if runs { action() }
    }

    func cancel() {
        let action = lock.withLock { () -> (() -> Void)? in
            isCancelled = true
            return self.action
        }
        action?()
    }
}
#endif
