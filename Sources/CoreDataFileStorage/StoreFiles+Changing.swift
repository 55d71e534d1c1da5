import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation
import ModelFormat

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// File operations of single-file stores, which throw Core Data's errors.
extension StoreFiles {
    /// Deletes a store file; does nothing if it is missing.
    ///
    /// - Throws: `NSPersistentStoreOperationError` if it cannot be deleted, or SQLite has it open.
    package static func remove(_ url: URL) throws {
        guard url.isFileURL, url.path != nowhere, exists(url) else { return }
        do {
            let file = resolvingLinks(in: url)
            try OpenDatabases.requireNotInUse(file.path)
            try FileManager.default.removeItem(at: file)
        } catch {
            throw CoreDataError.make(
                NSPersistentStoreOperationError, description: "The store at \(url.path) could not be destroyed.",
                underlying: error)
        }
    }

    /// Copies a file to a path without a file.
    ///
    /// - Throws: as ``contents(_:first:)``, and if the copy cannot be written.
    package static func copy(_ source: String, to destination: String) throws {
        try OpenDatabases.reading(source) { descriptor in
            try Data().write(to: URL(fileURLWithPath: destination), options: .withoutOverwriting)
            let copy = try FileHandle(forWritingTo: URL(fileURLWithPath: destination))
            defer { try? copy.close() }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            while let part = try file.read(upToCount: 1 << 20), !part.isEmpty { try copy.write(contentsOf: part) }
            try copy.synchronize()
        }
    }

    /// Replaces `destination` with a copy of `source`, atomically.
    package static func replace(_ destination: URL, with source: URL) throws {
        do {
            try write(try contents(source.path), to: destination)
        } catch {
            throw CoreDataError.make(
                NSPersistentStoreOperationError,
                description: "The store at \(destination.path) could not be replaced by the one at \(source.path).",
                underlying: error)
        }
    }

    /// Moves a file onto another of the same file system, replacing it atomically.
    package static func move(_ source: URL, onto destination: URL) throws {
        guard rename(source.path, destination.path) == 0 else {
            throw CoreDataError.make(
                CocoaError.fileWriteUnknown.rawValue, description: "A file could not be moved into its place.",
                reason: "\(source.path) to \(destination.path): \(String(cString: strerror(errno)))",
                userInfo: [NSFilePathErrorKey: destination.path])
        }
    }

    /// Creates a hard link to a file, at a path without a file.
    package static func link(_ source: URL, to destination: URL) throws {
        guard Foundation.link(source.path, destination.path) == 0 else {
            let code: CocoaError.Code = errno == EEXIST ? .fileWriteFileExists : .fileWriteUnknown
            throw CoreDataError.make(
                code.rawValue, description: "A file could not be moved into its place.",
                reason: "\(source.path) to \(destination.path): \(String(cString: strerror(errno)))",
                userInfo: [NSFilePathErrorKey: destination.path])
        }
    }

    /// Waits until a new file and its directory entry are on the disk.
    package static func synchronize(_ url: URL) throws {
        for path in [url.path, url.deletingLastPathComponent().path] {
            try OpenDatabases.reading(path) { descriptor in
                guard fsync(descriptor) == 0 else {
                    throw CoreDataError.make(
                        CocoaError.fileWriteUnknown.rawValue, description: "A file could not be written to the disk.",
                        reason: "\(path): \(String(cString: strerror(errno)))", userInfo: [NSFilePathErrorKey: path])
                }
            }
        }
    }

    /// Creates the folder of a store.
    package static func makeFolder(of url: URL) throws {
        guard let path = FileAccess.path(ofFile: url), path != nowhere else { return }
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex,
            FileAccess.isFolder(String(path[..<slash])) == true
        {
            return
        }
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    }
}
