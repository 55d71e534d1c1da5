import CoreDataRowStorage
import CoreDataRuntimeSupport

extension FaultySession {
    // MARK: Reading by key

    func readRows(keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink) throws {
        let buffer = RowBuffer()
        try base.readRows(keys: keys, of: layout, into: buffer)
        switch fault {
        case .keepsRowsAfterRenewal where keys.count == 1:
            let reference = RowReference(entityNumber: layout.root.number, key: keys[0])
            engine.memory.withLock { memory in
                if memory.isRenewed, let known = memory.rows[reference] { buffer.rows = [known] }
                memory.rows[reference] = buffer.rows.first
            }
        case .losesARowAfterRenewal where keys.count == 1:
            engine.memory.withLock { memory in
                if memory.isRenewed { buffer.rows = [] }
                memory.isRenewed = false
            }
        case .losesAKey: buffer.rows = Array(buffer.rows.dropFirst())
        case .readsAKeyTwice: buffer.rows += buffer.rows.prefix(1)
        case .readsOneValueForAnother:
            if buffer.rows.count > 1 {
                (buffer.rows[0].row, buffer.rows[1].row) = (buffer.rows[1].row, buffer.rows[0].row)
                (buffer.rows[0].slab, buffer.rows[1].slab) = (buffer.rows[1].slab, buffer.rows[0].slab)
            }
        case .inventsRows:
            if let row = buffer.rows.first, keys.count > buffer.rows.count {
                for key in keys where !buffer.rows.contains(where: { $0.key == key }) {
                    buffer.rows.append(
                        RowBuffer.Row(entityNumber: row.entityNumber, key: key, row: row.row, slab: row.slab))
                }
            }
        default: break
        }
        buffer.deliver(into: sink, always: fault == .deliversUnwantedValues)
    }

    // MARK: To-many relationships

    func readToMany(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64
    ) throws -> ContiguousArray<RowReference> {
        let found = try base.readToMany(relationship, of: layout, key: key)
        return switch fault {
        case .losesAMember: ContiguousArray(found.dropLast())
        case .forgetsOrder: ContiguousArray(found.sorted { $0.bits < $1.bits })
        default: found
        }
    }

    func readToManyRows(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, keys: ContiguousArray<Int64>,
        into sink: any RowSink, group: (Int64) -> Void
    ) throws {
        var groups: [(key: Int64, rows: RowBuffer)] = []
        let buffer = RowBuffer()
        var starts: [(key: Int64, first: Int)] = []
        try base.readToManyRows(relationship, of: layout, keys: keys, into: buffer) {
            starts.append(($0, buffer.rows.count))
        }
        for (index, start) in starts.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1].first : buffer.rows.count
            let rows = RowBuffer()
            rows.rows = Array(buffer.rows[start.first..<end])
            if fault == .losesAMemberOfMany { rows.rows = rows.rows.dropLast() }
            if fault == .forgetsOrderOfMany { rows.rows.sort { $0.key < $1.key } }
            groups.append((start.key, rows))
        }
        if fault == .mixesUpOwners, groups.count > 1 {
            (groups[0].key, groups[1].key) = (groups[1].key, groups[0].key)
        }
        for (key, rows) in groups {
            group(key)
            if fault == .announcesOwnersTwice { group(key) }
            rows.deliver(into: sink, always: fault == .deliversUnwantedValues)
        }
    }
}
