import CoreDataRowStorage
import Foundation
import Synchronization

/// A connection that keeps showing one state of its file.
///
/// It holds a read transaction open, which blocks checkpoints of the log past that state: a snapshot that is kept for long
/// lets the log grow. Reads of one snapshot are serialized.
final class Snapshot: @unchecked Sendable {
    private let lock = NSRecursiveLock()
    private let pool: ConnectionPool
    /// The connection; nil once the snapshot has ended.
    private var connection: SQLiteConnection?

    /// Takes a snapshot; returns nil for a file in rollback mode, where an open reader would block every writer.
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

    /// Waits for exclusive access to the connection, which lasts until ``giveBack()``.
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
