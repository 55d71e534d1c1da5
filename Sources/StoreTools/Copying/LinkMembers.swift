#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage

/// The members of a to-many relationship of some rows.
struct LinkMembers {
    private(set) var byOwner: [Int64: ContiguousArray<RowReference>] = [:]
    let count: Int

    init(
        _ link: CopyPlan.Link, of page: ContiguousArray<RowReference>.SubSequence, _ session: any StoreSession
    ) throws {
        let sink = Members()
        try session.readToManyRows(
            link.relationship, of: link.layout, keys: ContiguousArray(page.lazy.map(\.key)), into: sink
        ) { sink.owner = $0 }
        byOwner = sink.byOwner
        count = sink.count
    }

    private final class Members: RowSink {
        var owner: Int64 = 0
        var byOwner: [Int64: ContiguousArray<RowReference>] = [:]
        var count = 0

        func next(entityNumber: Int, key: Int64) -> RowDecision {
            byOwner[owner, default: []].append(RowReference(entityNumber: entityNumber, key: key))
            count += 1
            return .skip
        }

        func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) {}
    }
}
#endif
