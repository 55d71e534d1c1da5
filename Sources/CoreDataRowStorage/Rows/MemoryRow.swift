/// A row of a store that keeps its rows in memory. The bytes are immutable.
package struct MemoryRow {
    package let entityNumber: Int
    package let row: UnsafeMutableRawPointer
    package let slab: RowSlab

    package init(entityNumber: Int, row: UnsafeMutableRawPointer, slab: RowSlab) {
        self.entityNumber = entityNumber
        self.row = row
        self.slab = slab
    }
}
