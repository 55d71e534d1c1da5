import CoreDataStoreFiles
import Foundation
import ModelFormat

/// File operations of stores that are one file, with errors in Core Data's words.
package enum StoreFiles {
    /// Seconds to wait for a store that others use, where nothing else is said.
    package static let usualTimeout = 240.0

    /// The path of stores that are to leave no file behind.
    package static let nowhere = "/dev/null"

    package static func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    /// The size of a file in bytes; 0 for one that is not there.
    package static func size(_ path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// When the content of a file was written last, and its inode changed, in seconds since 1970; nil where there is no file, or
    /// a symbolic link.
    package static func times(_ path: String) -> (written: Double, changed: Double)? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { return nil }
        func seconds(_ time: timespec) -> Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }
        return (seconds(status.st_mtim), seconds(status.st_ctim))
    }

    /// Whether the file system a file lies on is mounted for reading only. False where that is not known.
    package static func isOnReadOnlyFileSystem(_ path: String) -> Bool {
        var status = statvfs()
        return statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
    }

    /// Whether this process may make files in the folder of a file.
    package static func isFolderWritable(of path: String) -> Bool {
        let folder = (path as NSString).deletingLastPathComponent
        return access(folder.isEmpty ? "." : folder, W_OK) == 0
    }

    /// Deletes a store file; a missing one is no error.
    ///
    /// - Throws: `NSPersistentStoreOperationError` where it cannot be deleted, or SQLite has it open.
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

    /// The contents of a file, or what it begins with.
    ///
    /// - Throws: ``OpenDatabases/IsOpen``, or a Cocoa error for a file that is missing or cannot be read.
    package static func contents(_ path: String, first limit: Int = .max) throws -> Data {
        try OpenDatabases.reading(path) { descriptor in
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            return try (limit == .max ? file.readToEnd() : file.read(upToCount: limit)) ?? Data()
        }
    }

    /// Makes a copy of a file where there is none.
    ///
    /// - Throws: as ``contents(_:first:)``, and when the copy cannot be written.
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

    /// Copies `source` over `destination` such that the destination is complete at every moment.
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

    /// Moves a file onto another of the same file system, which it replaces at once.
    package static func move(_ source: URL, onto destination: URL) throws {
        guard rename(source.path, destination.path) == 0 else {
            throw CoreDataError.make(
                CocoaError.fileWriteUnknown.rawValue, description: "A file could not be moved into its place.",
                reason: "\(source.path) to \(destination.path): \(String(cString: strerror(errno)))",
                userInfo: [NSFilePathErrorKey: destination.path])
        }
    }

    /// Gives a file a second name on the same file system, which must not be in use.
    package static func link(_ source: URL, to destination: URL) throws {
        guard Foundation.link(source.path, destination.path) == 0 else {
            let code: CocoaError.Code = errno == EEXIST ? .fileWriteFileExists : .fileWriteUnknown
            throw CoreDataError.make(
                code.rawValue, description: "A file could not be moved into its place.",
                reason: "\(source.path) to \(destination.path): \(String(cString: strerror(errno)))",
                userInfo: [NSFilePathErrorKey: destination.path])
        }
    }

    /// Waits until a new file and its place in its folder are on the disk.
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

    /// Makes the folder a store lies in.
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
