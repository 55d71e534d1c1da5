/// The receiver of rows that a store reads.
package protocol RowSink: AnyObject {
    /// Announces the next row, and returns whether to deliver it.
    func next(entityNumber: Int, key: Int64) -> RowDecision
    /// Receives the row announced last, if it was to be delivered. The memory is valid as long as the slab.
    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab)
}

/// A sink's decision about an announced row.
package enum RowDecision {
    /// Delivers the row.
    case take
    /// Skips the row, because it is already in memory or not needed.
    case skip
    /// Ends the read without an error and without announcing further rows.
    case stop
}
