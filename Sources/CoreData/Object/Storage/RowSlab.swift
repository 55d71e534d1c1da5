/// Memory for many rows at once: fixed-size rows in one block, their text and bytes in another.
///
/// A fetch decodes its rows into slabs; the same bytes then serve as the values of the objects, as the snapshot that
/// conflict checks compare with, and as what a changed object copies from. Rows never move once handed out (the heap
/// beside them may, so a row refers to it by offset). A slab filled by a fetch is immutable from then on and may be
/// read from any thread; a context's own slab for changed rows is touched on that context's queue only.
///
/// A row is laid out as:
/// ```
/// 0   version       UInt32   the row's optimistic-locking counter (Z_OPT), 0 for rows never saved
/// 4   changedOffset UInt32   in rows of changed objects: where their changed bits start; else 0
/// 8   present bits  UInt64 × layout.bitWords, one bit a cell
///     cells         UInt64 × layout.cells.count
///     changed bits  UInt64 × layout.bitWords, in rows that belong to a changed object only
/// ```
/// A cell is an integer, the bits of a double, a packed ``RowReference``, or a ``HeapRange`` into the slab's heap.
@usableFromInline
package final class RowSlab: @unchecked Sendable {
    /// Base address of text and bytes.
    @exclusivity(unchecked) @usableFromInline package private(set) final var heap: UnsafeMutableRawPointer
    @exclusivity(unchecked) @usableFromInline package private(set) final var heapUsed = 0
    @exclusivity(unchecked) private final var heapCapacity: Int

    /// Rows or text may still be added: the slab must not be read by another context.
    package final var isOpen = false
    /// When the rows were read: seconds on a clock that starts anywhere.
    package final let birth = RowSlab.now

    private final let rows: UnsafeMutableRawPointer
    /// Small slabs have rows and heap in one piece of memory, until the heap outgrows its part.
    @exclusivity(unchecked) private final var heapIsApart: Bool
    private static let largestJoint = 2048
    private final let rowCapacity: Int
    @exclusivity(unchecked) private final var rowsUsed = 0

    /// Makes room for about `rowBytes` bytes of rows and `heapBytes` bytes of text; the heap grows as needed.
    package init(rowBytes: Int, heapBytes: Int = 256) {
        rowCapacity = max(rowBytes, 16)
        heapCapacity = max(heapBytes, 64)
        heapIsApart = rowCapacity + heapCapacity > Self.largestJoint
        rows = malloc(heapIsApart ? rowCapacity : rowCapacity + heapCapacity)!
        heap = heapIsApart ? malloc(heapCapacity)! : rows + rowCapacity
    }

    deinit {
        free(rows)
        if heapIsApart { free(heap) }
    }

    package static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Space for one zeroed row of `bytes` bytes, or nil when the slab is full.
    @inline(__always)
    package func makeRow(bytes: Int) -> UnsafeMutableRawPointer? {
        guard rowsUsed + bytes <= rowCapacity else { return nil }
        let row = rows + rowsUsed
        rowsUsed += bytes
        row.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        return row
    }

    /// Space for one row of `bytes` bytes, whatever is in it now, or nil when the slab is full.
    @inline(__always)
    package func makeRawRow(bytes: Int) -> UnsafeMutableRawPointer? {
        guard rowsUsed + bytes <= rowCapacity else { return nil }
        let row = rows + rowsUsed
        rowsUsed += bytes
        return row
    }

    /// Copies bytes to the heap.
    @inline(__always)
    package func append(_ bytes: UnsafeRawPointer?, count: Int) -> HeapRange {
        let offset = heapUsed
        let end = offset + count
        if end > heapCapacity { growHeap(to: end) }
        if count > 0, let bytes { memcpy(heap + offset, bytes, count) }
        heapUsed = end
        return HeapRange(offset: offset, count: count)
    }

    /// Copies what lies in the heap of this or another slab.
    package func append(_ range: HeapRange, of other: RowSlab) -> HeapRange {
        // Text is never changed in place, so what is here already serves as it is.
        if other === self { return range }
        return append(other.heap + range.offset, count: range.count)
    }

    @inline(never)
    private func growHeap(to needed: Int) {
        heapCapacity = max(needed, heapCapacity * 2)
        if heapIsApart {
            heap = realloc(heap, heapCapacity)!
        } else {
            let grown = malloc(heapCapacity)!
            memcpy(grown, heap, heapUsed)
            heap = grown
            heapIsApart = true
        }
    }

    /// Gives back the unused part of the heap, once a fetch has filled the slab.
    package func trimHeap() {
        guard heapIsApart, heapCapacity - heapUsed > 4096 || heapUsed * 2 < heapCapacity else { return }
        heapCapacity = max(heapUsed, 16)
        heap = realloc(heap, heapCapacity)!
    }

    package func bytes(_ range: HeapRange) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: heap + range.offset, count: range.count)
    }
}

/// Where a cell's text or bytes lie in the heap of its slab, packed into the cell: offset in the low half, length in the high.
@usableFromInline
package struct HeapRange: Sendable {
    @usableFromInline package let bits: UInt64

    @inlinable @inline(__always)
    package init(bits: UInt64) { self.bits = bits }

    @inlinable @inline(__always)
    package init(offset: Int, count: Int) {
        precondition(offset < 1 << 32 && count < 1 << 32, "A slab of rows holds at most 4 GiB of text and data.")
        bits = UInt64(truncatingIfNeeded: count) << 32 | UInt64(truncatingIfNeeded: offset)
    }

    @inlinable package var offset: Int { Int(truncatingIfNeeded: bits & 0xFFFF_FFFF) }
    @inlinable package var count: Int { Int(truncatingIfNeeded: bits >> 32) }
}
