#if canImport(CoreDataSQLiteStorage)
import Foundation

/// The lock of the folder of an unfinished copy, until the process ends or this object does.
final class CopyFolderLock {
    private let descriptor: Int32

    /// - Parameter url: The place of the store, for the message.
    /// - Throws: An error if another process has the lock.
    init(_ folder: URL, of url: URL) throws {
        let path = folder.appendingPathComponent("lock").path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreToolError(
                .destination, "The folder \(folder.path) cannot be written: \(String(cString: strerror(errno))).",
                advice: "Name another place.", url: url)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw CopyErrors.overtaken(url.path)
        }
    }

    deinit { close(descriptor) }
}
#endif
