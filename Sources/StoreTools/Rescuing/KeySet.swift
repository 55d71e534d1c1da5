/// A set of keys, at the cost of a few bits a key where they are dense, and of some 30 bytes where they are not.
struct KeySet: Equatable {
    /// The bits of 64 keys each, from key 0.
    private var dense: [UInt64] = []
    /// The bits of 64 keys each, by their common part, for keys that are not in `dense`.
    private var sparse: [Int64: UInt64] = [:]
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    static func == (left: KeySet, right: KeySet) -> Bool { left.count == right.count && left.isSubset(of: [right]) }

    private func word(_ part: Int64) -> UInt64 {
        part >= 0 && part < dense.count ? dense[Int(part)] : sparse[part] ?? 0
    }

    /// Adds a key; returns whether it was missing.
    @discardableResult
    @inline(__always)
    mutating func insert(_ key: Int64) -> Bool {
        let (part, bit) = (key >> 6, UInt64(1) << UInt64(key & 63))
        if part >= 0, part < dense.count {
            guard dense[Int(part)] & bit == 0 else { return false }
            dense[Int(part)] |= bit
            count += 1
            return true
        }
        return insert(part, bit)
    }

    private mutating func insert(_ part: Int64, _ bit: UInt64) -> Bool {
        if part >= 0, part < 1024 + 4 * Int64(count) {
            grow(to: max(Int(part) + 1, min(2 * dense.count, 1024 + 4 * count)))
            guard dense[Int(part)] & bit == 0 else { return false }
            dense[Int(part)] |= bit
        } else {
            guard sparse[part, default: 0] & bit == 0 else { return false }
            sparse[part, default: 0] |= bit
        }
        count += 1
        return true
    }

    private mutating func grow(to size: Int) {
        let old = dense.count
        dense.append(contentsOf: repeatElement(0, count: size - old))
        guard !sparse.isEmpty else { return }
        for (part, bits) in sparse where part >= old && part < size { dense[Int(part)] = bits }
        sparse = sparse.filter { $0.key < old || $0.key >= size }
    }

    /// Removes a key.
    mutating func remove(_ key: Int64) {
        let (part, bit) = (key >> 6, UInt64(1) << UInt64(key & 63))
        guard word(part) & bit != 0 else { return }
        count -= 1
        if part >= 0, part < dense.count {
            dense[Int(part)] &= ~bit
        } else {
            let rest = sparse[part, default: 0] & ~bit
            sparse[part] = rest == 0 ? nil : rest
        }
    }

    @inline(__always)
    func contains(_ key: Int64) -> Bool { word(key >> 6) & (1 << UInt64(key & 63)) != 0 }

    /// Returns whether each key is in one of the sets.
    func isSubset(of others: [KeySet]) -> Bool {
        func isCovered(_ part: Int64, _ bits: UInt64) -> Bool {
            var rest = bits
            for other in others where rest != 0 { rest &= ~other.word(part) }
            return rest == 0
        }
        for (part, bits) in dense.enumerated() where bits != 0 {
            guard isCovered(Int64(part), bits) else { return false }
        }
        return sparse.allSatisfy { isCovered($0.key, $0.value) }
    }

    /// Passes the keys in ascending order; the closure returns false to stop.
    func forEach(_ body: (Int64) throws -> Bool) rethrows {
        func pass(_ part: Int64, _ bits: UInt64) throws -> Bool {
            var bits = bits
            while bits != 0 {
                guard try body(part << 6 | Int64(bits.trailingZeroBitCount)) else { return false }
                bits &= bits - 1
            }
            return true
        }
        let parts = sparse.keys.sorted()
        let negative = parts.prefix { $0 < 0 }
        for part in negative { guard try pass(part, sparse[part] ?? 0) else { return } }
        for (part, bits) in dense.enumerated() { guard try pass(Int64(part), bits) else { return } }
        for part in parts.dropFirst(negative.count) { guard try pass(part, sparse[part] ?? 0) else { return } }
    }

    /// Returns the lowest keys.
    func prefix(_ limit: Int) -> [Int64] {
        var keys: [Int64] = []
        guard limit > 0 else { return keys }
        forEach {
            keys.append($0)
            return keys.count < limit
        }
        return keys
    }
}
