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
    }

    let path: String
    let descriptor: Int32
    /// The size in bytes when the file was opened.
    let size: Int64

    init(_ path: String) throws(Failure) {
        switch OpenDatabases.openForReading(path) {
        case .opened(let descriptor):
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                OpenDatabases.close(descriptor)
                throw .notRegular
            }
            self.path = path
            self.descriptor = descriptor
            size = Int64(status.st_size)
        case .isOpen: throw .isOpen
        case .failed(let code) where code == ENOENT || code == ENOTDIR: throw .missing
        case .failed(let code): throw .system(errno: code)
        }
    }

    deinit { OpenDatabases.close(descriptor) }

    /// Reads bytes at a position. Returns their number, which is less than requested at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        guard let start = buffer.baseAddress, offset >= 0 else { return 0 }
        var done = 0
        while done < buffer.count {
            let count = pread(descriptor, start + done, buffer.count - done, off_t(offset) + off_t(done))
            if count > 0 {
                done += count
            } else if count == 0 {
                break
            } else if errno != EINTR {
                let code = errno
                throw StoreToolError(
                    .failed, "Reading the file \(path) failed at byte \(offset + Int64(done)).",
                    advice: "Copy the file to another disk, as far as that is possible.",
                    url: URL(fileURLWithPath: path),
                    underlying: String(cString: strerror(code)))
            }
        }
        return done
    }

    /// Reads bytes at a position; fewer at the end of the file.
    func bytes(at offset: Int64, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = try bytes.withUnsafeMutableBytes { try read(into: $0, at: offset) }
        return Array(bytes.prefix(found))
    }
}

/// The fingerprint of a file, to detect changes: its identity, size and time of modification, and the bytes of its header.
struct FileSignature: Equatable {
    private var device: UInt64
    private var number: UInt64
    private var size: Int64
    private var seconds: Int
    private var nanoseconds: Int
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
        seconds = Int(time.tv_sec)
        nanoseconds = Int(time.tv_nsec)
        header = (try? file?.bytes(at: 0, count: headerCount)) ?? []
    }
}
