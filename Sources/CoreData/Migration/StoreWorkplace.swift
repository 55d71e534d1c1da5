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

/// A folder beside a store in which its successor is made, on the same file system so that it can take the store's place at
/// once.
///
/// Its name follows from the store's, so a store has one at most, and whoever works in it has it locked. The lock ends with the
/// process: an unlocked folder was left by a process that was killed, and is deleted when the store is opened for
/// writing. (Process numbers would not tell: containers give the same ones to different processes.)
struct StoreWorkplace: ~Copyable {
    /// Where the successor is to be made.
    let url: URL
    private let original: URL
    private let storeClass: NSPersistentStore.Type
    private let timeout: Double
    let folder: URL
    private let descriptor: Int32

    private static func folder(beside store: URL) -> URL {
        store.deletingLastPathComponent().appendingPathComponent(
            ".\(store.lastPathComponent).migration", isDirectory: true)
    }

    /// Makes the folder, empty.
    ///
    /// - Parameter timeout: how many seconds to wait for another process that works in it, or uses the store.
    /// - Throws: `NSPersistentStoreTimeoutError` when it is still in use then; a Cocoa file error.
    init(for original: URL, type: String, timeout: Double) throws {
        CurrentContexts.restSessions()
        try ExclusiveWrites.requireNone(of: original, toBe: "migrated")
        let original = StoreFiles.resolvingLinks(in: original)
        let folder = Self.folder(beside: original)
        let storeClass = try StoreRegistry.requireClass(for: type)
        let descriptor = try Self.lock(folder, original, timeout)
        self.storeClass = storeClass
        self.descriptor = descriptor
        self.original = original
        self.folder = folder
        self.timeout = timeout
        url = folder.appendingPathComponent(original.lastPathComponent)
        Self.empty(folder)
    }

    /// Deletes the folder, with what is in it.
    deinit {
        try? FileManager.default.removeItem(at: folder)
        _ = close(descriptor)
    }

    // MARK: Locking

    private static func lock(_ folder: URL, _ original: URL, _ timeout: Double) throws -> Int32 {
        let end = Date(timeIntervalSinceNow: timeout)
        while true {
            try make(folder, beside: original)
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
                    NSPersistentStoreTimeoutError, description: "The store at \(original.path) is being migrated.",
                    reason: "Another process has worked in \(folder.path) for \(timeout) seconds.",
                    advice: "Add the store again when the other process has finished.",
                    userInfo: [NSURLErrorKey: original])
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
    static func removeAbandoned(beside store: URL) {
        let folder = folder(beside: StoreFiles.resolvingLinks(in: store))
        guard FileIdentity(folder.path) != nil else { return }
        _ = FolderLock.exclusive(folder) { descriptor in
            // Another process may have deleted this one and made its own in the meantime.
            guard FileIdentity(folder.path) == FileIdentity(descriptor) else { return }
            try? FileManager.default.removeItem(at: folder)
        }
    }

    // MARK: Copying and replacing

    /// Copies the original, which may be in use.
    func copyOriginal() throws {
        try storeClass.replaceStore(
            at: url, options: StoreOptions(timeout: timeout), from: original, sourceOptions: StoreOptions(nil))
    }

    /// Keeps others from changing the original from now on; nil for stores that cannot. An empty store may be at ``url``
    /// afterwards.
    func hold() throws -> (any StoreHolding)? {
        try storeClass.hold(original, successor: url, timeout: timeout)
    }

    /// Puts the successor in the original's place. Killed at any moment, the original is either the old store or the new one.
    func replaceOriginal(_ hold: (any StoreHolding)?) throws {
        if let hold { return try hold.replaceStore() }
        try StoreFiles.move(url, onto: original)
    }

    /// Moves a closed store to its place, where there is none yet; see ``NSPersistentStore/moveStore(at:to:)``.
    func moveIn() throws { try storeClass.moveStore(at: url, to: original) }
}
