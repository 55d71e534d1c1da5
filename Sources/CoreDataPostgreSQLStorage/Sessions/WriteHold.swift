#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// The exclusion of other writers by one thread: a transaction that has locked all tables of the store. Others read
/// meanwhile.
final class WriteHold: @unchecked Sendable {
    let thread = pthread_self()
    let transaction: HeldTransaction

    init(_ transaction: HeldTransaction) { self.transaction = transaction }
}

extension PostgreSQLEngine {
    /// The hold of this thread; nil if it has none, or it has ended.
    var hold: WriteHold? {
        holds.withLock { hold in
            guard let hold, pthread_equal(hold.thread, pthread_self()) != 0 else { return nil }
            return hold
        }
    }

    /// Locks all tables.
    ///
    /// - Throws: `NSPersistentStoreTimeoutError` if another writer holds one for too long.
    func beginHold() throws -> WriteHold {
        // Threads of this process wait here: without a connection, and in the order of their requests.
        try gate.enterAlone(until: Deadline(after: options.lockTimeout))
        do {
            let transaction = try translatingErrors {
                try retryPolicy.retrying { _ in try lockTables() }
            }
            let hold = WriteHold(transaction)
            holds.withLock { $0 = hold }
            return hold
        } catch {
            gate.leaveAlone()
            throw error
        }
    }

    private func lockTables() throws -> HeldTransaction {
        func begin() throws -> HeldTransaction {
            try HeldTransaction(
                pool, lease: Deadline(after: options.leaseTimeout), lockingStatements(),
                until: Deadline(after: options.lockTimeout + options.statementTimeout))
        }
        do {
            return try begin()
        } catch let error as PostgreSQLError where error.isOfVersionCheck {
            let isMigrated = try pool.withConnection(until: Deadline(after: options.leaseTimeout), noteMigration)
            guard isMigrated else { throw error }
            return try begin()
        }
    }

    /// Admits other writers again, once.
    func end(_ hold: WriteHold) {
        let isCurrent = holds.withLock { current -> Bool in
            guard current === hold else { return false }
            current = nil
            return true
        }
        hold.transaction.end()
        if isCurrent { gate.leaveAlone() }
    }

    /// Returns the statements that lock all tables, always in the same order: holds never wait for each other in a
    /// circle.
    private func lockingStatements() throws -> [PipelineRequest] {
        let names = try PostgreSQLSchema(tables).tableNames()
        let list = ([StoreRecord.table] + names.map { PostgreSQLName.quoted($0) }).joined(separator: ", ")
        // Conflicts with every lock of writers, and with none of readers.
        return [
            .plain("BEGIN"), options.limits(isPrepared: false), .plain("LOCK TABLE \(list) IN EXCLUSIVE MODE"),
        ] + versionChecks.map { .plain($0) }
    }
}
#endif
