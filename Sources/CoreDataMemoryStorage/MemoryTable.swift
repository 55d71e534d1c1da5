import CoreDataRowStorage

/// The rows of one entity hierarchy in the order of their keys.
///
/// Two parallel arrays: keys are allocated in ascending order, so new rows are appended, and until a row is deleted, a row's
/// index follows from its key.
package struct MemoryTable {
    package private(set) var keys: ContiguousArray<Int64> = []
    package private(set) var rows: ContiguousArray<MemoryRow> = []
    /// The next key to allocate.
    private(set) var nextKey: Int64 = 1

    var count: Int { keys.count }

    /// Allocates `count` keys.
    mutating func reserve(_ count: Int) -> KeyRuns {
        defer { nextKey += Int64(count) }
        return KeyRuns(first: nextKey, count: count)
    }

    /// Ensures that no key up to this one is allocated.
    mutating func skip(to key: Int64) { nextKey = max(nextKey, key + 1) }

    @inline(__always)
    func position(of key: Int64) -> Int? {
        guard let first = keys.first, key >= first else { return nil }
        let guess = key - first
        if guess < Int64(keys.count), keys[Int(guess)] == key { return Int(guess) }
        let place = insertionPoint(of: key)
        return place < keys.count && keys[place] == key ? place : nil
    }

    package subscript(key: Int64) -> MemoryRow? { position(of: key).map { rows[$0] } }

    mutating func replace(at position: Int, with row: MemoryRow) { rows[position] = row }

    /// Adds new rows in the ascending order of their keys.
    mutating func insert(_ added: [(key: Int64, row: MemoryRow)]) {
        guard let first = added.first, let last = added.last else { return }
        skip(to: last.key)
        if keys.last.map({ $0 < first.key }) ?? true {
            for (key, row) in added {
                keys.append(key)
                rows.append(row)
            }
            return
        }
        var merged: (keys: ContiguousArray<Int64>, rows: ContiguousArray<MemoryRow>) = ([], [])
        merged.keys.reserveCapacity(keys.count + added.count)
        merged.rows.reserveCapacity(keys.count + added.count)
        var next = 0
        for position in keys.indices {
            while next < added.count, added[next].key < keys[position] {
                merged.keys.append(added[next].key)
                merged.rows.append(added[next].row)
                next += 1
            }
            merged.keys.append(keys[position])
            merged.rows.append(rows[position])
        }
        for (key, row) in added[next...] {
            merged.keys.append(key)
            merged.rows.append(row)
        }
        (keys, rows) = merged
    }

    mutating func remove(_ gone: Set<Int64>) {
        guard !gone.isEmpty else { return }
        var kept = 0
        for position in keys.indices where !gone.contains(keys[position]) {
            if kept != position {
                keys[kept] = keys[position]
                rows[kept] = rows[position]
            }
            kept += 1
        }
        keys.removeSubrange(kept...)
        rows.removeSubrange(kept...)
    }

    private func insertionPoint(of key: Int64) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
