import CoreDataRowStorage
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A lock on a folder that holds among processes, and ends with the process that has it.
///
/// A copy of a store or a migration puts files into the folder of a store outside of a transaction on that store: it shares
/// the lock with others like it. A collector of files that no row names has the lock alone.
package enum FolderLock {
    /// Runs `body` with the lock shared, after waiting for a collector to finish. Where the file system has no locks, `body`
    /// runs without: there collectors do nothing.
    package static func shared<Result>(_ folder: URL, _ body: () throws -> Result) rethrows -> Result {
        let descriptor = lock(folder, LOCK_SH)
        defer { unlock(descriptor) }
        return try body()
    }

    /// Runs `body` with the lock held exclusively, without waiting for it.
    ///
    /// - Parameter body: is given the descriptor of the folder that is locked.
    /// - Returns: nil where `body` has not run: the lock is held elsewhere, or the folder or locks are missing.
    package static func exclusive<Result>(_ folder: URL, _ body: (Int32) throws -> Result) rethrows -> Result? {
        let descriptor = lock(folder, LOCK_EX | LOCK_NB)
        guard descriptor >= 0 else { return nil }
        defer { unlock(descriptor) }
        return try body(descriptor)
    }

    private static func lock(_ folder: URL, _ operation: Int32) -> Int32 {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return -1 }
        while flock(descriptor, operation) != 0 {
            guard errno == EINTR else {
                _ = close(descriptor)
                return -1
            }
        }
        return descriptor
    }

    /// Closing the descriptor ends the lock.
    private static func unlock(_ descriptor: Int32) { if descriptor >= 0 { _ = close(descriptor) } }
}
