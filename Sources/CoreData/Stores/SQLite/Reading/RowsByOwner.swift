/// Rows read in the order of their table, told apart by the object each belongs to.
///
/// Rows of one owner, or of a few whose keys follow each other, lie together as if they had been read for them.
final class RowsByOwner: @unchecked Sendable {
    /// How many rows there are.
    @exclusivity(unchecked) private(set) var count = 0
    /// How much memory they take, about.
    @exclusivity(unchecked) private(set) var bytes: Int
    private let owners: ClosedRange<Int64>
    /// By the owner's distance from the first one, divided by two so many times. Rows come in any order, so each leads to
    /// another group: counting references to it would have the processor wait for that group's memory every time.
    private let groups: UnsafeMutablePointer<Unmanaged<Group>?>
    private let groupCount: Int
    private let shift: Int64
    private let plan: RowPlan
    private let sizes: Group.Sizes

    private static let fewestInGroup = 64
    private static let mostGroups: Int64 = 1 << 20
    private static let largestShift: Int64 = 6

    /// - Parameters:
    ///   - owners: the least and the greatest owner's key.
    ///   - usual: how many rows an owner has, about.
    ///   - heapBytes: how much text and data a row has, about.
    /// - Returns: nil when the owners' keys lie too far apart.
    init?(plan: RowPlan, owners: ClosedRange<Int64>, usual: Int, heapBytes: Int) {
        let distance = owners.upperBound - owners.lowerBound
        var shift: Int64 = 0
        while max(usual, 1) << shift < Self.fewestInGroup || distance >> shift >= Self.mostGroups {
            shift += 1
            guard shift <= Self.largestShift else { return nil }
        }
        let count = distance >> shift + 1
        self.shift = shift
        self.owners = owners
        groupCount = Int(count)
        self.plan = plan
        sizes = Group.Sizes(plan, heapBytes: heapBytes, usualRows: max(usual, 1) << shift, groups: groupCount)
        groups = .allocate(capacity: groupCount)
        groups.initialize(repeating: nil, count: groupCount)
        bytes = groupCount * 8
    }

    deinit {
        for place in 0..<groupCount { groups[place]?.release() }
        groups.deallocate()
    }

    // MARK: Filling

    /// Whether there is room for an owner's rows.
    @inline(__always)
    func takes(_ owner: Int64) -> Bool { owners.contains(owner) }

    /// Adds a row of an owner it takes.
    func add(_ values: borrowing RowValues, _ decoder: Unmanaged<RowDecoder>, owner: Int64) throws {
        let distance = owner - owners.lowerBound
        let group = groups[Int(distance >> shift)] ?? makeGroup(Int(distance >> shift))
        let inGroup = UInt32(truncatingIfNeeded: distance & (1 << shift - 1))
        bytes += try group._withUnsafeGuaranteedRef { try $0.add(values, decoder, owner: inGroup, sizes) }
        count += 1
    }

    @inline(never)
    private func makeGroup(_ place: Int) -> Unmanaged<Group> {
        let group = Group(sizes)
        let made = Unmanaged.passRetained(group)
        groups[place] = made
        bytes += group.firstBytes
        return made
    }

    /// To be called after the last row.
    func finish() {
        var textBytes = 0
        for place in 0..<groupCount {
            guard let group = groups[place]?.takeUnretainedValue() else { continue }
            textBytes += group.textBytes
            if shift > 0 { group.sortIfLarge() }
        }
        plan.noteHeap(textBytes, rows: count)
    }

    // MARK: Using

    func rows(of owner: Int64) -> OwnerRows {
        guard takes(owner) else { return OwnerRows(owner: 0, group: nil) }
        let distance = owner - owners.lowerBound
        return OwnerRows(
            owner: UInt32(truncatingIfNeeded: distance & (1 << shift - 1)),
            group: groups[Int(distance >> shift)]?.takeUnretainedValue())
    }

    struct OwnerRows {
        let count: Int
        private let owner: UInt32
        private let group: Group?
        /// Where in the group the owner's rows are, perhaps among others.
        private let range: Range<Int>

        fileprivate init(owner: UInt32, group: Group?) {
            self.owner = owner
            self.group = group
            range = group?.range(of: owner) ?? 0..<0
            count = group?.entries[range].count { $0.owner == owner } ?? 0
        }

        /// To be called ahead of ``deliver(into:)`` when the rows are about to be looked at. They were read some time ago, and
        /// an object's messages, say, are looked at in the order of a set, which the processor cannot foresee: it would wait
        /// for each.
        func touch() {
            if let group, count == group.entries.count { group.touch() }
        }

