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

/// The replacement of a store that is a file: its successor is made in a folder beside it, on the same file system so that it
/// can take the store's place at once.
///
/// The folder's name follows from the store's, so a store has one at most, and the process that works in it has it locked. The
/// lock ends with the process: an unlocked folder was left by a process that was killed, and is deleted when the store is
/// opened for writing. (Process numbers would not tell: containers give the same ones to different processes.)
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

    /// Makes the folder, empty.
    ///
    /// - Parameter timeout: Seconds to wait for another process that works in it, or uses the store.
    /// - Throws: `NSPersistentStoreTimeoutError` when it is still in use then; a Cocoa file error.
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

    /// Deletes the folder, with what is in it.
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

    /// Foundation's function fails when another process deletes the folder just then.
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

    /// Deletes the folder beside a store if a process that was killed has left it. Costs one look at the file system if there
    /// is none.
    package static func removeAbandoned(beside store: URL) {
        let folder = folder(beside: StoreFiles.resolvingLinks(in: store))
        guard FileIdentity(folder.path) != nil else { return }
        _ = FolderLock.exclusive(folder) { descriptor in
            // Another process may have deleted this one and made its own in the meantime.
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
