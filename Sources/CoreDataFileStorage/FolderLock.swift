import CoreDataRowStorage
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A lock on a folder that excludes other processes, and ends with the process that holds it.
///
/// A copy of a store or a migration puts files into the folder of a store outside of a transaction on that store: it holds
/// the lock shared. A collector of files that no row refers to holds it exclusively.
package enum FolderLock {
    /// Runs `body` with the lock held shared, after waiting for a collector to finish. If the file system has no locks,
    /// `body` runs without one: collectors then do nothing.
    package static func shared<Result>(_ folder: URL, _ body: () throws -> Result) rethrows -> Result {
        let descriptor = lock(folder, LOCK_SH)
        defer { unlock(descriptor) }
        return try body()
    }

    /// Runs `body` with the lock held exclusively, without waiting for it.
    ///
    /// - Parameter body: receives the descriptor of the locked folder.
    /// - Returns: nil if `body` has not run: the lock is held elsewhere, or the folder or locks are missing.
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

    /// Releases the lock by closing the descriptor.
    private static func unlock(_ descriptor: Int32) { if descriptor >= 0 { _ = close(descriptor) } }
}
