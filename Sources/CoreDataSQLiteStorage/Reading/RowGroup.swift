import CoreDataRowStorage

/// The rows of one owner, or of a few with adjacent keys, as ``RowsByOwner`` reads them.
///
/// Rows arrive in table order, so each belongs to another group than the last, and its memory is not in the processor's
/// cache. If all rows of a group have the same owner and entity, the key directly precedes each row and nothing else is
/// touched; otherwise a list describes each row.
final class RowGroup {
    /// The layout of a table's rows, and the size of the groups' slabs.
    struct Sizes {
        /// The entity's number and row size, if all rows belong to it and are preceded by their keys.
        fileprivate let only: (number: Int, rowBytes: Int)?
        /// The estimated size of one row with its key, text and data.
        fileprivate let row: Int
        /// The free space required for another row, so that its text rarely needs separate memory.
        fileprivate let rest: Int
        /// The initial capacity in rows.
        fileprivate let rows: Int

        private static let fewRows = 16
        private static let mostAtFirst = 1 << 24
        fileprivate static let mostRows = 128
        fileprivate static let keyBytes = 8

        /// Computes the sizes.
        ///
        /// - Parameters:
        ///   - usualRows: the estimated number of rows of a group.
        ///   - hasOneOwner: whether all rows of a group have the same owner.
        init(_ plan: RowPlan, heapBytes: Int, usualRows: Int, groups: Int, hasOneOwner: Bool) {
            only = hasOneOwner ? plan.only.map { ($0.number, $0.rowBytes) } : nil
            let rowBytes = plan.rowBytes + (only == nil ? 0 : Self.keyBytes)
            // Long text is stored separately anyway.
            let heapBytes = min(heapBytes, 1024)
            // With this many rows, they need the average: first touching memory is a large part of the cost of reading.
            row = rowBytes + max(heapBytes - RowPlan.heapMargin, 0)
            rest = row + RowPlan.heapMargin + min(heapBytes, 256)
            // Room for the usual number of rows, unless that wastes too much memory if most groups have fewer.
            let usual = min(usualRows, Self.mostRows, max((SlabMemory.largestPart - rest) / row, 1))
            rows = usual * row * groups <= Self.mostAtFirst ? usual : min(usual, Self.fewRows)
        }

        fileprivate func slab(rows: Int) -> RowSlab {
            RowSlab(bytes: min(row * rows + rest, max(SlabMemory.largestPart, rest)))
        }
    }

    /// A row of a group with several owners or entities.
    private struct Entry {
        let key: Int64
        let row: UnsafeMutableRawPointer
        /// The row's slab, retained by the group.
        let slab: Unmanaged<RowSlab>
        /// The owner's index in the group.
        let owner: UInt32
        let entityNumber: UInt32
    }

    /// The number of rows.
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var slab: RowSlab
    @exclusivity(unchecked) private var fullSlabs: ContiguousArray<RowSlab> = []
    /// The list of rows; empty if keys precede the rows.
    @exclusivity(unchecked) private var entries: ContiguousArray<Entry> = []
    private let only: (number: Int, rowBytes: Int)?
    /// The size of an empty group, in bytes.
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

    /// Adds a row and returns the approximate number of bytes allocated: for a new slab, and for text outside the slab.
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

    /// Starts another slab and returns its size in bytes.
    @inline(never)
    private func startAnother(_ sizes: Sizes) -> Int {
        fullSlabs.append(slab)
        slab = sizes.slab(rows: min(max(count / 4, 16), Sizes.mostRows))
        return slab.footprint
    }

    // MARK: Reading

    /// Returns the number of an owner's rows.
    func count(of owner: UInt32) -> Int {
        only == nil ? entries[range(of: owner)].count { $0.owner == owner } : count
    }

    /// Reads all rows' memory in order, to bring it into the processor's cache, unless there are too many rows to fit.
    func touch() {
        guard count <= Sizes.mostRows else { return }
        for full in fullSlabs { full.touch() }
        slab.touch()
    }

    /// Delivers an owner's rows to a sink.
    ///
    /// - Returns: false if the sink stopped.
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

    /// Whether the list is sorted by owner.
    @exclusivity(unchecked) private var isSorted = false
    /// The number of rows above which sorting pays.
    private static let largeCount = 1_024

    /// Sorts a large list by owner, so that an owner with very many rows does not slow down reads of adjacent owners.
    func sortIfLarge() {
        guard entries.count > Self.largeCount else { return }
        // Within an owner, by key: the order of the table.
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
