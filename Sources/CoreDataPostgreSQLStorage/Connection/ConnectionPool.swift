#if PostgreSQL
import CoreDataRowStorage
import Foundation

/// The connections of one store: opened when needed, at most a number at once, handed out in the order of the requests.
///
/// Asynchronous callers suspend while they wait; blocking ones block their thread. No thread waits for a connection
/// while it holds one: nested leases would end in a deadlock.
package final class ConnectionPool: @unchecked Sendable {
    package let settings: ConnectionSettings
    /// The highest number of connections.
    package let size: Int
    /// The highest number of connections that are kept while nothing uses them.
    private let idleSize: Int
    /// True if the connection is that of a transaction which stays open.
    private(set) var isLent = false
    private let lock = NSLock()
    private var idle: [PostgreSQLConnection] = []
    /// The number of connections that are leased, being opened or idle.
    private var count = 0
    private var isClosed = false
    private var waiters = WaiterQueue()
    /// When the next asynchronous waiter gives up; nil if no timer is set.
    private var alarm: Deadline?

    /// The number of connections unless a program asks for another: few, because each is a process of the server.
    package static var usualSize: Int { min(2 * ProcessInfo.processInfo.activeProcessorCount + 2, 16) }

    package init(_ settings: ConnectionSettings, size: Int, idleSize: Int = .max) {
        self.settings = settings
        self.size = size
        self.idleSize = idleSize
    }

    /// Creates a pool of one connection with an open transaction, in which the transactions of its users are nested. It stays open
    /// when the pool is closed, as long as something else refers to it.
    init(lending connection: PostgreSQLConnection, _ settings: ConnectionSettings) {
        self.settings = settings
        (size, idleSize, count) = (1, 1, 1)
        idle = [connection]
        isLent = true
    }

    /// The numbers of connections in use or being opened, of idle ones, and of callers that wait.
    package var statistics: (used: Int, idle: Int, waiting: Int) {
        lock.withLock { (count - idle.count, idle.count, waiters.count) }
    }

    // MARK: Leasing

    /// Runs a closure with a connection that nothing else uses meanwhile. Blocks the thread until there is one.
    ///
    /// - Throws: A ``PostgreSQLError`` 53300 that names the pool's size if none became free in time; errors of opening
    ///   one.
    package func withConnection<Result>(
        until deadline: Deadline, _ body: (PostgreSQLConnection) throws -> Result
    ) throws -> Result {
        let connection = try lease(until: deadline)
        defer { release(connection) }
        return try body(connection)
    }

    /// Returns a connection, which must be released. Blocks the thread until there is one.
    package func lease(until deadline: Deadline) throws -> PostgreSQLConnection {
        if let connection = idleConnection() { return connection }
        let semaphore = DispatchSemaphore(value: 0)
        let waiter = Waiter(until: deadline) { semaphore.signal() }
        if let grant = enqueue(waiter) { return try accept(grant, until: deadline) }
        let operation = Probe.current
        let begin = operation == nil ? 0 : InstrumentClock.now
        defer { operation?.noteWaiting(since: begin) }
        if semaphore.wait(timeout: deadline.dispatchTime) == .timedOut { settle(waiter, .refusal(exhausted)) }
        // Either the grant came first, or the refusal: the waiter has one.
        return try accept(waiter.grant, until: deadline)
    }

    /// Returns a connection that nothing uses and nothing waits for; nil if there is none.
    private func idleConnection() -> PostgreSQLConnection? {
        lock.withLock {
            guard !isClosed, waiters.isEmpty, let connection = idle.last, !connection.isStale() else { return nil }
            return idle.removeLast()
        }
    }

    func accept(_ grant: Waiter.Grant?, until deadline: Deadline) throws -> PostgreSQLConnection {
        switch grant {
        case .connection(let connection)?: return connection
        case .opening?: return try open(until: deadline)
        case .refusal(let error)?: throw error
        case nil: throw StoreErrors.notOpen
        }
    }

    /// Returns what is there at once, or nil after adding a waiter.
    func enqueue(_ waiter: Waiter) -> Waiter.Grant? {
        var stale: [PostgreSQLConnection] = []
        defer { stale.removeAll() }
        return lock.withLock {
            if isClosed { return .refusal(StoreErrors.notOpen) }
            if waiters.isEmpty {
                while let connection = idle.popLast() {
                    guard connection.isStale() else { return .connection(connection) }
                    // Closed after the lock is released.
                    stale.append(connection)
                    count -= 1
                }
                if count < size {
                    count += 1
                    return .opening
                }
            }
            waiters.append(waiter)
            return nil
        }
    }

    func open(until deadline: Deadline) throws -> PostgreSQLConnection {
        do {
            let connection = try PostgreSQLConnection(settings, until: deadline)
            if lock.withLock({ isClosed }) { throw StoreErrors.notOpen }
            return connection
        } catch {
            freePlace()
            throw error
        }
    }

    /// Grants a waiter something unless it has a grant; its caller is resumed.
    func settle(_ waiter: Waiter, _ grant: Waiter.Grant) {
        if lock.withLock({ waiters.settle(waiter, grant) }) { waiter.resume() }
    }

    // MARK: Returning

    /// Takes a connection back. An open transaction is rolled back; a connection that is lost is closed.
    package func release(_ connection: PostgreSQLConnection) {
        connection.forgetInterruption()
        if !connection.isLost, !connection.isSpent, connection.isInTransaction {
            try? connection.run([PostgreSQLConnection.rollback], until: Deadline(after: 5))
        }
        guard connection.isReusable else { return freePlace() }
        let waiter = lock.withLock { () -> Waiter? in
            if let waiter = waiters.grantFirst(.connection(connection)) { return waiter }
            if isClosed || idle.count >= idleSize { count -= 1 } else { idle.append(connection) }
            return nil
        }
        waiter?.resume()
    }

    /// Lets the next caller open a connection in place of one that is closed.
    private func freePlace() {
        let waiter = lock.withLock { () -> Waiter? in
            if let waiter = waiters.grantFirst(.opening) { return waiter }
            count -= 1
            return nil
        }
        waiter?.resume()
    }

    /// Closes idle connections, after one of them was found to be lost.
    package func closeIdle() {
        let connections = lock.withLock { () -> [PostgreSQLConnection] in
            count -= idle.count
            defer { idle = [] }
            return idle
        }
        _ = connections
    }

    /// Closes idle connections, and refuses what waits; leased connections are closed when they are released.
    package func close() {
        let waiting = lock.withLock { () -> [Waiter] in
            isClosed = true
            return waiters.refuseAll(StoreErrors.notOpen)
        }
        closeIdle()
        for waiter in waiting { waiter.resume() }
    }

    // MARK: Waiting

    /// Refuses an asynchronous waiter after its deadline.
    func setAlarm(_ deadline: Deadline) {
        let isEarlier = lock.withLock { () -> Bool in
            guard alarm.map({ deadline.isEarlier(than: $0) }) ?? true else { return false }
            alarm = deadline
            return true
        }
        guard isEarlier, deadline.dispatchTime != .distantFuture else { return }
        DispatchQueue.global().asyncAfter(deadline: deadline.dispatchTime) { [weak self] in self?.ring(deadline) }
    }

    private func ring(_ deadline: Deadline) {
        let (late, next) = lock.withLock { () -> ([Waiter], Deadline?) in
            // Another timer was set for an earlier time.
            guard alarm == deadline else { return ([], nil) }
            alarm = nil
            return (waiters.refuseLate(exhausted), waiters.nextDeadline)
        }
        for waiter in late { waiter.resume() }
        if let next { setAlarm(next) }
    }

    /// The number of times that callers have waited for the server, over the connections that are idle now.
    package var roundTrips: Int { lock.withLock { idle.reduce(0) { $0 + $1.roundTrips } } }

    private var exhausted: PostgreSQLError {
        PostgreSQLError(
            state: "53300",
            message: "all \(size) connections of the pool to \(settings.place) were in use until the time was over")
    }
}
#endif
