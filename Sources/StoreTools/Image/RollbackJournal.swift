import CoreDataStoreFiles
import Foundation

/// The pages that a rollback journal restores (`-journal`; sqlite.org/fileformat2.html, section 3).
///
/// A process that ends while it writes leaves its journal behind, which is then "hot": the file may have pages of an
/// unfinished transaction until the pages in the journal are put back. SQLite does that when it opens the file for writing.
struct RollbackJournal {
    let pageSize: Int
    /// The number of pages before the transaction.
    let pageCount: Int
    /// The position of each page's content in the journal; 0 without one.
    private(set) var offsets = PagePlaces<Int64>()
    private(set) var recordCount = 0

    private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    private static let headerCount = 28

    /// Reads a journal; nil if it restores nothing: it has no valid header, or its transaction was committed together with
    /// those of other files.
    init?(_ file: SourceFile, databaseSize: Int64) throws {
        let first = try file.bytes(at: 0, count: Self.headerCount)
        guard first.count == Self.headerCount, first.starts(with: Self.magic) else { return nil }
        let header = first.withUnsafeBytes { Header($0) }
        guard header.sectorSize >= 32, header.sectorSize <= 65_536, header.sectorSize & (header.sectorSize - 1) == 0,
            DatabaseHeader.isPageSize(header.pageSize), try !Self.isCommitted(file)
        else { return nil }
        pageSize = header.pageSize
        let limit = databaseSize / Int64(pageSize) + file.size / Int64(pageSize) + 2
        pageCount = Int(min(Int64(header.pageCount), limit))
        try readSegments(file, sectorSize: Int64(header.sectorSize))
    }

    @inline(__always)
    func offset(ofPage page: Int) -> Int64? {
        let offset = offsets[page]
        return offset == 0 ? nil : offset
    }

    private struct Header {
        var recordCount: UInt32
        var nonce: UInt32
        var pageCount: Int
        var sectorSize: Int
        var pageSize: Int

        init(_ bytes: UnsafeRawBufferPointer) {
            recordCount = bytes.word(at: 8)
            nonce = bytes.word(at: 12)
            pageCount = bytes.bigEndian32(at: 16)
            sectorSize = bytes.bigEndian32(at: 20)
            pageSize = bytes.bigEndian32(at: 24)
        }
    }

    private mutating func readSegments(_ file: SourceFile, sectorSize: Int64) throws {
        let recordSize = Int64(pageSize) + 8
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(recordSize), alignment: 16)
        defer { buffer.deallocate() }
        let lockPage = FileLocks.pendingByte / Int64(pageSize) + 1
        var start: Int64 = 0
        while start + sectorSize <= file.size {
            let bytes = try file.bytes(at: start, count: Self.headerCount)
            guard bytes.count == Self.headerCount, bytes.starts(with: Self.magic) else { return }
            let header = bytes.withUnsafeBytes { Header($0) }
            var offset = start + sectorSize
            let count =
                header.recordCount == .max ? (file.size - offset) / recordSize : Int64(header.recordCount)
            var done: Int64 = 0
            while done < count {
                guard try file.read(into: buffer, at: offset) == buffer.count else { return }
                let record = UnsafeRawBufferPointer(buffer)
                let page = record.bigEndian32(at: 0)
                guard page > 0, page != lockPage, checksum(record, header.nonce) == record.word(at: pageSize + 4)
                else { return }
                if page <= pageCount { add(page, at: offset + 4) }
                offset += recordSize
                done += 1
            }
            // The next header is at the next border of sectors.
            start = (offset + sectorSize - 1) / sectorSize * sectorSize
        }
    }

    private mutating func add(_ page: Int, at offset: Int64) {
        offsets.set(offset, of: page)
        recordCount += 1
    }

    /// Returns the checksum of a record: each 200th byte of the page, from its end.
    private func checksum(_ record: UnsafeRawBufferPointer, _ nonce: UInt32) -> UInt32 {
        var sum = nonce
        var index = pageSize - 200
        while index > 0 {
            sum = sum &+ UInt32(record[4 + index])
            index -= 200
        }
        return sum
    }

    /// Returns true if the journal names a super-journal that does not exist any more: the transaction was committed.
    private static func isCommitted(_ file: SourceFile) throws -> Bool {
        let end = try file.bytes(at: file.size - 16, count: 16)
        guard file.size > 16, end.count == 16, end.suffix(8).elementsEqual(magic) else { return false }
        let (count, expected) = end.withUnsafeBytes { ($0.bigEndian32(at: 0), $0.word(at: 4)) }
        guard count > 0, count <= 4096, Int64(count) + 16 <= file.size else { return false }
        let name = try file.bytes(at: file.size - 16 - Int64(count), count: count)
        let sum = name.reduce(UInt32(0)) { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
        guard name.count == count, sum == expected, !name.contains(0) else { return false }
        return !StoreFiles.exists(URL(fileURLWithPath: String(decoding: name, as: UTF8.self)))
    }
}
