import CoreDataRowStorage

/// An arena for the rows of changed objects: slabs are filled one after the other, and each is freed with its last row.
final class RowArena {
    /// The size of text beyond which a slab is not filled further, so that setting the same value repeatedly does not exhaust
    /// memory.
    static let textLimit = 1 << 20
    /// The smallest slab size: most contexts change little, so slabs start small and grow with the changes.
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
