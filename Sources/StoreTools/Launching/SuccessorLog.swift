import Foundation

/// A log with all pages of a database in one transaction. Beside any file, it makes SQLite read that database: nothing
/// of the file counts.
///
/// So the renaming of one file replaces a store, its log included: the file and the log need not be exchanged at the
/// same moment, and the file remains the one that other processes lock.
struct SuccessorLog {
    private static let batchBytes = 1 << 20

    /// Writes the log of a closed database without a log, and synchronizes it.
    ///
    /// - Throws: ``StoreToolError`` if the database cannot be read; an error of Foundation if the log cannot be
    ///   written.
    static func write(_ database: URL, to log: URL) throws {
        let source: SourceFile
        do {
            source = try SourceFile(database.path)
        } catch {
            throw StoreToolError(.failed, "The rescued store cannot be read.", url: database, underlying: "\(error)")
        }
        let start = try source.bytes(at: 0, count: DatabaseHeader.byteCount)
        guard let header = start.withUnsafeBytes({ DatabaseHeader($0) }), source.size > 0,
            source.size % Int64(header.pageSize) == 0, source.size / Int64(header.pageSize) <= Int64(Int32.max)
        else { throw StoreToolError(.failed, "The rescued store has no valid header.", url: database) }
        guard FileManager.default.createFile(atPath: log.path, contents: nil),
            let file = FileHandle(forWritingAtPath: log.path)
        else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: log.path]) }
        var writer = SuccessorLog(file, header.pageSize, pageCount: Int(source.size / Int64(header.pageSize)))
        try writer.run(source)
        try file.synchronize()
        try file.close()
    }

    private let file: FileHandle
    private let pageSize: Int
    private let pageCount: Int
    private let salts = (0..<2).map { _ in UInt32.random(in: 1 ... .max) }
    /// The new change counter, which makes connections without a log discard their pages.
    private let changeCounter = UInt32.random(in: 1 ... .max)
    private var checksum = WriteAheadLog.Checksum(isBigEndian: false)
    private var pending = Data()

    private init(_ file: FileHandle, _ pageSize: Int, pageCount: Int) {
        self.file = file
        self.pageSize = pageSize
        self.pageCount = pageCount
    }

    private mutating func run(_ source: SourceFile) throws {
        let header = Self.bytes([0x377f_0682, 3_007_000, UInt32(pageSize), 0] + salts)
        header.withUnsafeBytes { checksum.add($0) }
        pending += header + Self.bytes([checksum.first, checksum.second])
        let lockPage = Int(FileLocks.pendingByte / Int64(pageSize)) + 1
        for page in 1...pageCount where page != lockPage {
            var content = try source.bytes(at: Int64(page - 1) * Int64(pageSize), count: pageSize)
            guard content.count == pageSize else {
                throw StoreToolError(.failed, "The rescued store was cut short while it was read.")
            }
            if page == 1 {
                // In the log's mode, changed by this commit, which makes the number of pages in the header valid.
                content.replaceSubrange(18..<20, with: [2, 2])
                for (offset, value) in [(24, changeCounter), (28, UInt32(pageCount)), (92, changeCounter)] {
                    content.replaceSubrange(offset..<offset + 4, with: Self.bytes([value]))
                }
            }
            let start = Self.bytes([UInt32(page), page == pageCount ? UInt32(pageCount) : 0])
            start.withUnsafeBytes { checksum.add($0) }
            content.withUnsafeBytes { checksum.add($0) }
            pending += start + Self.bytes(salts + [checksum.first, checksum.second]) + content
            if pending.count >= Self.batchBytes { try flush() }
        }
        try flush()
    }

    private mutating func flush() throws {
        try file.write(contentsOf: pending)
        pending.removeAll(keepingCapacity: true)
    }

    private static func bytes(_ words: [UInt32]) -> [UInt8] {
        words.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
    }
}
