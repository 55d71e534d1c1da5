import CoreDataRowStorage

/// The rows of a fetch that are read some at a time, as their objects are touched, and let go of some time later.
///
/// It knows rows by their keys alone: objects come and go, and the array they were given in may have been copied.
final class BatchedResult {
    /// Where the objects of these rows are found.
    let uniquing: UniquingTable
    /// Key paths of relationships to be loaded with each batch.
    let prefetching: [String]
    private let count: Int
    private let size: Int
    /// In the order of the result; none where one key follows the other.
    private let references: ContiguousArray<RowReference>
    private let first: Int64
    let isAscending: Bool
    /// For results in another order: where each key is. Made when somebody does not walk.
    private lazy var index = KeyIndex(ContiguousArray(references.lazy.map(\.key)))

    /// By number of the batch.
    private var states: ContiguousArray<State>
    /// The batches that are loaded, in the order they were.
    private var loaded: ContiguousArray<Int> = []
    private var last = -1
    /// How many were loaded one after the other, going forward.
    private var steps = 0
    /// How many may be loaded.
    private var room: Int
    /// Where the first object is that was alive when it was looked for last.
    private var firstAlive = 0

    private enum State: UInt8 { case new, loaded, left }

    /// So many batches stay loaded, and as many more as have so many rows together.
    private static let fewestLoaded = 3
    private static let fewestRows = 1_000
    /// A walk that has taken so many steps reads small batches several at once, up to so many rows.
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

    /// The batch of a key, if that is where a walk in either direction comes next.
    func nextBatch(with key: Int64) -> Int? {
        let (next, previous) = ((last + 1) * size, last * size - 1)
        if next < count, self.key(at: next) == key { return last + 1 }
        return previous >= 0 && self.key(at: previous) == key ? last - 1 : nil
    }

    /// The batch of a key.
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

    /// What to load with a batch: a walk asks for the batches that follow soon, and each query has its price.
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
        // Who comes back, but not by walking on or anew, needs more at once: were all batches to come and go, each object would
        // cost as much as a batch.
        let isWalk = abs(first - last) <= 1 || first == 0 || first == states.count - 1
        if states[first] == .left, !isWalk { room += 1 }
        steps = first == last + 1 ? steps + 1 : 1
        for batch in batches where states[batch] != .loaded {
            states[batch] = .loaded
            loaded.append(batch)
        }
        last = batches.upperBound - 1
    }

    /// A batch to let go of, if too many are loaded: the one loaded first.
    func takeBatchLeftBehind() -> Int? {
        guard loaded.count > room else { return nil }
        let batch = loaded.removeFirst()
        states[batch] = .left
        return batch
    }

    /// Whether any of the objects is still there.
    func isInUse() -> Bool {
        // Objects that have gone seldom come back, and then they are read one by one.
        while firstAlive < count {
            let key = key(at: firstAlive)
            if !uniquing.isVacant(key), uniquing.object(for: key) != nil { return true }
            firstAlive += 1
        }
        return false
    }
}

/// Where each of many keys is, whatever their order.
private struct KeyIndex {
    private let keys: ContiguousArray<Int64>
    /// By distance from the least key, if the keys lie close together.
    private let table: KeyPositions?
    /// Else the positions in the order of the keys.
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
