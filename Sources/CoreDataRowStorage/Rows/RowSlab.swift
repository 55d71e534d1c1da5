import CCoreDataRuntime
import Foundation

/// Memory for many rows: fixed-size rows at the front, their text and bytes at the end.
///
/// A fetch decodes its rows into slabs; the same bytes then serve as the values of the objects, as the snapshot of conflict
/// checks, and as the source of a changed object's private copy. Neither rows nor text ever move. A slab filled by a fetch is
/// immutable from then on and may be read from any thread; a context's slab of changed rows is used on that context's queue
/// only.
///
/// Rows are added from the front of the slab's memory, text from its end, until they meet; after that the slab takes no more
/// rows, and further text goes into separate blocks.
///
/// The layout of a row:
/// ```
/// 0   version       UInt32   the row's optimistic-locking counter (Z_OPT), 0 for rows never saved
/// 4   changedOffset UInt32   in rows of changed objects: the offset of their changed bits; else 0
/// 8   present bits  UInt64 × layout.bitWords, one bit per slot
///     slots         UInt64 × layout.cells.count
///     changed bits  UInt64 × layout.bitWords, only in rows that belong to a changed object
/// ```
/// A slot is an integer, the bits of a double, a packed ``RowReference``, or a ``HeapRange``: the address of text or bytes.
/// These are preceded by their length, or by a mark that they are the name of a file: see ``ValueFile``.
@usableFromInline
package final class RowSlab: @unchecked Sendable {
    /// Whether rows or text may still be added: other contexts must not read the slab then.
    @exclusivity(unchecked) package final var isOpen = false
    /// Whether rows refer to files, which are then retained with the slab.
    @exclusivity(unchecked) package private(set) final var namesFiles = false
    /// The time at which the rows were read, in seconds of a monotonic clock.
    package final let birth = RowSlab.now

    @usableFromInline final let memory: UnsafeMutableRawPointer
    @usableFromInline final let size: Int
    private final let origin: Origin
    @usableFromInline @exclusivity(unchecked) final var nextRow: UnsafeMutableRawPointer
    /// The end of the space for rows; nil while it extends to the text.
    @usableFromInline @exclusivity(unchecked) final var rowsLimit: UnsafeMutableRawPointer?
    /// The start of the last text with its length, and the lower bound of the next one.
    @usableFromInline @exclusivity(unchecked) final var textStart: UnsafeMutableRawPointer
    @usableFromInline @exclusivity(unchecked) final var textLimit: UnsafeMutableRawPointer
    /// The end of the memory that text is currently added to.
    @usableFromInline @exclusivity(unchecked) final var textEnd: UnsafeMutableRawPointer
    @usableFromInline @exclusivity(unchecked) final var apart: TextApart?
    /// The slab from which text was last borrowed: adjacent rows usually borrow from the same one.
    @exclusivity(unchecked) private final var lastLender: UnsafeMutableRawPointer?

    private enum Origin {
        case heap, part
        case piece(SlabMemory.Region)
    }

    /// The size from which text that does not fit beside the rows gets a separate block.
    private static let largeText = 1024
    /// The size of separate text at which the slab takes no more rows: the last row would keep all of it alive.
    private static let largestApart = 1 << 20
    /// The same limit for borrowed slabs.
    private static let largestBorrowed = 1 << 19

    /// Creates a slab for exactly `rowBytes` bytes of rows, and about `heapBytes` bytes of text.
    package init(rowBytes: Int, heapBytes: Int = 256) {
        size = rowBytes + heapBytes
        (memory, origin) = Self.allocate(size)
        nextRow = memory
        rowsLimit = memory + rowBytes
        textLimit = memory + rowBytes
        textEnd = memory + size
        textStart = textEnd
    }

    /// Creates a slab for `bytes` bytes of rows and text.
    package init(bytes: Int) {
        size = bytes
        (memory, origin) = Self.allocate(size)
        nextRow = memory
        textLimit = memory
        textEnd = memory + bytes
        textStart = textEnd
    }

    /// Creates a slab for some hundred rows in pooled memory, which is cheap to allocate and free.
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

    /// Creates a slab of the size for large fetches.
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

    /// Returns the address of a new zeroed row of `bytes` bytes, or nil if the slab is full.
    @inlinable @inline(__always)
    package func makeRow(bytes: Int) -> UnsafeMutableRawPointer? {
        guard let row = makeRawRow(bytes: bytes) else { return nil }
        row.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        return row
    }

    /// Returns the address of a new uninitialized row of `bytes` bytes, or nil if the slab is full.
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

    /// Returns true if at least `bytes` free bytes remain between rows and text.
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

    /// Copies text or bytes from this or another slab.
    package func append(_ range: HeapRange, of other: RowSlab) -> HeapRange {
        // Text is immutable, so the slab's own text can be shared.
        if other === self { return range }
        return range.file.map { append($0) } ?? append(range.start, count: range.count)
    }

    @inlinable @inline(__always)
    package func bytes(_ range: HeapRange) -> UnsafeRawBufferPointer { range.bytes }

    /// The start of the rows, which are contiguous except for bytes their creator put in between, and their current end.
    @inlinable package var rowsStart: UnsafeMutableRawPointer { memory }
    @inlinable package var rowsEnd: UnsafeMutableRawPointer { nextRow }

    /// Reads rows and text once in order, to bring them into the processor's cache.
    package func touch() {
        ccoredataruntime_touch(memory, nextRow)
        if textEnd == memory + size { ccoredataruntime_touch(textStart, textEnd) }
    }

    // MARK: Separate text

    /// Adds text that does not fit into the slab to a separate block, shared unless the text is large.
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
        // Usually little text follows: blocks start small, and double.
        let size = min(max(256, HeapRange.lengthBytes + count, apart.bytes), 1 << 16)
        textLimit = apart.addBlock(size)
        textEnd = textLimit + size
        textStart = textEnd
        return append(bytes, count: count)
    }

    /// Retains another slab as long as this one, because rows here use its text.
    package func borrow(from lender: RowSlab) {
        let address = Unmanaged.passUnretained(lender).toOpaque()
        guard lastLender != address else { return }
        lastLender = address
        let apart = beside
        apart.lenders.append(lender)
        apart.borrowedBytes += lender.footprint
        if apart.borrowedBytes > Self.largestBorrowed { closeRows() }
    }

    /// The size of the memory for rows and text, including separate text.
    @inlinable package var footprint: Int { size + (apart?.bytes ?? 0) }

    private var beside: TextApart {
        if let apart { return apart }
        let made = TextApart()
        apart = made
        return made
    }

    /// The names of files that have been added to the slab.
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

    /// The size of all text and data, including lengths.
    @inlinable package var textBytes: Int { textEnd - textStart + (apart?.textBytes ?? 0) }
}

