/// Where a store delivers rows.
package protocol RowSink: AnyObject {
    /// Announces the next row, and says what becomes of it.
    func next(entityNumber: Int, key: Int64) -> RowDecision
    /// The values of the row announced last, if they were wanted. The row stays valid as long as the slab lives.
    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab)
}

/// What becomes of a row that was announced to a sink.
package enum RowDecision {
    /// Its values are wanted.
    case take
    /// Its values are in memory already, or not wanted.
    case skip
    /// Nothing more is wanted: the read ends without an error, and no other row is announced.
    case stop
}
