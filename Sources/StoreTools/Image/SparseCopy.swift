import CoreDataStoreFiles
import Foundation

#if !canImport(Darwin)
/// The values of `linux/fs.h`, which the C library shows with `_GNU_SOURCE` alone.
private let SEEK_DATA: Int32 = 3
private let SEEK_HOLE: Int32 = 4
#endif

/// Copies of files that keep their holes, as a damaged store may have them: a file of gigabytes with a few pages on the disk.
package enum SparseCopy {
    private static let chunkBytes = 1 << 20

    /// Copies a file and its permissions. Does not release SQLite's locks of the process on it.
    ///
    /// - Throws: The system's error; `OpenDatabases.IsOpen` for a database that SQLite has open in the process.
    package static func make(of source: URL, at destination: URL) throws {
        try OpenDatabases.reading(source.path) { try copy($0, source, destination) }
    }

    private static func copy(_ from: Int32, _ source: URL, _ destination: URL) throws {
        var status = stat()
        guard fstat(from, &status) == 0 else { throw failure(errno, source) }
        let to = open(destination.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard to >= 0 else { throw failure(errno, destination) }
        defer { close(to) }
        var place: off_t = 0
        while place < status.st_size, let data = nextData(from, place, status.st_size) {
            try copy(data, from, to, source, destination)
            place = data.upperBound
        }
        guard ftruncate(to, status.st_size) == 0, fchmod(to, status.st_mode & 0o7777) == 0 else {
            throw failure(errno, destination)
        }
    }

    /// Returns the next part of a file that is on the disk; nil if only a hole follows. File systems that know no holes have
    /// everything on the disk.
    private static func nextData(_ file: Int32, _ place: off_t, _ size: off_t) -> Range<off_t>? {
        let start = lseek(file, place, SEEK_DATA)
        guard start >= 0 else { return errno == ENXIO ? nil : place..<size }
        let end = lseek(file, start, SEEK_HOLE)
        return start < size ? start..<(end > start ? min(end, size) : size) : nil
    }

    private static func copy(
        _ range: Range<off_t>, _ from: Int32, _ to: Int32, _ source: URL, _ destination: URL
    ) throws {
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: chunkBytes, alignment: 16)
        defer { buffer.deallocate() }
        var place = range.lowerBound
        while place < range.upperBound {
            let count = pread(from, buffer, min(chunkBytes, Int(range.upperBound - place)), place)
            // The file became shorter.
            if count == 0 { return }
            guard count > 0 else {
                guard errno == EINTR else { throw failure(errno, source) }
                continue
            }
            var written = 0
            while written < count {
                let part = pwrite(to, buffer + written, count - written, place + off_t(written))
                guard part >= 0 else {
                    guard errno == EINTR else { throw failure(errno, destination) }
                    continue
                }
                written += part
            }
            place += off_t(count)
        }
    }

    private static func failure(_ number: Int32, _ url: URL) -> NSError {
        NSError(domain: NSPOSIXErrorDomain, code: Int(number), userInfo: [NSFilePathErrorKey: url.path])
    }
}
