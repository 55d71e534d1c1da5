import CCoreDataRuntime
import Foundation

/// Memory for many rows at once: fixed-size rows in front, their text and bytes behind.
///
/// A fetch decodes its rows into slabs; the same bytes then serve as the values of the objects, as the snapshot that
/// conflict checks compare with, and as what a changed object copies from. Neither rows nor text ever move. A slab filled by
/// a fetch is immutable from then on and may be read from any thread; a context's own slab for changed rows is touched on
/// that context's queue only.
///
/// Rows are added from the front of the slab's memory, text from its end, until they meet; then the slab takes no more rows,
/// and what text is still added goes to blocks of its own.
///
/// A row is laid out as:
/// ```
/// 0   version       UInt32   the row's optimistic-locking counter (Z_OPT), 0 for rows never saved
/// 4   changedOffset UInt32   in rows of changed objects: where their changed bits start; else 0
/// 8   present bits  UInt64 × layout.bitWords, one bit a cell
///     cells         UInt64 × layout.cells.count
///     changed bits  UInt64 × layout.bitWords, in rows that belong to a changed object only
/// ```
/// A cell is an integer, the bits of a double, a packed ``RowReference``, or a ``HeapRange``: the address of text or bytes.
/// These have their length in front of them, or a mark that they are the name of a file: see ``ValueFile``.
@usableFromInline
package final class RowSlab: @unchecked Sendable {
    /// Rows or text may still be added: the slab must not be read by another context.
    @exclusivity(unchecked) package final var isOpen = false
    /// Rows here name files: whatever keeps the slab keeps the files.
    @exclusivity(unchecked) package private(set) final var namesFiles = false
    /// When the rows were read: seconds on a clock that starts anywhere.
    package final let birth = RowSlab.now

    @usableFromInline final let memory: UnsafeMutableRawPointer
    @usableFromInline final let size: Int
    private final let origin: Origin
    @usableFromInline @exclusivity(unchecked) final var nextRow: UnsafeMutableRawPointer
    /// Where rows have to end; nil while they may go on until they meet the text.
    @usableFromInline @exclusivity(unchecked) final var rowsLimit: UnsafeMutableRawPointer?
    /// Start of the text added last with its length, and what the next one must not go below.
    @usableFromInline @exclusivity(unchecked) final var textStart: UnsafeMutableRawPointer
    @usableFromInline @exclusivity(unchecked) final var textLimit: UnsafeMutableRawPointer
    /// End of the memory text is put in at present.
    @usableFromInline @exclusivity(unchecked) final var textEnd: UnsafeMutableRawPointer
    @usableFromInline @exclusivity(unchecked) final var apart: TextApart?
    /// The slab whose text was borrowed last: rows that follow each other mostly borrow from the same.
    @exclusivity(unchecked) private final var lastLender: UnsafeMutableRawPointer?

    private enum Origin {
        case heap, part
        case piece(SlabMemory.Region)
    }

    /// Text of this size does not share a block with others where it finds no room beside the rows.
    private static let largeText = 1024
    /// With so much text apart, no more rows are taken: they would all be kept for the last of them.
    private static let largestApart = 1 << 20
    /// The same for memory of other slabs.
    private static let largestBorrowed = 1 << 19

    /// Makes room for exactly `rowBytes` bytes of rows, and for about `heapBytes` bytes of text.
    package init(rowBytes: Int, heapBytes: Int = 256) {
        size = rowBytes + heapBytes
        (memory, origin) = Self.allocate(size)
        nextRow = memory
        rowsLimit = memory + rowBytes
        textLimit = memory + rowBytes
        textEnd = memory + size
        textStart = textEnd
    }

    /// Makes room for `bytes` bytes of rows and text.
    package init(bytes: Int) {
        size = bytes
        (memory, origin) = Self.allocate(size)
        nextRow = memory
        textLimit = memory
        textEnd = memory + bytes
        textStart = textEnd
    }

    /// Makes room for some hundred rows, in memory that is quickly to be had and given back.
    private init(_ piece: SlabMemory.Piece) {
        size = SlabMemory.pieceBytes
        memory = piece.start
        origin = .piece(piece.region)
        nextRow = memory
        textLimit = memory
        textEnd = memory + size
        textStart = textEnd
    }

    @inline(__always)
    private static func allocate(_ bytes: Int) -> (UnsafeMutableRawPointer, Origin) {
        if let part = SlabMemory.takePart(bytes) { return (part, .part) }
        return (malloc(bytes)!, .heap)
    }

    /// A slab of the size that suits large fetches.
    package static func large() -> RowSlab {
        SlabMemory.take().map { RowSlab($0) } ?? RowSlab(bytes: largeBytes)
    }

    package static var largeBytes: Int { SlabMemory.pieceBytes }

    deinit {
        apart?.fileNames?.end()
        switch origin {
        case .heap: free(memory)
        case .part: SlabMemory.givePartBack(memory)
        case .piece(let region): SlabMemory.giveBack(memory, of: region)
        }
    }

    package static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Space for one zeroed row of `bytes` bytes, or nil when the slab is full.
    @inlinable @inline(__always)
    package func makeRow(bytes: Int) -> UnsafeMutableRawPointer? {
        guard let row = makeRawRow(bytes: bytes) else { return nil }
        row.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        return row
    }

    /// Space for one row of `bytes` bytes, whatever is in it now, or nil when the slab is full.
    @inlinable @inline(__always)
    package func makeRawRow(bytes: Int) -> UnsafeMutableRawPointer? {
        let row = nextRow
        let end = row + bytes
        if let rowsLimit {
            guard end <= rowsLimit else { return nil }
        } else {
            guard end <= textStart else { return nil }
            textLimit = end
        }
        nextRow = end
        return row
    }

    /// Whether so much lies between rows and text.
    @inlinable @inline(__always)
    package func hasRoom(for bytes: Int) -> Bool { rowsLimit == nil && bytes <= textStart - nextRow }

    /// Copies bytes to the slab.
    @inlinable @inline(__always)
    package func append(_ bytes: UnsafeRawPointer?, count: Int) -> HeapRange {
        guard count <= textStart - textLimit - HeapRange.lengthBytes, count < HeapRange.fileMark else {
            return appendApart(bytes, count)
        }
        let start = textStart - count
        textStart = start - HeapRange.lengthBytes
        ShortCopy.copy(bytes, count, to: start)
        return HeapRange(start, count: count)
    }

    /// Copies text or bytes that lie in this or another slab.
    package func append(_ range: HeapRange, of other: RowSlab) -> HeapRange {
        // Text is never changed in place, so what is here already serves as it is.
        if other === self { return range }
        return range.file.map { append($0) } ?? append(range.start, count: range.count)
    }

    @inlinable @inline(__always)
    package func bytes(_ range: HeapRange) -> UnsafeRawBufferPointer { range.bytes }

    /// Where the rows begin, one behind the other with whatever their maker put between them, and where they end at present.
    @inlinable package var rowsStart: UnsafeMutableRawPointer { memory }
    @inlinable package var rowsEnd: UnsafeMutableRawPointer { nextRow }

    /// Reads rows and text once from one end to the other, for them to be near the processor.
    package func touch() {
        ccoredataruntime_touch(memory, nextRow)
        if textEnd == memory + size { ccoredataruntime_touch(textStart, textEnd) }
    }

    // MARK: Text apart

    /// Puts text that finds no room here into a block of its own, or one for several.
    @usableFromInline @inline(never)
    func appendApart(_ bytes: UnsafeRawPointer?, _ count: Int) -> HeapRange {
        let apart = beside
        if count >= Self.largeText {
            let place = apart.addBlock(HeapRange.longLengthBytes + count) + HeapRange.longLengthBytes
            if let bytes { memcpy(place, bytes, count) }
            apart.textBytes += HeapRange.longLengthBytes + count
            if apart.bytes > Self.largestApart { closeRows() }
            return HeapRange(place, count: count)
        }
        closeRows()
        apart.textBytes += textEnd - textStart
        // Seldom is much still to come: blocks start small, and double.
        let size = min(max(256, HeapRange.lengthBytes + count, apart.bytes), 1 << 16)
        textLimit = apart.addBlock(size)
        textEnd = textLimit + size
        textStart = textEnd
        return append(bytes, count: count)
    }

    /// Keeps another slab for as long as this one: rows here use its text.
    package func borrow(from lender: RowSlab) {
        let address = Unmanaged.passUnretained(lender).toOpaque()
        guard lastLender != address else { return }
        lastLender = address
        let apart = beside
        apart.lenders.append(lender)
        apart.borrowedBytes += lender.footprint
        if apart.borrowedBytes > Self.largestBorrowed { closeRows() }
    }

    /// The memory for rows and text, text apart included.
    @inlinable package var footprint: Int { size + (apart?.bytes ?? 0) }

    private var beside: TextApart {
        if let apart { return apart }
        let made = TextApart()
        apart = made
        return made
    }

    /// The names of files that have been added here.
    var fileNames: SlabFileNames {
        let apart = beside
        if let names = apart.fileNames { return names }
        let made = SlabFileNames()
        apart.fileNames = made
        namesFiles = true
        return made
    }

    private func closeRows() {
        if rowsLimit == nil { rowsLimit = nextRow }
    }

    /// How much text and data has been added, with its lengths.
    @inlinable package var textBytes: Int { textEnd - textStart + (apart?.textBytes ?? 0) }
}

