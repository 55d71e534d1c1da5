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

/// The replacement of a file-based store: its successor is created in a ``ReplacementFolder`` beside it, on the same file
/// system, so that it can replace the store atomically. A folder that a killed process has left is deleted when the store is
/// opened for writing.
package final class FileReplacement: StoreReplacement {
    package let successor: URL
    private let store: URL
    private let kind: any StoreFileKind.Type
    private let timeout: Double
    private let folder: ReplacementFolder
    private var isHeld = false
    private var holding: (any StoreHolding)?

    /// Creates the folder, empty.
    ///
    /// - Parameter timeout: The seconds to wait for another process that works in it, or uses the store.
    /// - Throws: `NSPersistentStoreTimeoutError` if it is still in use after that; a Cocoa file error.
    package init(of store: URL, _ kind: any StoreFileKind.Type, timeout: Double) throws {
        let store = StoreFiles.resolvingLinks(in: store)
        folder = try Self.lockedFolder(beside: store, timeout)
        self.store = store
        self.kind = kind
        self.timeout = timeout
        successor = folder.url.appendingPathComponent(store.lastPathComponent)
        folder.empty()
    }

    // The successor is closed before its folder is deleted.
    deinit { holding = nil }

    // MARK: Locking

    private static func lockedFolder(beside store: URL, _ timeout: Double) throws -> ReplacementFolder {
        do {
            return try ReplacementFolder(beside: store, timeout: timeout)
        } catch ReplacementFolder.Failure.inUse {
            throw CoreDataError.make(
                NSPersistentStoreTimeoutError, description: "The store at \(store.path) is being migrated.",
                reason:
                    "Another process has worked in \(ReplacementFolder.location(beside: store).path) "
                    + "for \(timeout) seconds.",
                advice: "Add the store again when the other process has finished.",
                userInfo: [NSURLErrorKey: store])
        } catch ReplacementFolder.Failure.notCreated(let number) {
            let path = ReplacementFolder.location(beside: store).path
            throw CoreDataError.make(
                StoreFiles.writingCode(number).rawValue,
                description: "A folder to work in could not be made beside the store at \(store.path).",
                reason: "\(path): \(String(cString: strerror(number)))",
                advice:
                    "Give this process the permission to write to the folder \(store.deletingLastPathComponent().path), "
                    + "and some space.",
                userInfo: [NSFilePathErrorKey: path, NSURLErrorKey: store])
        }
    }

    /// Deletes the folder beside a store if a killed process has left it. Costs one file system access if there is none.
    package static func removeAbandoned(beside store: URL) {
        let folder = ReplacementFolder.location(beside: StoreFiles.resolvingLinks(in: store))
        guard FileIdentity(folder.path) != nil else { return }
        _ = FolderLock.exclusive(folder) { descriptor in
            // Another process may have deleted this folder meanwhile and created another.
            guard FileIdentity(folder.path) == FileIdentity(descriptor) else { return }
            try? FileManager.default.removeItem(at: folder)
        }
    }

    // MARK: Steps

    private func folder(ofStep number: Int) -> URL {
        folder.url.appendingPathComponent("\(number)", isDirectory: true)
    }

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
