/// The committed frames of a log (`-wal`; sqlite.org/fileformat2.html, section 4).
struct WriteAheadLog {
    enum Content {
        /// Nothing in the log counts: it is empty, or all of it is of an earlier generation that was copied into the file.
        case empty
        /// The file has no valid header.
        case invalid
        case log(WriteAheadLog)
    }

    let pageSize: Int
    /// For each page, one more than the index of its newest committed frame; 0 without one.
    private(set) var frames = PagePlaces<UInt32>()
    /// The number of frames up to the last commit.
    private(set) var frameCount = 0
    /// The number of pages of the database after the last commit.
    private(set) var pageCount = 0
    /// The first and the last committed frame with page 1.
    private(set) var firstOfPage1: Int?
    private(set) var lastOfPage1: Int?
    /// True if frames of this generation follow that were not committed, or are damaged.
    private(set) var isTorn = false
    /// True if a committed frame has a number that no page of the database can have.
    private(set) var hasStrayPages = false

    private static let headerCount = 32
    private static let frameHeaderCount = 24

    /// Reads a log.
    ///
    /// - Parameter databaseSize: The size of the database file, which limits the numbers of pages.
    static func read(_ file: SourceFile, databaseSize: Int64) throws -> Content {
        let header = try file.bytes(at: 0, count: headerCount)
        guard header.count == headerCount else { return .empty }
        guard let start = header.withUnsafeBytes({ Header($0) }) else { return .invalid }
        var log = WriteAheadLog(pageSize: start.pageSize)
        try log.readFrames(file, start, databaseSize: databaseSize)
        return log.frameCount == 0 && !log.isTorn ? .empty : .log(log)
    }

    private init(pageSize: Int) { self.pageSize = pageSize }

    /// Returns the position of a page's newest committed content; nil if the log has none.
    @inline(__always)
    func offset(ofPage page: Int) -> Int64? {
        let frame = frames[page]
        return frame == 0 ? nil : offset(ofFrame: Int(frame) - 1)
    }

    /// Returns the position of the page in a frame.
    func offset(ofFrame index: Int) -> Int64 {
        Int64(Self.headerCount) + Int64(index) * Int64(Self.frameHeaderCount + pageSize) + Int64(Self.frameHeaderCount)
    }

    // MARK: Reading

    private struct Header {
        var pageSize: Int
        var isBigEndian: Bool
        var salt1: UInt32
        var salt2: UInt32
        var checksum: Checksum

        init?(_ bytes: UnsafeRawBufferPointer) {
            let magic = bytes.word(at: 0)
            pageSize = bytes.bigEndian32(at: 8)
            guard magic & ~1 == 0x377f_0682, bytes.bigEndian32(at: 4) == 3_007_000, DatabaseHeader.isPageSize(pageSize)
            else { return nil }
            isBigEndian = magic & 1 == 1
            salt1 = bytes.word(at: 16)
            salt2 = bytes.word(at: 20)
            checksum = Checksum(isBigEndian: isBigEndian)
            checksum.add(UnsafeRawBufferPointer(rebasing: bytes[..<24]))
            guard checksum.matches(bytes, at: 24) else { return nil }
        }
    }

    /// The checksum of a log: cumulative, over pairs of words.
    struct Checksum {
        var first: UInt32 = 0
        var second: UInt32 = 0
        /// True if the bytes of words must be swapped.
        let isSwapped: Bool

        init(isBigEndian: Bool) { isSwapped = isBigEndian != (UInt16(1).bigEndian == 1) }

        mutating func add(_ bytes: UnsafeRawBufferPointer) {
            guard let start = bytes.baseAddress else { return }
            var (a, b) = (first, second)
            var offset = 0
            while offset < bytes.count {
                var x = start.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                var y = start.loadUnaligned(fromByteOffset: offset &+ 4, as: UInt32.self)
                if isSwapped { (x, y) = (x.byteSwapped, y.byteSwapped) }
                a = a &+ x &+ b
                b = b &+ y &+ a
                offset &+= 8
            }
            (first, second) = (a, b)
        }

        func matches(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
            bytes.word(at: offset) == first && bytes.word(at: offset + 4) == second
        }
    }

    private mutating func readFrames(_ file: SourceFile, _ header: Header, databaseSize: Int64) throws {
        let frameSize = Self.frameHeaderCount + pageSize
        let count = min((file.size - Int64(Self.headerCount)) / Int64(frameSize), Int64(Int.highestPageCount) - 1)
        // Each new page of a database is written to the log: no valid number is higher.
        let highestPage = databaseSize / Int64(pageSize) + count + 2
        let batch = max(1, 262_144 / frameSize)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: batch * frameSize, alignment: 16)
        defer { buffer.deallocate() }
        var checksum = header.checksum
        var pending: [(page: UInt32, frame: UInt32)] = []
        var index: Int64 = 0
        reading: while true {
            let found = try file.read(into: buffer, at: Int64(Self.headerCount) + index * Int64(frameSize))
            var start = 0
            while start + Self.frameHeaderCount <= found {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[start..<found])
                guard rest.word(at: 8) == header.salt1, rest.word(at: 12) == header.salt2 else {
                    break reading
                }
                isTorn = true
                guard rest.count >= frameSize else { break reading }
                let page = rest.bigEndian32(at: 0)
                checksum.add(UnsafeRawBufferPointer(rebasing: rest[..<8]))
                checksum.add(UnsafeRawBufferPointer(rebasing: rest[Self.frameHeaderCount..<frameSize]))
                guard page > 0, index < count, checksum.matches(rest, at: 16) else { break reading }
                if page <= highestPage {
                    pending.append((UInt32(page), UInt32(index)))
                } else {
                    hasStrayPages = true
                }
                index += 1
                start += frameSize
                let size = rest.bigEndian32(at: 4)
                if size > 0 {
                    commit(&pending, size, frames: Int(index))
                    isTorn = false
                }
            }
            guard found == buffer.count else { break }
        }
    }

    private mutating func commit(_ pending: inout [(page: UInt32, frame: UInt32)], _ pageCount: Int, frames count: Int)
    {
        for (page, frame) in pending {
            frames.set(frame + 1, of: Int(page))
            if page == 1 {
                firstOfPage1 = firstOfPage1 ?? Int(frame)
                lastOfPage1 = Int(frame)
            }
        }
        pending.removeAll(keepingCapacity: true)
        self.pageCount = pageCount
        frameCount = count
    }
}
