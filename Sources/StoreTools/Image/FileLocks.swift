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

/// The locks that another process holds on a database file, as SQLite sets them (sqlite.org/lockingv3.html).
package struct FileLocks: Sendable, Hashable {
    package enum Level: Int, Sendable, Comparable {
        /// Reading; with a log, also writing.
        case shared
        /// About to write: the file is still unchanged.
        case reserved
        /// Writing: others must not read.
        case exclusive

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    package let level: Level
    /// The process that holds the lock, if the system tells it.
    package let process: Int32?

    /// The first of the bytes that SQLite locks; the page with it is never used.
    static let pendingByte: Int64 = 1 << 30
    private static let sharedCount: Int64 = 510

    /// Returns the highest lock that another process holds on the file at a path; nil if there is none, and for a file that
    /// SQLite has open in this process or that cannot be read.
    package static func holders(of path: String) -> FileLocks? {
        (try? SourceFile(database: path)).flatMap { of($0) }
    }

    /// Returns the highest lock that another process holds on a file; nil if there is none.
    ///
    /// Through SQLite's VFS, readers are not found, and locks of this process's other connections count as well.
    static func of(_ file: SourceFile) -> FileLocks? {
        switch file.access {
        case .descriptor(let descriptor): of(descriptor)
        case .sqlite(let file): file.lockLevel.map { FileLocks(level: $0, process: nil) }
        }
    }

    private static func of(_ descriptor: Int32) -> FileLocks? {
        let questions: [(Int32, Int64, Int64, Level)] = [
            (Int32(F_RDLCK), pendingByte, 1, .exclusive),
            (Int32(F_RDLCK), pendingByte + 2, sharedCount, .exclusive),
            (Int32(F_WRLCK), pendingByte + 1, 1, .reserved),
            (Int32(F_WRLCK), pendingByte + 2, sharedCount, .shared),
        ]
        for (type, start, count, level) in questions {
            var lock = flock()
            lock.l_type = Int16(type)
            lock.l_whence = Int16(SEEK_SET)
            lock.l_start = off_t(start)
            lock.l_len = off_t(count)
            guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { continue }
            return FileLocks(level: level, process: lock.l_pid > 0 ? Int32(lock.l_pid) : nil)
        }
        return nil
    }
}
