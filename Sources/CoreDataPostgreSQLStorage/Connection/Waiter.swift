#if PostgreSQL

/// A caller that waits for a connection, or for the permission to open one. Its grant is guarded by the pool's lock
/// until the caller is resumed.
final class Waiter: @unchecked Sendable {
    enum Grant {
        case connection(PostgreSQLConnection)
        case opening
        case refusal(any Error)
    }

    fileprivate(set) var grant: Grant?
    let deadline: Deadline
    let resume: @Sendable () -> Void

    init(until deadline: Deadline, _ resume: @escaping @Sendable () -> Void) {
        self.deadline = deadline
        self.resume = resume
    }
}

/// Callers in the order of their requests. One that has a grant is left in place until those before it have theirs.
struct WaiterQueue {
    private var waiters: [Waiter] = []
    private var first = 0
    /// The number of callers without a grant.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ waiter: Waiter) {
        waiters.append(waiter)
        count += 1
    }

    /// Grants a waiter something; returns false if it has a grant.
    mutating func settle(_ waiter: Waiter, _ grant: Waiter.Grant) -> Bool {
        guard waiter.grant == nil else { return false }
        waiter.grant = grant
        count -= 1
        if count == 0 { removeAll() }
        return true
    }

    /// Grants the first waiter something; returns nil if there is none.
    mutating func grantFirst(_ grant: Waiter.Grant) -> Waiter? {
        while first < waiters.count {
            let waiter = waiters[first]
            first += 1
            guard settle(waiter, grant) else { continue }
            if first > 1000 {
                waiters.removeFirst(first)
                first = 0
            }
            return waiter
        }
        removeAll()
        return nil
    }

    private mutating func removeAll() {
        waiters.removeAll(keepingCapacity: waiters.count < 1000)
        first = 0
    }

    mutating func refuseAll(_ error: any Error) -> [Waiter] { refuse(error) { _ in true } }

    /// Refuses waiters after their deadlines.
    mutating func refuseLate(_ error: any Error) -> [Waiter] { refuse(error) { $0.deadline.isOver } }

    private mutating func refuse(_ error: any Error, where isRefused: (Waiter) -> Bool) -> [Waiter] {
        let refused = waiters[first...].filter { $0.grant == nil && isRefused($0) }
        for waiter in refused { _ = settle(waiter, .refusal(error)) }
        return refused
    }

    var nextDeadline: Deadline? {
        waiters[first...].lazy.filter { $0.grant == nil }.map(\.deadline).min { $0.isEarlier(than: $1) }
    }
}
#endif
