#if PostgreSQL
import CoreDataRowStorage
import Foundation

/// The right of one process to migrate a store, across all hosts: held until ``end()``, and renewed meanwhile over another
/// connection than that of the migration. The lease of a killed process is over after ``length``.
final class MigrationLease: @unchecked Sendable {
    private let row: LeaseRow
    private let pool: ConnectionPool
    private let condition = NSCondition()
    private var isOver = false

    /// The seconds after which the lease of a process that does not renew it is over.
    static let length = 4.0
    /// The seconds that a process waits for others unless the store's options say otherwise.
    static let usualTimeout = 120.0

    private init(_ row: LeaseRow, _ pool: ConnectionPool) {
        self.row = row
        self.pool = pool
        let thread = Thread { [self] in renew() }
        thread.name = "MagicalRecord lease"
        thread.start()
    }

    // MARK: Waiting

    /// Takes the lease of a store, and waits as long as others hold it.
    ///
    /// - Returns: nil if the store has another version of its model than at first; if there is no store; and for users
    ///   without rights to change its tables: their migration fails.
    /// - Throws: 134090 if others hold it for longer than the timeout.
    static func take(_ place: StorePlace) throws -> MigrationLease? {
        let pool = try PostgreSQLDriver.makePool(place, preparesStatements: false)
        var lease: MigrationLease?
        defer { if lease == nil { pool.close() } }
        do {
            lease = try take(place, pool)
            return lease
        } catch let error as PostgreSQLError {
            throw ServerFailure.error(error, place: pool.settings.place)
        }
    }

    /// Takes the lease of a store if no other process holds it. It closes the pool when it ends.
    static func takeIfFree(_ pool: ConnectionPool) throws -> MigrationLease? {
        let row = LeaseRow(pool, length: length)
        guard case .taken = try row.take() else { return nil }
        return MigrationLease(row, pool)
    }

    private static func take(_ place: StorePlace, _ pool: ConnectionPool) throws -> MigrationLease? {
        let row = LeaseRow(pool, length: length)
        let timeout = place.options.number(NSPersistentStoreTimeoutOption) ?? usualTimeout
        let deadline = Deadline(after: timeout)
        var first: StoreRecord?
        while true {
            switch try row.take() {
            case .taken: return MigrationLease(row, pool)
            case .impossible: return nil
            case .held(let holder):
                let record = try StoreRecord.read(pool)
                if let first, record.map({ !$0.hasVersion(of: first) }) ?? true { return nil }
                first = first ?? record
                guard !deadline.isOver else { throw failure(place, pool, holder, timeout) }
            }
            Thread.sleep(forTimeInterval: .random(in: 0.02...0.12))
        }
    }

    private static func failure(
        _ place: StorePlace, _ pool: ConnectionPool, _ holder: LeaseRow.Holder, _ timeout: Double
    ) -> NSError {
        let since = ISO8601DateFormatter().string(from: holder.since)
        return CoreDataError.make(
            NSPersistentStoreTimeoutError,
            description: "The store in \(pool.settings.place) is being migrated by another process.",
            reason: "\(holder.process) on \(holder.host) migrates it since \(since), and has not finished within "
                + "\(timeout) seconds.",
            advice:
                "Wait for that process and add the store again, set a longer NSPersistentStoreTimeoutOption, or end "
                + "that process: its migration is undone, and the lease is over \(length) seconds later.",
            userInfo: [NSURLErrorKey: place.url, "holder": holder.process, "host": holder.host, "since": holder.since])
    }

    // MARK: Holding

    private func renew() {
        let period = Self.length / 3
        condition.lock()
        defer { condition.unlock() }
        while !isOver {
            _ = condition.wait(until: Date(timeIntervalSinceNow: period))
            guard !isOver else { return }
            condition.unlock()
            // A server that does not answer now may do so at the next time.
            let isLost = (try? row.renew()) == false
            condition.lock()
            if isLost { return }
        }
    }

    /// Releases the lease.
    func end() {
        let isFirst = condition.withLock { () -> Bool in
            defer { isOver = true }
            return !isOver
        }
        guard isFirst else { return }
        condition.broadcast()
        try? row.release()
        pool.close()
    }
}
#endif
