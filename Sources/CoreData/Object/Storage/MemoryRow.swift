/// A row of a store that keeps its rows in memory. The bytes never change.
struct MemoryRow {
    let entityNumber: Int
    let row: UnsafeMutableRawPointer
    let slab: RowSlab
}
