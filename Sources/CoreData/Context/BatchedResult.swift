import CoreDataRowStorage

/// The rows of a fetch with a batch size: batches are loaded when one of their objects is touched, and released some batches
/// later.
///
/// Rows are identified by key alone, because objects may be deallocated and the array returned to the program may have been
/// copied.
final class BatchedResult {
    /// The table that maps keys to the objects of these rows.
    let uniquing: UniquingTable
    /// Key paths of relationships to prefetch with each batch.
    let prefetching: [String]
    private let count: Int
    private let size: Int
    /// The rows in the order of the result; empty if the keys are consecutive.
    private let references: ContiguousArray<RowReference>
    private let first: Int64
    let isAscending: Bool
    /// Key → position index for unsorted results, built on first random access.
    private lazy var index = KeyIndex(ContiguousArray(references.lazy.map(\.key)))

    /// The state of each batch, by its number.
    private var states: ContiguousArray<State>
    /// The loaded batches, in the order of loading.
    private var loaded: ContiguousArray<Int> = []
    private var last = -1
    /// The number of batches loaded in sequence, going forward.
    private var steps = 0
    /// The number of batches that may stay loaded.
    private var room: Int
    /// The position of the first object that was alive at the last check.
    private var firstAlive = 0

    private enum State: UInt8 { case new, loaded, left }

    /// The number of batches that stay loaded at least; more if they have fewer than ``fewestRows`` rows together.
    private static let fewestLoaded = 3
    private static let fewestRows = 1_000
    /// The number of sequential batches after which small batches are loaded several at once, up to ``mostRowsAtOnce`` rows.
    private static let fewestSteps = 4
    private static let mostRowsAtOnce = 240

    init(
        _ references: ContiguousArray<RowReference>, size: Int, uniquing: UniquingTable,
        prefetching: [String]
    ) {
        self.uniquing = uniquing
        self.prefetching = prefetching
        count = references.count
        let size = min(size, max(count, 1))
        self.size = size
        first = references.first?.key ?? 0
        isAscending = Self.areAscending(references)
        let isDense = isAscending && (references.last?.key ?? 0) &- first == Int64(count - 1)
        self.references = isDense ? [] : references
        states = ContiguousArray(repeating: .new, count: (count + size - 1) / size)
        room = max(Self.fewestLoaded, Self.fewestRows / size)
    }

    static func areAscending(_ references: ContiguousArray<RowReference>) -> Bool {
        var last = Int64.min
        for reference in references {
            guard reference.key > last else { return false }
            last = reference.key
        }
        return true
    }

    // MARK: Where rows are

    @inline(__always)
    private func key(at position: Int) -> Int64 {
        references.isEmpty ? first + Int64(position) : references[position].key
    }

    /// Returns the batch of a key if it is the one after or before the last one loaded; nil otherwise. Reads two keys.
    func nextBatch(with key: Int64) -> Int? {
        let (next, previous) = ((last + 1) * size, last * size - 1)
        if next < count, self.key(at: next) == key { return last + 1 }
        return previous >= 0 && self.key(at: previous) == key ? last - 1 : nil
    }

    /// Returns the batch of a key, or nil if the key is not in the result. O(log n), or O(1) in dense unsorted results.
    func batch(with key: Int64) -> Int? { position(of: key).map { $0 / size } }

    private func position(of key: Int64) -> Int? {
        guard isAscending else { return index.position(of: key) }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self.key(at: middle) < key { low = middle + 1 } else { high = middle }
        }
        return low < count && self.key(at: low) == key ? low : nil
    }

    func keys(of batches: Range<Int>) -> ContiguousArray<Int64> {
        let positions = batches.lowerBound * size..<min(batches.upperBound * size, count)
        if !references.isEmpty { return ContiguousArray(references[positions].lazy.map(\.key)) }
        return ContiguousArray(first + Int64(positions.lowerBound)..<first + Int64(positions.upperBound))
    }

    // MARK: What is loaded

    /// Returns the batches to load together with `batch`: several during a sequential iteration, since each query has a fixed
    /// cost.
    func batches(from batch: Int) -> Range<Int> {
        guard batch == last + 1, steps >= Self.fewestSteps, states[batch] != .loaded else { return batch..<batch + 1 }
        let most = min(1 << min(steps - Self.fewestSteps + 1, 8), Self.mostRowsAtOnce / size, states.count - batch)
        var end = batch + 1
        while end < batch + most, states[end] != .loaded { end += 1 }
        return batch..<end
    }

    func noteLoading(of batches: Range<Int>) {
        let first = batches.lowerBound
        guard states[first] != .loaded else { return }
        // Random access to a released batch widens the window to avoid thrashing: otherwise each object would cost a whole
        // batch.
        let isWalk = abs(first - last) <= 1 || first == 0 || first == states.count - 1
        if states[first] == .left, !isWalk { room += 1 }
        steps = first == last + 1 ? steps + 1 : 1
        for batch in batches where states[batch] != .loaded {
            states[batch] = .loaded
            loaded.append(batch)
        }
        last = batches.upperBound - 1
    }

    /// Removes the oldest loaded batch from the window and returns it, if too many are loaded.
    func takeBatchLeftBehind() -> Int? {
        guard loaded.count > room else { return nil }
        let batch = loaded.removeFirst()
        states[batch] = .left
        return batch
    }

    /// Returns true if the program still holds an object of the result.
    func isInUse() -> Bool {
        // Deallocated objects are rarely fetched again; those that are get read one by one.
        while firstAlive < count {
            let key = key(at: firstAlive)
            if !uniquing.isVacant(key), uniquing.object(for: key) != nil { return true }
            firstAlive += 1
        }
        return false
    }
}

/// An index of many keys to their positions, for keys in any order.
private struct KeyIndex {
    private let keys: ContiguousArray<Int64>
    /// The positions by distance from the smallest key, if the keys are dense.
    private let table: KeyPositions?
    /// Otherwise, the positions sorted by key.
    private let sorted: ContiguousArray<UInt32>

    init(_ keys: ContiguousArray<Int64>) {
        table = KeyPositions(keys)
        self.keys = table == nil ? keys : []
        sorted =
            table == nil
            ? ContiguousArray(keys.indices.lazy.map { UInt32($0) }.sorted { keys[Int($0)] < keys[Int($1)] }) : []
    }

    func position(of key: Int64) -> Int? {
        if let table { return table.position(of: key).map(Int.init) }
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[Int(sorted[middle])] < key { low = middle + 1 } else { high = middle }
        }
        guard low < sorted.count, keys[Int(sorted[low])] == key else { return nil }
        return Int(sorted[low])
    }
}
