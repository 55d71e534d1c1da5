/// An immutable row.
package struct RowSnapshot {
    package let row: UnsafeMutableRawPointer
    package let slab: RowSlab
    /// The values that are stored beside the row, by slot index: see ``CellKind/boxed``.
    package var boxed: [Int: Any] = [:]

    package init(row: UnsafeMutableRawPointer, slab: RowSlab, boxed: [Int: Any] = [:]) {
        self.row = row
        self.slab = slab
        self.boxed = boxed
    }
}
