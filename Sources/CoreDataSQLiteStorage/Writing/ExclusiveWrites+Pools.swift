import CoreDataFileStorage
import CoreDataRowStorage
import Foundation

extension ExclusiveWrites {
    /// Returns true if this thread holds a transaction that blocks writes to a file.
    static func keepOthers(from path: String) -> Bool { contain(path) { ($0 as? WriteHold)?.isOver == false } }

    /// Checks that no other pool's transaction on this thread would block a write.
    ///
    /// - Throws: `NSPersistentStoreOperationError` for a write that would wait for a transaction which another pool has begun
    ///   on this thread: a deadlock.
    @inline(__always)
    static func requireNoOther(than pool: ConnectionPool) throws {
        if areThere { try lookForOther(than: pool) }
    }

    @inline(never)
    private static func lookForOther(than pool: ConnectionPool) throws {
        // On its own connection, a held transaction nests.
        guard !contain(pool.path, where: { ($0 as? WriteHold)?.pool === pool }),
            contain(
                pool.path,
                where: {
                    guard let hold = $0 as? WriteHold else { return false }
                    return !hold.isOver && hold.pool !== pool
                })
        else { return }
        throw failure(pool.path, "The store at \(pool.path) could not be written to.")
    }
}
