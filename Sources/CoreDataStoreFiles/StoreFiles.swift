import Foundation

/// Functions for reading the files of stores.
package enum StoreFiles {
    /// The default number of seconds to wait for a store that others use.
    package static let usualTimeout = 240.0

    /// The path of stores that leave no file behind.
    package static let nowhere = "/dev/null"

    package static func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    /// Returns the size of a file in bytes; 0 if it does not exist.
    package static func size(_ path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Returns the times of the last write to a file and of the last change of its inode, in seconds since 1970; nil if there
    /// is no file, or a symbolic link.
    package static func times(_ path: String) -> (written: Double, changed: Double)? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { return nil }
        func seconds(_ time: timespec) -> Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }
        #if canImport(Darwin)
        return (seconds(status.st_mtimespec), seconds(status.st_ctimespec))
        #else
        return (seconds(status.st_mtim), seconds(status.st_ctim))
        #endif
    }

    /// Returns true if the file system of a file is mounted read-only; false if that is unknown.
    package static func isOnReadOnlyFileSystem(_ path: String) -> Bool {
        var status = statvfs()
        return statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
    }

    /// Returns true if this process may create files in the folder of a file.
    package static func isFolderWritable(of path: String) -> Bool {
        let folder = (path as NSString).deletingLastPathComponent
        return access(folder.isEmpty ? "." : folder, W_OK) == 0
    }

    /// Reads a file, or its first bytes.
    ///
    /// - Throws: ``OpenDatabases/IsOpen``, or a Cocoa error for a file that is missing or cannot be read.
    package static func contents(_ path: String, first limit: Int = .max) throws -> Data {
        try OpenDatabases.reading(path) { descriptor in
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            return try (limit == .max ? file.readToEnd() : file.read(upToCount: limit)) ?? Data()
        }
    }
}
