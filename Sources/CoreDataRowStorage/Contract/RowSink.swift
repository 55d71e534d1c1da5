/// Where a store delivers rows.
package protocol RowSink: AnyObject {
    /// Announces the next row. False means that its values are in memory already and are not to be delivered.
    func next(entityNumber: Int, key: Int64) -> Bool
    /// The values of the row announced last, if they were wanted. The row stays valid as long as the slab lives.
    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab)
}