        func deliver(into sink: any RowSink) {
            guard let group else { return }
            // The sink may lead to reads which end with all this being let go of.
            withExtendedLifetime(group) {
                for entry in group.entries[range] where entry.owner == owner {
                    if sink.next(entityNumber: Int(entry.entityNumber), key: entry.key) {
                        entry.slab._withUnsafeGuaranteedRef { sink.receive(row: entry.row, in: $0) }
                    }
                }
            }
        }
    }

    fileprivate final class Group {
        struct Entry {
            let key: Int64
            let row: UnsafeMutableRawPointer
            /// Kept by the group.
            let slab: Unmanaged<RowSlab>
            /// The owner's place in the group.
            let owner: UInt32
            let entityNumber: UInt32
        }

        /// How much room groups make for their rows.
        struct Sizes {
            /// Of one row and its text and data, about.
            fileprivate let row: Int
            /// What has to be left for another row, so that its text seldom has to lie elsewhere.
            fileprivate let rest: Int
            /// How many rows at first.
            fileprivate let rows: Int

            private static let fewRows = 16
            private static let mostAtFirst = 1 << 24
            fileprivate static let mostRows = 128

            init(_ plan: RowPlan, heapBytes: Int, usualRows: Int, groups: Int) {
                // Long text lies elsewhere anyway.
                let heapBytes = min(heapBytes, 1024)
                // Of so many rows, the average is what they need: first touching memory is much of what reading them costs.
                row = plan.rowBytes + max(heapBytes - RowPlan.heapMargin, 0)
                rest = row + RowPlan.heapMargin + min(heapBytes, 256)
                // As many as usual, unless that is too much should most groups have fewer.
                let usual = min(usualRows, Self.mostRows, max((SlabMemory.largestPart - rest) / row, 1))
                rows = usual * row * groups <= Self.mostAtFirst ? usual : min(usual, Self.fewRows)
            }

            fileprivate func slab(rows: Int) -> RowSlab {
                RowSlab(bytes: min(row * rows + rest, max(SlabMemory.largestPart, rest)))
            }
        }

        @exclusivity(unchecked) private(set) var entries: ContiguousArray<Entry> = []
        @exclusivity(unchecked) private var slab: RowSlab
        @exclusivity(unchecked) private var fullSlabs: ContiguousArray<RowSlab> = []
        /// The memory that the group without rows takes.
        let firstBytes: Int

        init(_ sizes: Sizes) {
            slab = sizes.slab(rows: sizes.rows)
            entries.reserveCapacity(sizes.rows)
            firstBytes = slab.footprint + sizes.rows * MemoryLayout<Entry>.stride
        }

        var textBytes: Int { fullSlabs.reduce(slab.textBytes) { $0 + $1.textBytes } }

        /// Gives the memory that is taken for the row, about: that of a new slab, and text that lies beside one.
        @inline(__always)
        func add(
            _ values: borrowing RowValues, _ decoder: Unmanaged<RowDecoder>, owner: UInt32, _ sizes: Sizes
        ) throws -> Int {
            var added = entries.count < sizes.rows ? 0 : MemoryLayout<Entry>.stride
            var current = Unmanaged.passUnretained(slab)
            if !current._withUnsafeGuaranteedRef({ $0.hasRoom(for: sizes.rest) }) {
                added += startAnother(sizes)
                current = Unmanaged.passUnretained(slab)
            }
            let row = try current._withUnsafeGuaranteedRef { slab in
                let footprint = slab.footprint
                guard let row = try decoder._withUnsafeGuaranteedRef({ try $0.decode(values, into: slab) }) else {
                    fatalError("A slab with room for \(sizes.rest) bytes takes no row.")
                }
                added += slab.footprint - footprint
                return row
            }
            entries.append(
                Entry(
                    key: values.integer(RowPlan.keyColumn), row: row, slab: current, owner: owner,
                    entityNumber: UInt32(truncatingIfNeeded: decoder._withUnsafeGuaranteedRef(\.number))))
            return added
        }

        /// Gives the memory that this takes.
        @inline(never)
        private func startAnother(_ sizes: Sizes) -> Int {
            fullSlabs.append(slab)
            slab = sizes.slab(rows: min(max(entries.count / 4, 16), Sizes.mostRows))
            return slab.footprint
        }

        /// Reads the rows from one end to the other, unless there are too many to stay near the processor.
        func touch() {
            guard entries.count <= Sizes.mostRows else { return }
            for full in fullSlabs { full.touch() }
            slab.touch()
        }

        // MARK: Large groups

        /// Rows of one owner lie side by side.
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

        func range(of owner: UInt32) -> Range<Int> {
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
}
