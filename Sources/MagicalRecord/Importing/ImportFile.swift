import CoreData

/// A file that an import reads.
///
/// Closing any descriptor of a file ends the locks that SQLite has on it: the package's own Core Data opens and closes files such
/// that a store that is open keeps its own.
final class ImportFile {
    #if canImport(Darwin)
    private let file: FileHandle
    #else
    private let file: ReadableFile
    #endif

    init(_ url: URL) throws {
        #if canImport(Darwin)
        file = try FileHandle(forReadingFrom: url)
        #else
        guard url.isFileURL else { throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: url]) }
        file = try ReadableFile(url.path)
        #endif
    }

    /// The next bytes, at most so many; nil at the end.
    func next(_ count: Int) throws -> Data? {
        let data: Data? = try file.read(upToCount: count)
        return data.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// All bytes that are left.
    func rest() throws -> Data {
        #if canImport(Darwin)
        try file.readToEnd() ?? Data()
        #else
        try file.read()
        #endif
    }
}