/// The separate text of a slab.
@usableFromInline
final class TextApart {
    /// The last block; each starts with the address of the previous one.
    @exclusivity(unchecked) private var blocks: UnsafeMutableRawPointer?
    /// The size of all blocks.
    @usableFromInline @exclusivity(unchecked) private(set) var bytes = 0
    /// The size of text and data, including lengths, in full blocks.
    @usableFromInline @exclusivity(unchecked) var textBytes = 0

    /// The slabs that text was borrowed from.
    @exclusivity(unchecked) var lenders: ContiguousArray<RowSlab> = []
    @exclusivity(unchecked) var borrowedBytes = 0
    /// The names of files among the text.
    @exclusivity(unchecked) var fileNames: SlabFileNames?

    private static let linkBytes = 8

    deinit {
        while let block = blocks {
            blocks = block.load(as: UnsafeMutableRawPointer?.self)
            free(block)
        }
    }

    /// Allocates a block.
    func addBlock(_ size: Int) -> UnsafeMutableRawPointer {
        let block = malloc(Self.linkBytes + size)!
        block.storeBytes(of: blocks, as: UnsafeMutableRawPointer?.self)
        blocks = block
        bytes += size
        return block + Self.linkBytes
    }
}

/// The address of a slot's text or bytes, in full, since some systems use more than 48 bits. The length directly precedes the
/// bytes. Texts are contiguous, so neither is aligned.
@usableFromInline
package struct HeapRange: Sendable {
    @usableFromInline package let bits: UInt64

    /// The overhead of each text: its length in 32 bits.
    @usableFromInline package static var lengthBytes: Int { 4 }
    /// The overhead of text with a length beyond 32 bits: the real length precedes a length of ``longCount``.
    @usableFromInline package static var longLengthBytes: Int { 12 }
    @usableFromInline package static var longCount: Int { 0xFFFF_FFFF }
    /// The mark, instead of a length, of the name of a file that holds the value.
    @usableFromInline package static var fileMark: UInt32 { 0xFFFF_FFFE }
    /// The estimated size of a text, if none is known yet.
    package static var usualBytes: Int { lengthBytes + 16 }

    @inlinable @inline(__always)
    package init(bits: UInt64) { self.bits = bits }

    /// Writes the length before the bytes, where there must be space for it.
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

    /// The number of bytes: the value's, or those of the file's name.
    @inlinable @inline(__always)
    package var count: Int {
        let short = (start - HeapRange.lengthBytes).loadUnaligned(as: UInt32.self)
        return short < HeapRange.fileMark ? Int(short) : unusualCount
    }

    @usableFromInline @inline(never)
    var unusualCount: Int {
        isFile ? ValueFile.nameBytes : (start - HeapRange.longLengthBytes).loadUnaligned(as: Int.self)
    }

    /// Whether the bytes are the name of a file that holds the value.
    @inlinable @inline(__always)
    package var isFile: Bool { (start - HeapRange.lengthBytes).loadUnaligned(as: UInt32.self) == HeapRange.fileMark }

    @inlinable @inline(__always)
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
}
