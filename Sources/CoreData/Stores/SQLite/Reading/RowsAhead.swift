/// The rows of a whole table, told apart by the object each belongs to.
///
/// Rows of one owner, or of a few whose keys follow each other, lie together as if they had been read for them.
final class RowsAhead: @unchecked Sendable {
    /// The file's state in which they were read.
    let state: LogState
    /// How many rows there are.
    private(set) var count = 0
    /// The owners whose rows were left out.
    private let leftOut: KeyPositions?
    private let plan: RowPlan
    private let firstOwner: Int64
    private let lastOwner: Int64
    /// By the owner's distance from the first one, divided by two so many times.
    private var groups: ContiguousArray<Group?>
    private let shift: Int64
    private let rowsOfGroup: Int

    private static let fewestInGroup = 64
    private static let mostInGroup = 128

    /// - Parameters:
    ///   - owners: the least and the greatest owner's key.
    ///   - usual: how many rows an owner has, about.
    init?(plan: RowPlan, state: LogState, owners: ClosedRange<Int64>, leftOut: KeyPositions?, usual: Int) {
        var shift: Int64 = 0
        while max(usual, 1) << shift < Self.fewestInGroup { shift += 1 }
        let groups = (owners.upperBound - owners.lowerBound) >> shift + 1
        guard groups <= Self.mostGroups else { return nil }
        self.plan = plan
        self.state = state
        self.leftOut = leftOut
        self.shift = shift
        (firstOwner, lastOwner) = (owners.lowerBound, owners.upperBound)
        rowsOfGroup = min(max(usual, 1) << shift, Self.mostInGroup)
        self.groups = ContiguousArray(repeating: nil, count: Int(groups))
    }

    private static let mostGroups: Int64 = 1 << 20

    // MARK: Filling

    func isWanted(_ owner: Int64) -> Bool {
        owner >= firstOwner && owner <= lastOwner && leftOut?.position(of: owner) == nil
    }

    func add(_ values: borrowing RowValues, _ decoder: Unmanaged<RowDecoder>, owner: Int64) throws {
        let place = Int((owner - firstOwner) >> shift)
        let group = groups[place] ?? makeGroup(place)
        try group.add(values, decoder, owner: owner, plan)
        count += 1
    }

    private func makeGroup(_ place: Int) -> Group {
        let group = Group(plan, rows: rowsOfGroup)
        groups[place] = group
        return group
    }

    // MARK: Using

    /// An owner's rows; nil if they were left out.
    func rows(of owner: Int64) -> OwnerRows? {
        guard leftOut?.position(of: owner) == nil else { return nil }
        // Everybody else's rows are here: who has none among them has none.
        guard isWanted(owner) else { return OwnerRows(owner: owner, group: nil) }
        return OwnerRows(owner: owner, group: groups[Int((owner - firstOwner) >> shift)])
    }

    struct OwnerRows {
        fileprivate let owner: Int64
        fileprivate let group: Group?

        var count: Int { group?.entries.count { $0.owner == owner } ?? 0 }

        func deliver(into sink: any RowSink) {
            guard let group else { return }
            for entry in group.entries where entry.owner == owner {
                if sink.next(entityNumber: entry.entityNumber, key: entry.key) {
                    sink.receive(row: entry.row, in: entry.slab)
                }
            }
        }
    }

    fileprivate final class Group {
        struct Entry {
            let owner: Int64
            let key: Int64
            let entityNumber: Int
            let row: UnsafeMutableRawPointer
            /// Kept by the group.
            unowned(unsafe) let slab: RowSlab
        }

        @exclusivity(unchecked) private(set) var entries: ContiguousArray<Entry> = []
        @exclusivity(unchecked) private var slab: RowSlab
        @exclusivity(unchecked) private var fullSlabs: ContiguousArray<RowSlab> = []

        init(_ plan: RowPlan, rows: Int) {
            slab = RowSlab(bytes: (plan.rowBytes + plan.heapBytes) * rows)
            entries.reserveCapacity(rows)
        }

        func add(
            _ values: borrowing RowValues, _ decoder: Unmanaged<RowDecoder>, owner: Int64, _ plan: RowPlan
        ) throws {
            let row = try decode(values, decoder, plan)
            entries.append(
                Entry(
                    owner: owner, key: values.integer(RowPlan.keyColumn),
                    entityNumber: decoder._withUnsafeGuaranteedRef(\.number), row: row, slab: slab))
        }

        @inline(__always)
        private func decode(
            _ values: borrowing RowValues, _ decoder: Unmanaged<RowDecoder>, _ plan: RowPlan
        ) throws -> UnsafeMutableRawPointer {
            if let row = try decoder._withUnsafeGuaranteedRef({ try $0.decode(values, into: slab) }) { return row }
            fullSlabs.append(slab)
            slab = RowSlab(bytes: (plan.rowBytes + plan.heapBytes) * max(entries.count / 2, 1))
            guard let row = try decoder._withUnsafeGuaranteedRef({ try $0.decode(values, into: slab) }) else {
                fatalError("A slab with room for a row of \(plan.rowBytes) bytes takes none.")
            }
            return row
        }
    }
}
