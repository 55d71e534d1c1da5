import Foundation

/// Reading the files of stores.
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

    /// The contents of a file, or what it begins with.
    ///
    /// - Throws: ``OpenDatabases/IsOpen``, or a Cocoa error for a file that is missing or cannot be read.
    package static func contents(_ path: String, first limit: Int = .max) throws -> Data {
        try OpenDatabases.reading(path) { descriptor in
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            return try (limit == .max ? file.readToEnd() : file.read(upToCount: limit)) ?? Data()
        }
    }
}
