import CoreDataFileStorage
import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A write transaction that is held open from before the first read until the changes that depend on the reads are saved.
///
/// No other writer commits to the file meanwhile, so ordinary reads, which see the latest commit, see the state that the save
/// builds on. The save commits the transaction itself, before notifications are posted. Used by one thread.
final class WriteHold: ExclusiveWrite, @unchecked Sendable {
    let pool: ConnectionPool
    fileprivate let connection: SQLiteConnection
    /// The file; nil if the hold has ended.
    let file: FileIdentity?
    let thread = pthread_self()
    /// Whether the transaction has ended, or is nested in another.
    fileprivate(set) var isOver = false
    /// Whether it holds the writer lock without a transaction: it is nested in another hold, or the file is in exclusive
    /// locking mode.
    fileprivate var hasTurnAlone = false

    fileprivate init(_ pool: ConnectionPool, _ connection: SQLiteConnection) {
        self.pool = pool
        self.connection = connection
        file = FileIdentity(pool.path)
    }
}

extension SQLiteEngine {
    /// Blocks all other writers of the file, in this process or another, until ``endHold(_:)`` on the same thread. The first
    /// save or batch request inside that succeeds is committed with all keys reserved until then, and admits other writers
    /// again; later writes inside are ordinary writes.
    ///
    /// Nested in another hold of the thread, the outer one continues. Reserved keys stay reserved when a save fails.
    func beginHold() throws -> WriteHold {
        let connection = try pool.beginWriting()
        let hold = WriteHold(pool, connection)
        // In exclusive locking mode, no transaction is needed, and one would block this process's readers.
        if self.hold != nil || !pool.noticesCommits || connection.isInTransaction {
            hold.isOver = true
            hold.hasTurnAlone = true
        } else {
            do {
                try begin(connection)
            } catch {
                pool.endWriting()
                throw error
            }
            self.hold = hold
        }
        ExclusiveWrites.add(hold)
        return hold
    }

    /// Admits other writers again.
    func endHold(_ hold: WriteHold) throws {
        ExclusiveWrites.remove(hold)
        if hold.hasTurnAlone { pool.endWriting() } else { try finish(hold) }
        // Another thread that closes the pool waits until here.
        if pool.isClosedForGood { throw SQLiteFailure.isRemovedWhileWritten(pool.path) }
    }

    /// Ends a hold without a save.
    private func finish(_ hold: WriteHold) throws {
        guard !hold.isOver else { return }
        hold.isOver = true
        self.hold = nil
        defer { pool.endWriting() }
        let connection = hold.connection
        do {
            try connection.statement(.commit).run()
            connection.commits.add()
            allocator.didCommit(connection)
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            allocator.forgetAll()
            throw error
        }
    }

    /// Runs `body` in the transaction that is held open. If it fails, its changes are rolled back, and the hold continues.
    func write<Result>(
        in hold: WriteHold, endsHold: Bool, _ connection: SQLiteConnection,
        _ body: (SQLiteConnection) throws -> Result
    ) throws -> Result {
        try connection.execute("SAVEPOINT held")
        do {
            _ = try allocator.begin(connection)
            try connection.requireFileInPlace()
            let result = try body(connection)
            if endsHold {
                try connection.statement(.commit).run()
                connection.commits.add()
                end(hold)
            } else {
                try connection.execute("RELEASE held")
            }
            allocator.didCommit(connection)
            return result
        } catch {
            if connection.isInTransaction, (try? rollBackToHeld(connection)) != nil {
                allocator.didRollBack()
            } else {
                // SQLite has rolled back the whole transaction, or must: a part of the failed write must not be committed
                // later.
                if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                end(hold)
                allocator.forgetAll()
            }
            throw error
        }
    }

    private func rollBackToHeld(_ connection: SQLiteConnection) throws {
        try connection.execute("ROLLBACK TO held")
        try connection.execute("RELEASE held")
    }

    /// Releases the writer lock of the hold; the caller still holds its own.
    private func end(_ hold: WriteHold) {
        hold.isOver = true
        self.hold = nil
        pool.endWriting()
    }
}
