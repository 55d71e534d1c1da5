/// A row that does not change any more.
struct RowSnapshot {
    let row: UnsafeMutableRawPointer
    let slab: RowSlab
    /// Values that do not live in cells, by cell index: see ``CellKind/boxed``.
    var boxed: [Int: Any] = [:]
}
