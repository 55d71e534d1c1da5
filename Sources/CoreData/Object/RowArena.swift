import CoreDataRowStorage

/// Where a context puts the rows of changed objects: slabs filled one after the other, each freed when its last row goes.
final class RowArena {
    /// A slab whose text has grown beyond this takes no more, so that rewriting the same value over and over cannot pile up.
    static let textLimit = 1 << 20
    /// Slabs start small, since most contexts change little, and grow with what is changed.
    private static let smallest = SlabMemory.largestPart / 4 & ~15
    private static let largest = 1 << 17

    @exclusivity(unchecked) private var slab: RowSlab?
    @exclusivity(unchecked) private var nextSize = smallest

    @inline(__always)
    static func hasRoom(_ slab: RowSlab, for bytes: Int) -> Bool {
        bytes <= textLimit - slab.textBytes || slab.textBytes == 0
    }

    @inline(__always)
    func makeRow(bytes: Int) -> (UnsafeMutableRawPointer, RowSlab) {
        if let slab, slab.textBytes < Self.textLimit, let row = slab.makeRow(bytes: bytes) { return (row, slab) }
        return makeRowInFreshSlab(bytes: bytes)
    }

    @inline(never)
    private func makeRowInFreshSlab(bytes: Int) -> (UnsafeMutableRawPointer, RowSlab) {
        let fresh = RowSlab(bytes: max(nextSize, bytes))
        fresh.isOpen = true
        nextSize = min(nextSize * 2, Self.largest)
        slab = fresh
        return (fresh.makeRow(bytes: bytes)!, fresh)
    }
}
