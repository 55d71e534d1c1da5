/// A row that does not change any more.
package struct RowSnapshot {
    package let row: UnsafeMutableRawPointer
    package let slab: RowSlab
    /// Values that do not live in cells, by cell index: see ``CellKind/boxed``.
    package var boxed: [Int: Any] = [:]

    package init(row: UnsafeMutableRawPointer, slab: RowSlab, boxed: [Int: Any] = [:]) {
        self.row = row
        self.slab = slab
        self.boxed = boxed
    }
}
