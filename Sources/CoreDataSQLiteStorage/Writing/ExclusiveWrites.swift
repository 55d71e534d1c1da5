import CoreDataRowStorage
import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The files that threads write exclusively; see ``WriteHold``.
///
/// What such a thread does to the same file by another connection would wait for its own transaction, and in vain.
package enum ExclusiveWrites {
    private static let all = Locked<[WriteHold]>([])
    /// Asked by every save, without a lock.
    private static let count = Atomic<Int>(0)

    /// Counts a hold as one of this thread's.
    static func add(_ hold: WriteHold) {
        all.withLock { $0.append(hold) }
        count.wrappingAdd(1, ordering: .relaxed)
    }

    static func remove(_ hold: WriteHold) {
        count.wrappingSubtract(1, ordering: .relaxed)
        all.withLock { all in all.removeAll { $0 === hold } }
    }

    /// A thread finds what it has counted itself.
    @inline(__always)
    private static var areThere: Bool { count.load(ordering: .relaxed) > 0 }

    private static func contain(_ path: String, where isMeant: (WriteHold) -> Bool) -> Bool {
        guard areThere, let file = FileIdentity(path) else { return false }
        return all.withLock { all in
            all.contains { $0.file == file && pthread_equal($0.thread, pthread_self()) != 0 && isMeant($0) }
        }
    }

    /// Whether this thread writes to the store at a URL exclusively.
    package static func include(_ url: URL) -> Bool { url.isFileURL && contain(url.path) { _ in true } }

    /// Whether a transaction of this thread keeps others from writing to a file.
    static func keepOthers(from path: String) -> Bool { contain(path) { !$0.isOver } }

    /// - Throws: `NSPersistentStoreOperationError` for a store to which this thread writes exclusively.
    /// - Parameter verb: what was to be done to the store, as in "destroyed".
    package static func requireNone(of url: URL, toBe verb: String) throws {
        if areThere, include(url) { throw failure(url.path, "The store at \(url.path) could not be \(verb).") }
    }

    /// - Throws: `NSPersistentStoreOperationError` for a write that would wait for a transaction of this thread, which another
    ///   pool has begun.
    @inline(__always)
    static func requireNoOther(than pool: ConnectionPool) throws {
        if areThere { try lookForOther(than: pool) }
    }

    @inline(never)
    private static func lookForOther(than pool: ConnectionPool) throws {
        // In its own connection a hold nests.
        guard !contain(pool.path, where: { $0.pool === pool }),
            contain(pool.path, where: { !$0.isOver && $0.pool !== pool })
        else { return }
        throw failure(pool.path, "The store at \(pool.path) could not be written to.")
    }

    private static func failure(_ path: String, _ description: String) -> NSError {
        SQLiteFailure.storeError(
            NSPersistentStoreOperationError, path: path, description: description,
            reason: "This thread is writing to it exclusively, and would wait for itself.",
            advice: "Do it when the exclusive write has returned.")
    }
}
