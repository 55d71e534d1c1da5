/// Where keys stand in an array, for keys that lie close together.
@usableFromInline
package struct KeyPositions: Sendable {
    /// The least and the greatest key.
    @usableFromInline package let range: ClosedRange<Int64>
    /// The position plus one; 0 where there is no key.
    @usableFromInline let table: ContiguousArray<UInt32>

    /// nil when the keys lie too far apart, and for none.
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
