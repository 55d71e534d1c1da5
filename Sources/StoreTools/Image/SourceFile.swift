import CoreDataStoreFiles
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// An open file that is read at positions, and closed with the object unless that would release SQLite's locks.
final class SourceFile: @unchecked Sendable {
    /// A reason for which a file cannot be opened.
    enum Failure: Error {
        case missing
        /// SQLite has the file open in this process.
        case isOpen
        case system(errno: Int32)
        /// A folder, a pipe or a device.
        case notRegular

        /// Creates the failure for an error of the system.
        init(_ code: Int32) { self = code == ENOENT || code == ENOTDIR ? .missing : .system(errno: code) }
    }

    /// The ways to read a file.
    enum Access {
        case descriptor(Int32)
        case sqlite(SQLiteFile)
    }

    /// True if database files are read through SQLite's VFS, and the index of a log is not read.
    ///
    /// So it is on Apple's platforms, where Core Data opens stores that `OpenDatabases` does not know of: closing another
    /// descriptor of such a file would release Core Data's locks. Elsewhere only tests set it.
    @TaskLocal static var readsThroughSQLite = isCoreDataForeign

    #if canImport(Darwin)
    private static let isCoreDataForeign = true
    #else
    private static let isCoreDataForeign = false
    #endif

    let path: String
    let access: Access
    /// The size in bytes when the file was opened.
    let size: Int64
    /// The bytes that the file has on the disk, rounded up; fewer than its size if it has holes.
    let allocatedSize: Int64

    /// Opens a log, or a journal: SQLite sets no locks on these.
    init(_ path: String) throws(Failure) {
        switch OpenDatabases.openForReading(path) {
        case .opened(let descriptor):
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                OpenDatabases.close(descriptor)
                throw .notRegular
            }
            self.path = path
            access = .descriptor(descriptor)
            size = Int64(status.st_size)
            allocatedSize = Int64(status.st_blocks) * 512
        case .isOpen: throw .isOpen
        case .failed(let code): throw Failure(code)
        }
    }

    /// Opens a database file.
    convenience init(database path: String) throws(Failure) {
        guard Self.readsThroughSQLite else {
            try self.init(path)
            return
        }
        let file = try SQLiteFile(path)
        guard let size = file.size else { throw .system(errno: EIO) }
        self.init(path, .sqlite(file), size: size)
    }

    private init(_ path: String, _ access: Access, size: Int64) {
        self.path = path
        self.access = access
        self.size = size
        allocatedSize = SourceSize(path)?.allocatedSize ?? size
    }

    deinit { if case .descriptor(let descriptor) = access { OpenDatabases.close(descriptor) } }

    /// Reads bytes at a position. Returns their number, which is less than requested at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        guard offset >= 0 else { return 0 }
        switch access {
        case .descriptor(let descriptor): return try read(descriptor, into: buffer, at: offset)
        case .sqlite(let file):
            guard let count = file.read(into: buffer, at: offset) else { throw failure(offset, nil) }
            return count
        }
    }

    private func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws -> Int {
        guard let start = buffer.baseAddress else { return 0 }
        var done = 0
        while done < buffer.count {
            let count = pread(descriptor, start + done, buffer.count - done, off_t(offset) + off_t(done))
            if count > 0 {
                done += count
            } else if count == 0 {
                break
            } else if errno != EINTR {
                throw failure(offset + Int64(done), errno)
            }
        }
        return done
    }

    private func failure(_ offset: Int64, _ code: Int32?) -> StoreToolError {
        StoreToolError(
            .failed, "Reading the file \(path) failed at byte \(offset).",
            advice: "Copy the file to another disk, as far as that is possible.", url: URL(fileURLWithPath: path),
            underlying: code.map { String(cString: strerror($0)) })
    }

    /// Reads bytes at a position; fewer at the end of the file.
    func bytes(at offset: Int64, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = try bytes.withUnsafeMutableBytes { try read(into: $0, at: offset) }
        return Array(bytes.prefix(found))
    }
}

/// The size of a file, without opening it.
struct SourceSize {
    let size: Int64
    let allocatedSize: Int64

    /// Reads the sizes; nil if there is no file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        size = Int64(status.st_size)
        allocatedSize = Int64(status.st_blocks) * 512
    }
}

/// The fingerprint of a file, to detect changes: its identity, size and time of modification, and the bytes of its header.
struct FileSignature: Equatable {
    private var device: UInt64
    private var number: UInt64
    private var size: Int64
    private var seconds: Int64
    private var nanoseconds: Int64
    private var header: [UInt8]

    /// Reads the signature of the file at a path; nil if it is missing or empty.
    ///
    /// - Parameter file: The opened file, to read the header; nil for a file that was not opened.
    init?(_ path: String, _ file: SourceFile?, headerCount: Int = DatabaseHeader.byteCount) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        seconds = Int64(time.tv_sec)
        nanoseconds = Int64(time.tv_nsec)
        header = (try? file?.bytes(at: 0, count: headerCount)) ?? []
    }
}
