/// The positions of keys in an array, for dense keys.
@usableFromInline
package struct KeyPositions: Sendable {
    /// The smallest and the largest key.
    @usableFromInline package let range: ClosedRange<Int64>
    /// The positions plus one; 0 for a missing key.
    @usableFromInline let table: ContiguousArray<UInt32>

    /// Creates the table; returns nil if the range of the keys is too large, and for an empty array.
    package init?(_ keys: ContiguousArray<Int64>) {
        guard let least = keys.min(), let greatest = keys.max(), keys.count < UInt32.max,
            least >= 0, greatest - least < Int64(keys.count) * 8 + 1024
        else { return nil }
        range = least...greatest
        var table = ContiguousArray<UInt32>(repeating: 0, count: Int(greatest - least) + 1)
        for (position, key) in keys.enumerated() { table[Int(key - least)] = UInt32(position) + 1 }
        self.table = table
    }

    @inlinable @inline(__always)
    package func position(of key: Int64) -> UInt32? {
        guard range.contains(key) else { return nil }
        let entry = table[Int(key - range.lowerBound)]
        return entry == 0 ? nil : entry - 1
    }
}
