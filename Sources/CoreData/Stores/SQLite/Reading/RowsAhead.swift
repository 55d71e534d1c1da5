/// The rows of a whole table, told apart by the object each belongs to.
///
/// Rows of one owner, or of a few whose keys follow each other, lie together as if they had been read for them.
final class RowsAhead: @unchecked Sendable {
    /// The file's state in which they were read.
    let state: LogState
    /// How many rows there are.
    private(set) var count = 0
    /// How much memory they take, about.
    private(set) var bytes = 0
    /// The owners whose rows were left out.
    private let leftOut: KeyPositions?
    private let plan: RowPlan
    private let owners: ClosedRange<Int64>
    /// By the owner's distance from the first one, divided by two so many times.
    private var groups: ContiguousArray<Group?>
    private let shift: Int64
    private let usualRows: Int

    private static let fewestInGroup = 64
    private static let mostGroups: Int64 = 1 << 20

    /// - Parameters:
    ///   - owners: the least and the greatest owner's key.
    ///   - usual: how many rows an owner has, about.
    /// - Returns: nil when the owners' keys lie too far apart.
    init?(plan: RowPlan, state: LogState, owners: ClosedRange<Int64>, leftOut: KeyPositions?, usual: Int) {
        var shift: Int64 = 0
        while max(usual, 1) << shift < Self.fewestInGroup { shift += 1 }
        let groups = (owners.upperBound - owners.lowerBound) >> shift + 1
        guard groups <= Self.mostGroups else { return nil }
        self.plan = plan
        self.state = state
        self.leftOut = leftOut
        self.shift = shift
        self.owners = owners
        usualRows = max(usual, 1) << shift
        self.groups = ContiguousArray(repeating: nil, count: Int(groups))
        bytes = Int(groups) * 8
    }

    // MARK: Filling

    /// Whether an owner's rows are to be here.
    @inline(__always)
    func isWanted(_ owner: Int64) -> Bool {
        owner >= owners.lowerBound && owner <= owners.upperBound && leftOut?.position(of: owner) == nil
    }

    func add(_ values: borrowing RowValues, _ decoder: Unmanaged<RowDecoder>, owner: Int64) throws {
        let place = Int((owner - owners.lowerBound) >> shift)
        if groups[place] == nil {
            let group = Group(plan, rows: usualRows)
            groups[place] = group
            bytes += group.firstBytes
        }
        bytes += try groups[place].unsafelyUnwrapped.add(values, decoder, owner: owner, plan)
        count += 1
    }

    // MARK: Using

    /// An owner's rows; nil if they are not here.
    func rows(of owner: Int64) -> OwnerRows? {
        guard isWanted(owner) else { return nil }
        return OwnerRows(owner: owner, group: groups[Int((owner - owners.lowerBound) >> shift)])
    }

    struct OwnerRows {
        let count: Int
        private let owner: Int64
        private let group: Group?

        fileprivate init(owner: Int64, group: Group?) {
            self.owner = owner
            self.group = group
            count = group?.entries.count { $0.owner == owner } ?? 0
        }

        func deliver(into sink: any RowSink) {
            guard let group else { return }
            // The sink may lead to reads which end with all this being let go of.
            withExtendedLifetime(group) {
                for entry in group.entries where entry.owner == owner {
                    if sink.next(entityNumber: entry.entityNumber, key: entry.key) {
                        sink.receive(row: entry.row, in: entry.slab)
                    }
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

        /// Not every owner has as many rows as usual.
        private static let mostAtFirst = 16
        private static let mostLater = 128

        /// The memory that a group without rows takes.
        let firstBytes: Int

        init(_ plan: RowPlan, rows: Int) {
            let rows = min(rows, Self.mostAtFirst)
            slab = Self.slab(plan, rows: rows)
            entries.reserveCapacity(rows)
            firstBytes = slab.footprint
        }

        private static func slab(_ plan: RowPlan, rows: Int) -> RowSlab {
            RowSlab(bytes: max(min((plan.rowBytes + plan.heapBytes) * rows, 1 << 20), plan.rowBytes))
        }

        /// Gives the memory that is taken for the row, about: that of a new slab, and text that lies beside one.
        @inline(__always)
        func add(
            _ values: borrowing RowValues, _ decoder: Unmanaged<RowDecoder>, owner: Int64, _ plan: RowPlan
        ) throws -> Int {
            var footprint = slab.footprint
            var row = try decoder._withUnsafeGuaranteedRef { try $0.decode(values, into: slab) }
            if row == nil {
                fullSlabs.append(slab)
                slab = Self.slab(plan, rows: min(max(entries.count, 1), Self.mostLater))
                footprint = 0
                row = try decoder._withUnsafeGuaranteedRef { try $0.decode(values, into: slab) }
            }
            guard let row else {
                fatalError("A slab with room for a row of \(plan.rowBytes) bytes takes none.")
            }
            entries.append(
                Entry(
                    owner: owner, key: values.integer(RowPlan.keyColumn),
                    entityNumber: decoder._withUnsafeGuaranteedRef(\.number), row: row, slab: slab))
            return slab.footprint - footprint + MemoryLayout<Entry>.stride
        }
    }
}
