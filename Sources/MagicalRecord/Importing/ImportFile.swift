import CoreData

/// A file that an import reads.
///
/// Closing any descriptor of a file releases the locks that SQLite holds on it. `ReadableFile` of the package's own Core Data
/// avoids this for open stores.
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

    /// Returns at most `count` further bytes, or nil at the end.
    func next(_ count: Int) throws -> Data? {
        let data: Data? = try file.read(upToCount: count)
        return data.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the remaining bytes.
    func rest() throws -> Data {
        #if canImport(Darwin)
        try file.readToEnd() ?? Data()
        #else
        try file.read()
        #endif
    }
}
