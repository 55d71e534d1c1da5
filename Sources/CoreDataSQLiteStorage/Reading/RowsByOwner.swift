import CoreDataRowStorage

/// Rows read in table order and grouped by the object they belong to.
///
/// Rows of one owner, or of a few with adjacent keys, share a slab, as if they had been read together.
final class RowsByOwner: @unchecked Sendable {
    /// The number of rows.
    @exclusivity(unchecked) private(set) var count = 0
    /// Their approximate size in memory, in bytes.
    @exclusivity(unchecked) private(set) var bytes: Int
    private let owners: ClosedRange<Int64>
    /// The groups by the owner's offset from the first owner, shifted right by `shift`. Unmanaged, because rows arrive in any
    /// order: retaining a group would touch its memory, a cache miss for every row.
    private let groups: UnsafeMutablePointer<Unmanaged<RowGroup>?>
    private let groupCount: Int
    private let shift: Int64
    private let plan: RowPlan
    private let sizes: RowGroup.Sizes

    private static let fewestInGroup = 64
    private static let mostGroups: Int64 = 1 << 20
    private static let largestShift: Int64 = 6

    /// Creates an empty collection.
    ///
    /// - Parameters:
    ///   - owners: the smallest and the largest owner's key.
    ///   - usual: the estimated number of rows of an owner.
    ///   - heapBytes: the estimated size of a row's text and data.
    /// - Returns: nil if the range of the owners' keys is too large.
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

    /// Returns true if the owner's key is in the range.
    @inline(__always)
    func takes(_ owner: Int64) -> Bool { owners.contains(owner) }

    /// Adds a row of an owner in the range.
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

    /// Finishes filling. Call it after the last row.
    func finish() {
        var textBytes = 0
        for place in 0..<groupCount {
            guard let group = groups[place]?.takeUnretainedValue() else { continue }
            textBytes += group.textBytes
            if shift > 0 { group.sortIfLarge() }
        }
        plan.noteHeap(textBytes, rows: count)
    }

    // MARK: Reading

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

        /// Brings the rows into the processor's cache. Call it before ``deliver(into:)`` if the rows are about to be used:
        /// they were read some time ago, and the members of a set are used in an order that the processor cannot predict,
        /// with a cache miss for each.
        func touch() {
            if let group, count == group.count { group.touch() }
        }

        /// Delivers the rows to a sink.
        ///
        /// - Returns: false if the sink stopped.
        @discardableResult
        func deliver(into sink: any RowSink) -> Bool {
            guard let group else { return true }
            // The sink may start reads that release this collection.
            return withExtendedLifetime(group) { group.deliver(rowsOf: owner, into: sink) }
        }
    }
}
