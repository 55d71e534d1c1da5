/// The permanent keys that a save assigned to rows with temporary ones.
@usableFromInline
package struct SavedKeys: Sendable {
    // Temporary keys count down and permanent keys count up: while they do so together, these three numbers are sufficient.
    @usableFromInline var firstTemporary: Int64 = 0
    @usableFromInline var firstPermanent: Int64 = 0
    @usableFromInline var length: Int64 = 0
    /// The other permanent keys: by distance from the highest expected temporary key, or by hash.
    private var dense: ContiguousArray<Int64> = []
    private var sparse: [Int64: Int64] = [:]
    private var highest: Int64 = 0
    private var span: Int64 = 0
    /// The rows, of this save or others, for which the store recomputed derived attributes.
    package var recomputed: ContiguousArray<RowReference> = []
    /// The mark of the save's transaction in history; nil if none was recorded, or its position is not final yet.
    package var historyMark: HistoryMark?

    package init() {}

    /// Reserves memory for the temporary keys in `range` (keys count down from -1).
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
