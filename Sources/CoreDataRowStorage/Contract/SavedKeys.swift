/// The permanent keys a save gave to rows that came with temporary ones.
@usableFromInline
package struct SavedKeys: Sendable {
    // Temporary keys count down and permanent keys count up: as long as they do so together, this is all there is to keep.
    @usableFromInline var firstTemporary: Int64 = 0
    @usableFromInline var firstPermanent: Int64 = 0
    @usableFromInline var length: Int64 = 0
    /// Temporary key → permanent key for all others, by distance from the highest one expected, or sought by hash.
    private var dense: ContiguousArray<Int64> = []
    private var sparse: [Int64: Int64] = [:]
    private var highest: Int64 = 0
    private var span: Int64 = 0
    /// Rows, of this save or others, whose derived attributes the store computed again.
    package var recomputed: ContiguousArray<RowReference> = []
    /// The save's transaction in the store's history; nil where none was recorded, or its place is not settled yet.
    package var historyMark: HistoryMark?

    package init() {}

    /// Prepares for the temporary keys in `range` (keys count down from -1).
    package init(expecting range: ClosedRange<Int64>, count: Int) {
        highest = range.upperBound
        span = range.upperBound - range.lowerBound + 1
        if span > Int64(count) * 4 + 64 { span = 0 }
    }

    package subscript(temporary: Int64) -> Int64? {
        @inlinable @inline(__always)
        get {
            let index = firstTemporary &- temporary
            if index >= 0, index < length { return firstPermanent + index }
            return other(temporary)
        }
        set {
            if let newValue, length == 0 {
                (firstTemporary, firstPermanent, length) = (temporary, newValue, 1)
            } else if let newValue, temporary == firstTemporary - length, newValue == firstPermanent + length {
                length += 1
            } else {
                setOther(temporary, newValue)
            }
        }
    }

    @usableFromInline func other(_ temporary: Int64) -> Int64? {
        let index = highest - temporary
        if index >= 0, index < Int64(dense.count) {
            let key = dense[Int(index)]
            return key == 0 ? nil : key
        }
        return sparse[temporary]
    }

    private mutating func setOther(_ temporary: Int64, _ key: Int64?) {
        let index = highest - temporary
        if index >= 0, index < span {
            if dense.isEmpty { dense = ContiguousArray(repeating: 0, count: Int(span)) }
            dense[Int(index)] = key ?? 0
        } else {
            sparse[temporary] = key
        }
    }
}
