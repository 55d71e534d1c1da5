import CoreDataRowStorage

/// The rows of one owner, or of a few whose keys follow each other, as ``RowsByOwner`` reads them.
///
/// Rows come in the order of their table, so each is of another group than the last, and what it touches is far from the
/// processor. Where they are all of one owner and one entity, a row therefore has nothing but its key with it, right in front
/// of it; else a list tells of each.
final class RowGroup {
    /// How the rows of a table are kept, and how much room groups make for them.
    struct Sizes {
        /// The entity of all rows, where they have their keys in front: its number, and what its rows take.
        fileprivate let only: (number: Int, rowBytes: Int)?
        /// Of one row with its key, text and data, about.
        fileprivate let row: Int
        /// What has to be left for another row, so that its text seldom has to lie elsewhere.
        fileprivate let rest: Int
        /// How many rows at first.
        fileprivate let rows: Int

        private static let fewRows = 16
        private static let mostAtFirst = 1 << 24
        fileprivate static let mostRows = 128
        fileprivate static let keyBytes = 8

        /// - Parameters:
        ///   - usualRows: how many rows a group has, about.
        ///   - hasOneOwner: whether a group's rows all are of one owner.
        init(_ plan: RowPlan, heapBytes: Int, usualRows: Int, groups: Int, hasOneOwner: Bool) {
            only = hasOneOwner ? plan.only.map { ($0.number, $0.rowBytes) } : nil
            let rowBytes = plan.rowBytes + (only == nil ? 0 : Self.keyBytes)
            // Long text lies elsewhere anyway.
            let heapBytes = min(heapBytes, 1024)
            // Of so many rows, the average is what they need: first touching memory is much of what reading them costs.
            row = rowBytes + max(heapBytes - RowPlan.heapMargin, 0)
            rest = row + RowPlan.heapMargin + min(heapBytes, 256)
            // As many as usual, unless that is too much should most groups have fewer.
            let usual = min(usualRows, Self.mostRows, max((SlabMemory.largestPart - rest) / row, 1))
            rows = usual * row * groups <= Self.mostAtFirst ? usual : min(usual, Self.fewRows)
        }

        fileprivate func slab(rows: Int) -> RowSlab {
            RowSlab(bytes: min(row * rows + rest, max(SlabMemory.largestPart, rest)))
        }
    }

    /// A row among those of several owners or entities.
    private struct Entry {
        let key: Int64
        let row: UnsafeMutableRawPointer
        /// Kept by the group.
        let slab: Unmanaged<RowSlab>
        /// The owner's place in the group.
        let owner: UInt32
        let entityNumber: UInt32
    }

    /// How many rows there are.
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var slab: RowSlab
    @exclusivity(unchecked) private var fullSlabs: ContiguousArray<RowSlab> = []
    /// Nothing while each row has its key in front.
    @exclusivity(unchecked) private var entries: ContiguousArray<Entry> = []
    private let only: (number: Int, rowBytes: Int)?
    /// The memory that the group without rows takes.
    let firstBytes: Int

    init(_ sizes: Sizes) {
        only = sizes.only
        slab = sizes.slab(rows: sizes.rows)
        if only == nil {
            entries.reserveCapacity(sizes.rows)
            firstBytes = slab.footprint + sizes.rows * MemoryLayout<Entry>.stride
        } else {
            firstBytes = slab.footprint
        }
    }

    var textBytes: Int { fullSlabs.reduce(slab.textBytes) { $0 + $1.textBytes } }

    // MARK: Filling

    /// Gives the memory that is taken for the row, about: that of a new slab, and text that lies beside one.
    @inline(__always)
    func add(
        _ values: borrowing RowValues, _ decoder: Unmanaged<RowDecoder>, owner: UInt32, _ sizes: Sizes
    ) throws -> Int {
        var added = 0
        var current = Unmanaged.passUnretained(slab)
        if !current._withUnsafeGuaranteedRef({ $0.hasRoom(for: sizes.rest) }) {
            added += startAnother(sizes)
            current = Unmanaged.passUnretained(slab)
        }
        let key = values.integer(RowPlan.keyColumn)
        let row = try current._withUnsafeGuaranteedRef { slab in
            let footprint = slab.footprint
            if sizes.only != nil {
                slab.makeRawRow(bytes: Sizes.keyBytes)?.storeBytes(of: key, as: Int64.self)
            }
            guard let row = try decoder._withUnsafeGuaranteedRef({ try $0.decode(values, into: slab) }) else {
                fatalError("A slab with room for \(sizes.rest) bytes takes no row.")
            }
            added += slab.footprint - footprint
            return row
        }
        if sizes.only == nil {
            if count >= sizes.rows { added += MemoryLayout<Entry>.stride }
            let number = decoder._withUnsafeGuaranteedRef(\.number)
            entries.append(
                Entry(
                    key: key, row: row, slab: current, owner: owner,
                    entityNumber: UInt32(truncatingIfNeeded: number)))
        }
        count += 1
        return added
    }

    /// Gives the memory that this takes.
    @inline(never)
    private func startAnother(_ sizes: Sizes) -> Int {
        fullSlabs.append(slab)
        slab = sizes.slab(rows: min(max(count / 4, 16), Sizes.mostRows))
        return slab.footprint
    }

    // MARK: Using

    /// How many rows an owner has.
    func count(of owner: UInt32) -> Int {
        only == nil ? entries[range(of: owner)].count { $0.owner == owner } : count
    }

    /// Reads the rows from one end to the other, unless there are too many to stay near the processor.
    func touch() {
        guard count <= Sizes.mostRows else { return }
        for full in fullSlabs { full.touch() }
        slab.touch()
    }

    /// - Returns: false when the sink wants no more.
    func deliver(rowsOf owner: UInt32, into sink: any RowSink) -> Bool {
        if let only {
            return fullSlabs.allSatisfy { Self.deliver(rowsIn: $0, only, into: sink) }
                && Self.deliver(rowsIn: slab, only, into: sink)
        }
        for entry in entries[range(of: owner)] where entry.owner == owner {
            switch sink.next(entityNumber: Int(entry.entityNumber), key: entry.key) {
            case .take: entry.slab._withUnsafeGuaranteedRef { sink.receive(row: entry.row, in: $0) }
            case .skip: break
            case .stop: return false
            }
        }
        return true
    }

    private static func deliver(
        rowsIn slab: RowSlab, _ only: (number: Int, rowBytes: Int), into sink: any RowSink
    ) -> Bool {
        var (place, end) = (slab.rowsStart, slab.rowsEnd)
        while place < end {
            let row = place + Sizes.keyBytes
            switch sink.next(entityNumber: only.number, key: place.load(as: Int64.self)) {
            case .take: sink.receive(row: row, in: slab)
            case .skip: break
            case .stop: return false
            }
            place = row + only.rowBytes
        }
        return true
    }

    // MARK: Large groups of several owners

    /// Rows of one owner lie side by side in the list.
    @exclusivity(unchecked) private var isSorted = false
    /// Fewer are looked through as fast as they are sorted.
    private static let largeCount = 1_024

    /// So that one owner with very many rows does not make looking for its neighbours' slow.
    func sortIfLarge() {
        guard entries.count > Self.largeCount else { return }
        // By keys within: tables are read in their order.
        entries.sort { ($0.owner, $0.key) < ($1.owner, $1.key) }
        isSorted = true
    }

    private func range(of owner: UInt32) -> Range<Int> {
        guard isSorted else { return entries.indices }
        return firstIndex(from: owner)..<firstIndex(from: owner + 1)
    }

    private func firstIndex(from owner: UInt32) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].owner < owner { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
