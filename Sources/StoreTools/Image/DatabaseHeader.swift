/// The first 100 bytes of a database, decoded (sqlite.org/fileformat2.html, section 1.3).
package struct DatabaseHeader: Sendable, Hashable {
    package static let byteCount = 100
    /// The text that every database starts with, with its terminating zero.
    package static let magic = Array("SQLite format 3\0".utf8)

    package var pageSize: Int
    package var reservedBytes = 0
    /// 1 for a rollback journal, 2 for a log.
    package var writeVersion = 1
    package var readVersion = 1
    /// The number of pages, as the header states it.
    package var pageCount = 0
    package var freelistTrunk = 0
    package var freelistCount = 0
    package var schemaCookie = 0
    package var schemaFormat = 4
    /// The largest root page of a database with pointer maps; 0 without them.
    package var largestRootPage = 0
    package var isIncrementalVacuum = false
    /// 1 for UTF-8, 2 and 3 for UTF-16; 0 in a database without tables.
    package var encoding = 1
    package var changeCounter = 0
    package var versionValidFor = 0
    package var sqliteVersion = 0
    /// True if the fractions of payload have the only values that SQLite accepts.
    package var hasValidFractions = true

    /// Creates the header of a database of which only the size of pages is known.
    package init(pageSize: Int) { self.pageSize = pageSize }

    /// Decodes a header; nil if the bytes do not start with SQLite's text, or the size of pages is none.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount, bytes.prefix(16).elementsEqual(Self.magic) else { return nil }
        let size = bytes.bigEndian16(at: 16)
        pageSize = size == 1 ? 65_536 : size
        reservedBytes = Int(bytes[20])
        guard Self.isPageSize(pageSize), pageSize - reservedBytes >= 480 else { return nil }
        writeVersion = Int(bytes[18])
        readVersion = Int(bytes[19])
        hasValidFractions = bytes[21] == 64 && bytes[22] == 32 && bytes[23] == 32
        changeCounter = bytes.bigEndian32(at: 24)
        pageCount = bytes.bigEndian32(at: 28)
        freelistTrunk = bytes.bigEndian32(at: 32)
        freelistCount = bytes.bigEndian32(at: 36)
        schemaCookie = bytes.bigEndian32(at: 40)
        schemaFormat = bytes.bigEndian32(at: 44)
        largestRootPage = bytes.bigEndian32(at: 52)
        encoding = bytes.bigEndian32(at: 56)
        isIncrementalVacuum = bytes.bigEndian32(at: 64) != 0
        versionValidFor = bytes.bigEndian32(at: 92)
        sqliteVersion = bytes.bigEndian32(at: 96)
    }

    /// True if ``pageCount`` is valid: versions of SQLite before 3.7.0 do not update it.
    package var isPageCountValid: Bool { pageCount > 0 && versionValidFor == changeCounter }
    package var usesLog: Bool { readVersion == 2 }

    static func isPageSize(_ size: Int) -> Bool { size >= 512 && size <= 65_536 && size & (size - 1) == 0 }
}

extension UnsafeRawBufferPointer {
    /// Returns a big-endian integer of two bytes, which must be in the buffer.
    func bigEndian16(at offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }

    /// Returns a big-endian word of four bytes, which must be in the buffer.
    func word(at offset: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: bigEndian16(at: offset)) << 16
            | UInt32(truncatingIfNeeded: bigEndian16(at: offset + 2))
    }

    /// Returns a big-endian number of four bytes, which must be in the buffer: a page or a count.
    func bigEndian32(at offset: Int) -> Int { Int(pages: word(at: offset)) }
}

extension Int {
    /// The highest number of pages: sums of a few numbers of pages do not overflow where `Int` has 32 bits.
    static let highestPageCount = UInt32(clamping: Int.max / 2)

    /// Creates the number of a page, or of pages. Where `Int` has 32 bits, higher ones are those of no page that exists.
    init(pages number: UInt32) { self = Int(Swift.min(number, Self.highestPageCount)) }
}
