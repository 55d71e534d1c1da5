import CoreDataStoreFiles
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// SQLite's exclusive lock on a database file, set without SQLite, which could not open a damaged one.
///
/// Locks all the bytes that SQLite locks (sqlite.org/fileformat2.html, section 1.4). While it is held, no other
/// process has a shared lock: none reads the file, none has the log in use, and opening it waits or fails with
/// `SQLITE_BUSY`. A connection without a log that is open but idle holds no lock, and is not noticed.
///
/// Linux has locks that belong to the open file, which exclude other connections of this process as well. Elsewhere
/// they belong to the process: this one must not open or close the file meanwhile.
final class ExclusiveFileLock {
    enum Failure: Error {
        /// Another connection has a lock.
        case held
        /// The file cannot be opened for writing, or not be locked.
        case system(errno: Int32)
    }

    let descriptor: Int32
    private let path: String
    private var command: Int32?

    #if os(Linux) || os(Android)
    /// `F_OFD_SETLK`.
    private static let commands: [Int32] = MemoryLayout<off_t>.size == 8 ? [37, Int32(F_SETLK)] : [Int32(F_SETLK)]
    #else
    private static let commands = [Int32(F_SETLK)]
    #endif
    private static let attempts = 5

    /// Locks a file that SQLite does not have open in this process. Waits at most 50 ms, for a reader or a checkpoint.
    init(_ path: String) throws(Failure) {
        guard !OpenDatabases.contains(path) else { throw .held }
        self.path = path
        descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(errno: errno) }
        for attempt in 1...Self.attempts {
            let code = lock()
            if code == 0 { return }
            guard code == EACCES || code == EAGAIN || code == EINTR else { throw .system(errno: code) }
            if attempt < Self.attempts { Thread.sleep(forTimeInterval: 0.01) }
        }
        throw .held
    }

    deinit {
        guard descriptor >= 0 else { return }
        release()
        OpenDatabases.close(descriptor)
    }

    /// Removes the lock.
    func release() {
        guard let command else { return }
        self.command = nil
        // Locks of the process are shared with a connection that was opened meanwhile.
        if command == Int32(F_SETLK), OpenDatabases.contains(path) { return }
        _ = set(Int32(F_UNLCK), command)
    }

    private func lock() -> Int32 {
        for command in Self.commands {
            let code = set(Int32(F_WRLCK), command)
            if code == 0 { self.command = command }
            // The system does not know the command.
            if code != EINVAL { return code }
        }
        return EINVAL
    }

    private func set(_ type: Int32, _ command: Int32) -> Int32 {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(FileLocks.pendingByte)
        lock.l_len = 512
        return fcntl(descriptor, command, &lock) == 0 ? 0 : errno
    }
}
