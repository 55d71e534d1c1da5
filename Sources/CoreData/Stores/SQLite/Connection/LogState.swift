import CCoreDataSQLite

/// What every commit to a file with a write-ahead log changes, whoever makes it: equal states have the same rows, as long as
/// some connection stays open in between.
///
/// It is what SQLite's index of the log begins with, in memory that all connections to the file share. Its form is part of
/// SQLite's documented file formats.
struct LogState: Equatable {
    private let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    @inline(__always)
    init(_ index: UnsafeRawPointer) {
        func word(_ number: Int) -> UInt64 { index.load(fromByteOffset: number * 8, as: UInt64.self) }
        words = (word(0), word(1), word(2), word(3), word(4), word(5))
    }

    @inline(__always)
    static func == (one: LogState, other: LogState) -> Bool { one.words == other.words }

    /// Where a connection sees the index; nil when there is none. Asking makes one where the file has no log.
    static func index(_ handle: OpaquePointer) -> UnsafeRawPointer? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
            let map = methods.pointee.xShmMap
        else { return nil }
        var region: UnsafeMutableRawPointer?
        guard map(file, 0, regionSize, 0, &region) == SQLITE_OK else { return nil }
        return region.map { UnsafeRawPointer($0) }
    }

    private static let regionSize: Int32 = 32_768
}
