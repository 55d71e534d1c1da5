import CoreDataRowStorage

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
    private let groups: UnsafeMutablePointer<Unmanaged<RowGroup>?>
    private let groupCount: Int
    private let shift: Int64
    private let plan: RowPlan
    private let sizes: RowGroup.Sizes

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
        sizes = RowGroup.Sizes(
            plan, heapBytes: heapBytes, usualRows: max(usual, 1) << shift, groups: groupCount, hasOneOwner: shift == 0)
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
    private func makeGroup(_ place: Int) -> Unmanaged<RowGroup> {
        let group = RowGroup(sizes)
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
        private let group: RowGroup?

        fileprivate init(owner: UInt32, group: RowGroup?) {
            self.owner = owner
            self.group = group
            count = group?.count(of: owner) ?? 0
        }

        /// To be called ahead of ``deliver(into:)`` when the rows are about to be looked at. They were read some time ago, and
        /// an object's messages, say, are looked at in the order of a set, which the processor cannot foresee: it would wait
        /// for each.
        func touch() {
            if let group, count == group.count { group.touch() }
        }

        /// - Returns: false when the sink wants no more.
        @discardableResult
        func deliver(into sink: any RowSink) -> Bool {
            guard let group else { return true }
            // The sink may lead to reads which end with all this being let go of.
            return withExtendedLifetime(group) { group.deliver(rowsOf: owner, into: sink) }
        }
    }
}
