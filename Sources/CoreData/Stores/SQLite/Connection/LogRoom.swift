import CCoreDataSQLite

/// Room at the end of the write-ahead log, made ahead of time where every commit waits for the disk.
///
/// Waiting for bytes that make a file longer takes half as long again as waiting for bytes written over others: the file
/// system has to note the new length as well. So the log grows by many pages of zeros at once, and commits fill them. To
/// SQLite they mean nothing: what is in the log counts only with the right salt and sum.
struct LogRoom {
    /// The length of the log as of the last look.
    private var length: Int64 = 0
    private var lastEnd: Int64 = 0

    /// Shorter logs, of programs that save a few times only, are left alone.
    private static let shortest: Int64 = 1 << 16
    private static let step: Int64 = 1 << 18
    /// How much a small save may take.
    private static let least: Int64 = 1 << 16
    private static let zeros = ContiguousArray<UInt8>(repeating: 0, count: 1 << 16)

    /// To be called inside a transaction that writes, before anything is written: nobody else appends to the log then.
    mutating func make(_ handle: OpaquePointer) {
        guard let end = Self.end(handle), end >= Self.shortest else { return }
        // The log was begun anew, and may have been cut.
        if end < lastEnd { length = 0 }
        lastEnd = end
        guard end + Self.least > length, let file = Self.file(handle, SQLITE_FCNTL_JOURNAL_POINTER) else { return }
        guard file.methods.xFileSize(file.file, &length) == SQLITE_OK, length >= end, end + Self.least > length else {
            return
        }
        let goal = length + Self.step
        Self.zeros.withUnsafeBytes { zeros in
            while length < goal {
                // Without room on the disk, the commit itself will tell.
                guard file.methods.xWrite(file.file, zeros.baseAddress, Int32(zeros.count), length) == SQLITE_OK else {
                    return
                }
                length += Int64(zeros.count)
            }
        }
    }

    /// Where the log's last frame ends, from SQLite's index of it; nil if there is no log. See ``LogState``.
    private static func end(_ handle: OpaquePointer) -> Int64? {
        guard let region = LogState.index(handle) else { return nil }
        let pageSize = Int64(region.load(fromByteOffset: 14, as: UInt16.self))
        let frames = Int64(region.load(fromByteOffset: 16, as: UInt32.self))
        return 32 + frames * ((pageSize == 1 ? 65_536 : pageSize) + 24)
    }

    private static func file(
        _ handle: OpaquePointer, _ which: Int32
    ) -> (file: UnsafeMutablePointer<sqlite3_file>, methods: sqlite3_io_methods)? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", which, &file) == SQLITE_OK, let file,
            let methods = file.pointee.pMethods
        else { return nil }
        return (file, methods.pointee)
    }
}
