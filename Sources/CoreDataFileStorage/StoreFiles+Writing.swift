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

extension StoreFiles {
    /// Writes a whole file atomically, creating its folder if necessary. A link to the file remains a link, and the file
    /// keeps its permissions.
    ///
    /// Until it is complete, the content is in a file of another name beside it. A killed process leaves that file; see
    /// ``removeAbandonedWrites(beside:)``.
    ///
    /// - Throws: ``OpenDatabases/IsOpen`` if the file would replace one that SQLite has open; a Cocoa error of writing.
    package static func write(_ data: Data, to url: URL) throws {
        let url = resolvingLinks(in: url)
        try OpenDatabases.requireNotInUse(url.path)
        try makeFolder(of: url)
        var status = stat()
        let exists = stat(url.path, &status) == 0
        // A device cannot be replaced.
        if exists, status.st_mode & S_IFMT != S_IFREG { return try data.write(to: url) }
        let mode = exists ? status.st_mode & 0o7777 : nil
        let partial = try PartialFile(of: url, mode: mode)
        do {
            try partial.fill(data, mode: mode)
            try move(partial.url, onto: url)
        } catch {
            unlink(partial.url.path)
            throw error
        }
    }

    /// Deletes the files that killed processes have left beside a file they were writing. Reads the names in the file's
    /// folder.
    package static func removeAbandonedWrites(beside url: URL) {
        let url = resolvingLinks(in: url)
        let folder = url.deletingLastPathComponent()
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where PartialFile.isName(name, of: url) { PartialFile.removeUnlocked(folder.appendingPathComponent(name).path) }
    }

    /// Returns the Cocoa error for an `errno` of creating or writing a file.
    package static func writingCode(_ number: Int32) -> CocoaError.Code {
        switch number {
        case EACCES, EPERM, EROFS: .fileWriteNoPermission
        case ENOSPC, EDQUOT: .fileWriteOutOfSpace
        default: .fileWriteUnknown
        }
    }
}

/// A file that is being written to replace another, `.<name>.saving-<16 digits>`.
///
/// The writing process holds a lock on it, which ends with the process: an unlocked file was left by a killed process.
private struct PartialFile: ~Copyable {
    let url: URL
    private let descriptor: Int32

    private static let digits = 16
    /// The maximum length of the name's stem. File systems limit names to 255 bytes.
    private static let longestStem = 200

    private static func prefix(of url: URL) -> String {
        var stem = url.lastPathComponent
        while stem.utf8.count > longestStem { stem.removeLast() }
        return ".\(stem).saving-"
    }

    static func isName(_ name: String, of url: URL) -> Bool {
        let prefix = prefix(of: url)
        guard name.hasPrefix(prefix) else { return false }
        let rest = name.dropFirst(prefix.count)
        return rest.utf8.count == digits && rest.allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    /// Creates the file, empty and locked.
    ///
    /// - Parameter mode: the permissions of the file to replace, which this file never exceeds.
    init(of file: URL, mode: mode_t?) throws {
        while true {
            let random = String(UInt64.random(in: 0 ... .max), radix: 16)
            let name = Self.prefix(of: file) + String(repeating: "0", count: Self.digits - random.count) + random
            let url = file.deletingLastPathComponent().appendingPathComponent(name)
            let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode ?? 0o666) & 0o666 | 0o200)
            guard descriptor >= 0 else {
                if errno == EEXIST { continue }
                throw Self.failure(errno, file)
            }
            // On a file system without locks, no process treats the file as abandoned.
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EINTR {}
            if FileIdentity(url.path) == FileIdentity(descriptor) {
                (self.url, self.descriptor) = (url, descriptor)
                return
            }
            // Another process has opened the store meanwhile and removed the file before it was locked.
            _ = close(descriptor)
        }
    }

    deinit { OpenDatabases.close(descriptor) }

    /// Writes the content, and waits until it is on the disk.
    func fill(_ data: Data, mode: mode_t?) throws {
        // Some file systems have no permissions to set.
        if let mode { _ = fchmod(descriptor, mode) }
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = Foundation.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written < 0 {
                    if errno == EINTR { continue }
                    throw Self.failure(errno, url)
                }
                rest = rest.dropFirst(written)
            }
        }
        guard fsync(descriptor) == 0 else { throw Self.failure(errno, url) }
    }

    /// Deletes a file that no process has locked.
    static func removeUnlocked(_ path: String) {
        guard case .opened(let descriptor) = OpenDatabases.openForReading(path) else { return }
        defer { OpenDatabases.close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, FileIdentity(path) == FileIdentity(descriptor) else { return }
        unlink(path)
    }

    private static func failure(_ number: Int32, _ file: URL) -> NSError {
        CoreDataError.make(
            StoreFiles.writingCode(number).rawValue,
            description: "The file \(file.path) could not be written: \(String(cString: strerror(number))).",
            userInfo: [
                NSFilePathErrorKey: file.path,
                NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(number)),
            ])
    }
}
