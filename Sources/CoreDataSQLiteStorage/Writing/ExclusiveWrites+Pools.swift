import CoreDataFileStorage
import CoreDataRowStorage
import Foundation

extension ExclusiveWrites {
    /// Whether a transaction of this thread keeps others from writing to a file.
    static func keepOthers(from path: String) -> Bool { contain(path) { ($0 as? WriteHold)?.isOver == false } }

    /// - Throws: `NSPersistentStoreOperationError` for a write that would wait for a transaction of this thread, which another
    ///   pool has begun.
    @inline(__always)
    static func requireNoOther(than pool: ConnectionPool) throws {
        if areThere { try lookForOther(than: pool) }
    }

    @inline(never)
    private static func lookForOther(than pool: ConnectionPool) throws {
        // In its own connection a hold nests.
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
