import Foundation

/// The folder beside a store in which its successor is created, and the lock on it that excludes other processes.
///
/// The folder's name is derived from the store's, so a store has at most one. The lock ends with the process that holds it:
/// an unlocked folder was left by a killed process. (Process IDs would not do: different containers use the same ones.)
package final class ReplacementFolder: Sendable {
    /// The reason why the folder is not available.
    package enum Failure: Error {
        /// Another process, or another migration of this one, holds the lock for longer than the timeout.
        case inUse
        /// The folder cannot be created; the system's error.
        case notCreated(errno: Int32)
    }

    package let url: URL
    private let descriptor: Int32

    /// Returns the folder of a store, which may not exist.
    package static func location(beside store: URL) -> URL {
        store.deletingLastPathComponent().appendingPathComponent(
            ".\(store.lastPathComponent).migration", isDirectory: true)
    }

    /// Creates the folder and locks it. It may contain what a killed process has left.
    ///
    /// - Parameters:
    ///   - store: the store's file, without symbolic links in its path.
    ///   - timeout: the seconds to wait for another process.
    /// - Throws: ``Failure``; a Cocoa file error if the folder that contains the store cannot be created.
    package init(beside store: URL, timeout: Double) throws {
        url = Self.location(beside: store)
        descriptor = try Self.lock(url, timeout)
    }

    /// Deletes the folder with its contents.
    deinit {
        try? FileManager.default.removeItem(at: url)
        _ = close(descriptor)
    }

    /// Deletes the contents of the folder.
    package func empty() {
        let manager = FileManager.default
        for name in (try? manager.contentsOfDirectory(atPath: url.path)) ?? [] {
            try? manager.removeItem(at: url.appendingPathComponent(name))
        }
    }

    private static func lock(_ folder: URL, _ timeout: Double) throws -> Int32 {
        let end = Date(timeIntervalSinceNow: timeout)
        while true {
            try make(folder)
            let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            // Another process may delete the folder before it is locked.
            if descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
                FileIdentity(folder.path) == FileIdentity(descriptor)
            {
                return descriptor
            }
            if descriptor >= 0 { _ = close(descriptor) }
            guard Date() < end else { throw Failure.inUse }
            usleep(20_000)
        }
    }

    /// Creates the folder if it is missing. Foundation's function fails if another process deletes the folder concurrently.
    private static func make(_ folder: URL) throws {
        guard mkdir(folder.path, 0o777) != 0 else { return }
        let number = errno
        if number == EEXIST { return }
        guard number == ENOENT else { throw Failure.notCreated(errno: number) }
        try FileManager.default.createDirectory(
            at: folder.deletingLastPathComponent(), withIntermediateDirectories: true)
    }
}
