import CoreDataRowStorage
import Foundation
import Synchronization

/// A connection that keeps showing one state of its file.
///
/// It has an open read transaction: SQLite then shows it the file as it was. As long as it is open the write-ahead log cannot be
/// emptied past that state, so one that is kept for long lets the log grow. Reads of one state take turns.
final class Snapshot: @unchecked Sendable {
    private let lock = NSRecursiveLock()
    private let pool: ConnectionPool
    /// nil once it has ended.
    private var connection: SQLiteConnection?

    /// nil for a file in rollback mode, where an open reader would keep all others from writing.
    init?(_ pool: ConnectionPool) throws {
        self.pool = pool
        let connection = try pool.lendReader()
        do {
            guard try connection.keepSnapshot() else {
                pool.takeBack(connection)
                return nil
            }
        } catch {
            pool.takeBack(connection)
            throw error
        }
        self.connection = connection
    }

    deinit { end() }

    /// Waits for the turn to read, until ``giveBack()``.
    ///
    /// - Throws: an error once the snapshot has ended.
    func take() throws -> SQLiteConnection {
        lock.lock()
        if let connection { return connection }
        lock.unlock()
        throw StoreErrors.sessionEnded
    }

    func giveBack() { lock.unlock() }

    func end() {
        lock.lock()
        defer { lock.unlock() }
        guard let connection else { return }
        self.connection = nil
        connection.endKeptTransaction()
        pool.takeBack(connection)
    }
}
