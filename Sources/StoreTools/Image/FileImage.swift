import CoreDataStoreFiles
import Foundation

/// The log of a database, as an image uses it.
package enum LogState: Sendable, Hashable {
    /// There is no log.
    case none
    /// The log has nothing that is not in the file.
    case empty
    /// Committed frames were applied.
    case applied(frames: Int)
    /// The log was made for another database, or for another state of this one, and is ignored.
    case foreign
    /// Committed frames were applied; after them are others of a transaction that was not committed, or is damaged.
    case torn(frames: Int)
    /// The log has no valid header, or cannot be opened or read; it is ignored.
    case unreadable

    /// The number of frames that were applied.
    package var frameCount: Int {
        switch self {
        case .applied(let frames), .torn(let frames): frames
        case .none, .empty, .foreign, .unreadable: 0
        }
    }
}

/// The pages of a database at one moment: from its file, the rollback journal that an interrupted process has left behind,
/// and the committed frames of its log.
///
/// Opens the files for reading only, sets no locks, and maps no memory. Ask ``hasChanged()`` when the reading is done.
package final class FileImage: DatabasePages, @unchecked Sendable {
    package let path: String
    package let log: LogState
    /// The number of pages that were restored from a rollback journal.
    package let restoredPageCount: Int
    package let header: DatabaseHeader
    package let pageSize: Int
    package let reservedBytes: Int
    /// The number of pages that there are. Less than ``expectedPageCount`` if the file ends early.
    package let pageCount: Int
    /// The number of pages that the last commit or the header states.
    package let expectedPageCount: Int
    /// The size of the database file in bytes.
    package let fileSize: Int64

    private let layers: ImageLayers
    private let signatures: [String: FileSignature]
    /// The buffers of nested calls of `withPage`.
    private var buffers: [UnsafeMutableRawBufferPointer] = []
    private var depth = 0

    /// Reads the state of a database.
    ///
    /// - Parameter ignoresLog: Whether to read the file alone.
    /// - Throws: ``StoreToolError`` with the code `noFile`, `unavailable` (also for a file that SQLite has open in this
    ///   process), or `notAStore` for a file without SQLite's header.
    package convenience init(_ path: String, ignoresLog: Bool = false) throws {
        try self.init(path, ignoresLog: ignoresLog, isDamaged: false)
    }

    /// Reads a file with a damaged header. The size of pages is that of its log, or the most plausible one.
    package convenience init(damaged path: String) throws {
        try self.init(path, ignoresLog: false, isDamaged: true)
    }

    private convenience init(_ path: String, ignoresLog: Bool, isDamaged: Bool) throws {
        var attempt = 1
        var (layers, signatures) = try ImageLayers.read(path, ignoresLog: ignoresLog, isDamaged: isDamaged)
        // Another process may have written in between.
        while attempt < 4, layers.signatures != signatures {
            attempt += 1
            (layers, signatures) = try ImageLayers.read(path, ignoresLog: ignoresLog, isDamaged: isDamaged)
        }
        if !isDamaged, let file = layers.withoutLog {
            let old = FileImage(path, file, signatures), new = FileImage(path, layers, signatures)
            if LogEvidence(file: old, log: new).isForeign { layers = file }
        }
        self.init(path, layers, signatures)
    }

    private init(_ path: String, _ layers: ImageLayers, _ signatures: [String: FileSignature]) {
        self.path = path
        self.layers = layers
        self.signatures = signatures
        log = layers.logState
        restoredPageCount = layers.journal?.recordCount ?? 0
        header = layers.header
        pageSize = layers.header.pageSize
        reservedBytes = layers.header.reservedBytes
        pageCount = layers.pageCount
        expectedPageCount = layers.expectedPageCount
        fileSize = layers.file.size
    }

    deinit { for buffer in buffers { buffer.deallocate() } }

    /// Returns true if the files were changed since the image was made: their identity, size, time of modification or header.
    package func hasChanged() -> Bool { layers.signatures != signatures }

    /// True if nearly all of the database is holes, which take no space on the disk: reading its pages would take hours.
    var isHollow: Bool {
        let size = Int64(pageCount) * Int64(pageSize)
        return size > Self.leastHollowSize && size / 64 > allocatedSize
    }

    private static let leastHollowSize: Int64 = 1 << 28

    /// The bytes that the files have on the disk, which are fewer than their size if they have holes.
    var allocatedSize: Int64 { layers.allocatedSize }

    /// True if the log has every page, so that nothing of the file counts.
    var isCompleteInLog: Bool { (1...max(pageCount, 1)).allSatisfy(layers.isInLog) }

    // MARK: Reading

    package func withPage<Result>(_ number: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        if depth == buffers.count { buffers.append(.allocate(byteCount: pageSize, alignment: 16)) }
        let buffer = buffers[depth]
        depth += 1
        defer { depth -= 1 }
        try readPage(number, from: 0, into: buffer)
        return try body(UnsafeRawBufferPointer(buffer))
    }

    /// Reads bytes of a page, zeros where the file ends early or the page does not exist.
    func readPage(_ number: Int, from start: Int, into buffer: UnsafeMutableRawBufferPointer) throws {
        guard number > 0, number <= pageCount else {
            buffer.zero(from: 0)
            return
        }
        try layers.read(number, from: start, into: buffer)
    }

    /// Reads bytes of the database file for pages that it has in their current state.
    func readFile(_ offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws {
        buffer.zero(from: try layers.file.read(into: buffer, at: offset))
    }

    /// Returns the number of pages from `first` that are in the database file alone, at most `limit`.
    func filePageCount(from first: Int, limit: Int) -> Int {
        var count = 0
        while count < limit, first + count <= pageCount, !layers.isReplaced(first + count) { count += 1 }
        return count
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Fills the bytes from an index to the end with zeros.
    func zero(from index: Int) {
        guard index < count, let baseAddress else { return }
        memset(baseAddress + index, 0, count - index)
    }
}
