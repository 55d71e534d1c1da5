import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The replacement of a file-based store: its successor is created in a folder beside it, on the same file system, so that it
/// can replace the store atomically.
///
/// The folder's name is derived from the store's, so a store has at most one, and the process that works in it holds a lock
/// on it. The lock ends with the process: an unlocked folder was left by a killed process, and is deleted when the store is
/// opened for writing. (Process IDs would not do: different containers use the same ones.)
package final class FileReplacement: StoreReplacement {
    package let successor: URL
    private let store: URL
    private let kind: any StoreFileKind.Type
    private let timeout: Double
    private let folder: URL
    private let descriptor: Int32
    private var isHeld = false
    private var holding: (any StoreHolding)?

    private static func folder(beside store: URL) -> URL {
        store.deletingLastPathComponent().appendingPathComponent(
            ".\(store.lastPathComponent).migration", isDirectory: true)
    }

    /// Creates the folder, empty.
    ///
    /// - Parameter timeout: The seconds to wait for another process that works in it, or uses the store.
    /// - Throws: `NSPersistentStoreTimeoutError` if it is still in use after that; a Cocoa file error.
    package init(of store: URL, _ kind: any StoreFileKind.Type, timeout: Double) throws {
        let store = StoreFiles.resolvingLinks(in: store)
        let folder = Self.folder(beside: store)
        descriptor = try Self.lock(folder, store, timeout)
        self.store = store
        self.kind = kind
        self.folder = folder
        self.timeout = timeout
        successor = folder.appendingPathComponent(store.lastPathComponent)
        Self.empty(folder)
    }

    /// Deletes the folder with its contents.
    deinit {
        holding = nil
        try? FileManager.default.removeItem(at: folder)
        _ = close(descriptor)
    }

    // MARK: Locking

    private static func lock(_ folder: URL, _ store: URL, _ timeout: Double) throws -> Int32 {
        let end = Date(timeIntervalSinceNow: timeout)
        while true {
            try make(folder, beside: store)
            let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            // Another process may delete the folder before it is locked.
            if descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
                FileIdentity(folder.path) == FileIdentity(descriptor)
            {
                return descriptor
            }
            if descriptor >= 0 { _ = close(descriptor) }
            guard Date() < end else {
                throw CoreDataError.make(
                    NSPersistentStoreTimeoutError, description: "The store at \(store.path) is being migrated.",
                    reason: "Another process has worked in \(folder.path) for \(timeout) seconds.",
                    advice: "Add the store again when the other process has finished.",
                    userInfo: [NSURLErrorKey: store])
            }
            usleep(20_000)
        }
    }

    /// Creates the folder if it is missing. Foundation's function fails if another process deletes the folder concurrently.
    private static func make(_ folder: URL, beside store: URL) throws {
        guard mkdir(folder.path, 0o777) != 0 else { return }
        let number = errno
        if number == EEXIST { return }
        guard number == ENOENT else {
            throw CoreDataError.make(
                StoreFiles.writingCode(number).rawValue,
                description: "A folder to work in could not be made beside the store at \(store.path).",
                reason: "\(folder.path): \(String(cString: strerror(number)))",
                advice:
                    "Give this process the permission to write to the folder \(store.deletingLastPathComponent().path), "
                    + "and some space.",
                userInfo: [NSFilePathErrorKey: folder.path, NSURLErrorKey: store])
        }
        try FileManager.default.createDirectory(
            at: folder.deletingLastPathComponent(), withIntermediateDirectories: true)
    }

    private static func empty(_ folder: URL) {
        let manager = FileManager.default
        for name in (try? manager.contentsOfDirectory(atPath: folder.path)) ?? [] {
            try? manager.removeItem(at: folder.appendingPathComponent(name))
        }
    }

    /// Deletes the folder beside a store if a killed process has left it. Costs one file system access if there is none.
    package static func removeAbandoned(beside store: URL) {
        let folder = folder(beside: StoreFiles.resolvingLinks(in: store))
        guard FileIdentity(folder.path) != nil else { return }
        _ = FolderLock.exclusive(folder) { descriptor in
            // Another process may have deleted this folder meanwhile and created another.
            guard FileIdentity(folder.path) == FileIdentity(descriptor) else { return }
            try? FileManager.default.removeItem(at: folder)
        }
    }

    // MARK: Steps

    private func folder(ofStep number: Int) -> URL { folder.appendingPathComponent("\(number)", isDirectory: true) }

    package func place(ofStep number: Int) throws -> URL {
        let folder = folder(ofStep: number)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appendingPathComponent(store.lastPathComponent)
    }

    package func removeStep(_ number: Int) { try? FileManager.default.removeItem(at: folder(ofStep: number)) }

    // MARK: Replacing

    package func hold() throws {
        holding = try kind.hold(store, successor: successor, timeout: timeout)
        isHeld = true
    }

    package func copyStore() throws { try kind.copy(store, to: successor, timeout: timeout) }

    package func swap() throws {
        if let holding { return try holding.replaceStore() }
        if isHeld { try StoreFiles.move(successor, onto: store) } else { try kind.move(successor, to: store) }
    }
}
