/// The permanent keys of the rows with temporary primary keys in one save.
package struct KeyAssignment {
    package private(set) var keys: SavedKeys

    package init(_ inserts: [StoreChanges.Group]) {
        var lowest: Int64 = 0
        var highest = Int64.min
        var count = 0
        for group in inserts {
            for row in group.rows where row.key < 0 {
                lowest = min(lowest, row.key)
                highest = max(highest, row.key)
                count += 1
            }
        }
        keys = count > 0 ? SavedKeys(expecting: lowest...highest, count: count) : SavedKeys()
    }

    package mutating func assign(_ key: Int64, to temporary: Int64) { keys[temporary] = key }

    package mutating func noteRecomputed(_ rows: ContiguousArray<RowReference>) { keys.recomputed = rows }

    package mutating func noteHistory(_ mark: HistoryMark?) { keys.historyMark = mark }

    /// Returns the permanent key of a reference; nil for an unsaved row that is not part of this save.
    @inline(__always)
    package func key(of reference: RowReference) -> Int64? {
        reference.isTemporary ? keys[reference.key] : reference.key
    }
}
