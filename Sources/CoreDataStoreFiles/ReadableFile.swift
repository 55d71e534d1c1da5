import Foundation

/// A file that is read sequentially, and closed with the object unless that would release SQLite's locks.
///
/// Used by one thread at a time.
package final class ReadableFile: Sendable {
    private let descriptor: Int32

    /// Opens the file at a path. Reading a pipe waits for a writer.
    ///
    /// - Throws: a Cocoa error for a file that is missing or cannot be read, and for one that belongs to an open store.
    package init(_ path: String) throws {
        switch OpenDatabases.openForReading(path, waits: true) {
        case .opened(let descriptor): self.descriptor = descriptor
        case .isOpen:
            throw CocoaError(
                .fileReadCorruptFile,
                userInfo: [
                    NSFilePathErrorKey: path,
                    NSLocalizedDescriptionKey: "The file “\((path as NSString).lastPathComponent)” cannot be read.",
                    NSLocalizedFailureReasonErrorKey: "It belongs to a store that is open.",
                ])
        case .failed(let code): throw OpenDatabases.readingError(code, path)
        }
    }

    deinit { OpenDatabases.close(descriptor) }

    /// Reads the next bytes, all remaining ones without a limit; empty at the end.
    ///
    /// - Throws: a Cocoa error if the file cannot be read.
    package func read(upToCount limit: Int? = nil) throws -> Data {
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        return try (limit.map { try file.read(upToCount: $0) } ?? file.readToEnd()) ?? Data()
    }
}
