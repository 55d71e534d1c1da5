/// Where a context puts the rows of changed objects: slabs filled one after the other, each freed when its last row goes.
final class RowArena {
    /// A slab whose text has grown beyond this takes no more, so that rewriting the same value over and over cannot pile up.
    static let heapLimit = 1 << 20
    private static let rowBytes = 1 << 16

    private var slab: RowSlab?

    @inline(__always)
    func makeRow(bytes: Int) -> (UnsafeMutableRawPointer, RowSlab) {
        if let slab, slab.heapUsed < Self.heapLimit, let row = slab.makeRow(bytes: bytes) { return (row, slab) }
        let slab = RowSlab(rowBytes: max(Self.rowBytes, bytes), heapBytes: 1 << 14)
        self.slab = slab
        return (slab.makeRow(bytes: bytes)!, slab)
    }

    /// Starts afresh: what was saved stays where it is, and nothing is added beside it.
    func seal() { slab = nil }
}
