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

/// A transaction that writes and is held open, before the first read it is about, until what came of the reads is saved.
///
/// Meanwhile no other writer commits to the file, so ordinary reads, which see what is committed, see what the save is going to
/// build upon. The save commits the transaction itself, before notifications tell of it. Used by one thread.
final class WriteHold: ExclusiveWrite, @unchecked Sendable {
    let pool: ConnectionPool
    fileprivate let connection: SQLiteConnection
    /// nil where there is none any more.
    let file: FileIdentity?
    let thread = pthread_self()
    /// Whether the transaction has ended, or there was one around this already.
    fileprivate(set) var isOver = false
    /// Whether there is another one around this, or the file is locked for good: only the turn to write is kept.
    fileprivate var hasTurnAlone = false

    fileprivate init(_ pool: ConnectionPool, _ connection: SQLiteConnection) {
        self.pool = pool
        self.connection = connection
        file = FileIdentity(pool.path)
    }
}

extension SQLiteEngine {
    /// Keeps all other writers, of this process or another, from the file until ``endHold(_:)`` on the same thread. The first save or
    /// batch request inside that succeeds is committed with all keys set aside until then, and ends that; what is written later
    /// inside is a write as any other.
    ///
    /// Inside another hold of the thread the outer one goes on. Keys that are set aside stay so when a save fails.
    func beginHold() throws -> WriteHold {
        let connection = try pool.beginWriting()
        let hold = WriteHold(pool, connection)
        // A connection that locks the file for good needs no more, and would keep others here from reading.
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

    /// Lets others write again.
    func endHold(_ hold: WriteHold) throws {
        ExclusiveWrites.remove(hold)
        if hold.hasTurnAlone { pool.endWriting() } else { try finish(hold) }
        // Another thread that closes the pool waits until here.
        if pool.isClosedForGood { throw SQLiteFailure.isRemovedWhileWritten(pool.path) }
    }

    /// Ends a hold in which nothing was saved.
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

    /// Runs `body` in the transaction that is held open; when it fails, nothing of it stays, and the hold goes on.
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
                // SQLite has given all of it up, or has to: nothing of what failed may be committed later.
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

    /// Gives up the hold's turn to write; the caller still has its own.
    private func end(_ hold: WriteHold) {
        hold.isOver = true
        self.hold = nil
        pool.endWriting()
    }
}