/// Text that lies beside a slab.
@usableFromInline
final class TextApart {
    /// The block added last; each starts with the address of the one before.
    @exclusivity(unchecked) private var blocks: UnsafeMutableRawPointer?
    /// Size of all blocks.
    @usableFromInline @exclusivity(unchecked) private(set) var bytes = 0
    /// Text and data, with its lengths, in what is not filled any more.
    @usableFromInline @exclusivity(unchecked) var textBytes = 0

    /// Slabs whose text is used.
    @exclusivity(unchecked) var lenders: ContiguousArray<RowSlab> = []
    @exclusivity(unchecked) var borrowedBytes = 0
    /// Where names of files are among the text.
    @exclusivity(unchecked) var fileNames: SlabFileNames?

    private static let linkBytes = 8

    deinit {
        while let block = blocks {
            blocks = block.load(as: UnsafeMutableRawPointer?.self)
            free(block)
        }
    }

    /// Memory of its own.
    func addBlock(_ size: Int) -> UnsafeMutableRawPointer {
        let block = malloc(Self.linkBytes + size)!
        block.storeBytes(of: blocks, as: UnsafeMutableRawPointer?.self)
        blocks = block
        bytes += size
        return block + Self.linkBytes
    }
}

/// Where a cell's text or bytes lie: their address, all of it, for some systems use more than 48 bits. Their length is right
/// before them. Text follows text without gaps, so neither lies at a multiple of anything.
@usableFromInline
package struct HeapRange: Sendable {
    @usableFromInline package let bits: UInt64

    /// What each text takes besides its bytes: its length in 32 bits.
    @usableFromInline package static var lengthBytes: Int { 4 }
    /// What text that may be longer than 32 bits say takes: before a length of ``longCount`` stands the real one.
    @usableFromInline package static var longLengthBytes: Int { 12 }
    @usableFromInline package static var longCount: Int { 0xFFFF_FFFF }
    /// In place of a length: what follows is the name of a file that holds the value.
    @usableFromInline package static var fileMark: UInt32 { 0xFFFF_FFFE }
    /// What text takes, about, where no other is known yet.
    package static var usualBytes: Int { lengthBytes + 16 }

    @inlinable @inline(__always)
    package init(bits: UInt64) { self.bits = bits }

    /// Writes the length before the bytes, where there must be room for it.
    @inlinable @inline(__always)
    package init(_ start: UnsafeMutableRawPointer, count: Int) {
        let isLong = count >= Self.fileMark
        let short = isLong ? UInt32(Self.longCount) : UInt32(truncatingIfNeeded: count)
        (start - Self.lengthBytes).storeBytes(of: short, as: UInt32.self)
        if isLong { (start - Self.longLengthBytes).storeBytes(of: count, as: Int.self) }
        bits = UInt64(UInt(bitPattern: start))
    }

    @inlinable @inline(__always)
    package var start: UnsafeRawPointer { UnsafeRawPointer(bitPattern: UInt(bits)).unsafelyUnwrapped }

    /// How many bytes are here: of a value in a file, its name.
    @inlinable @inline(__always)
    package var count: Int {
        let short = (start - HeapRange.lengthBytes).loadUnaligned(as: UInt32.self)
        return short < HeapRange.fileMark ? Int(short) : unusualCount
    }

    @usableFromInline @inline(never)
    var unusualCount: Int {
        isFile ? ValueFile.nameBytes : (start - HeapRange.longLengthBytes).loadUnaligned(as: Int.self)
    }

    /// Whether what is here is the name of a file that holds the value, and not the value.
    @inlinable @inline(__always)
    package var isFile: Bool { (start - HeapRange.lengthBytes).loadUnaligned(as: UInt32.self) == HeapRange.fileMark }

    @inlinable @inline(__always)
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
}
