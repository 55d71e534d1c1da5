import CoreDataRowStorage
import Foundation

/// Puts together what a save writes, as a context would.
final class SaveBuilder {
    let changes = StoreChanges()
    private var lastTemporary: Int64 = 0

    /// A new row; gives its reference, which is temporary unless it has a reserved key.
    @discardableResult
    func insert(_ entity: String, _ values: [String: Any?] = [:], key: Int64? = nil) -> RowReference {
        let layout = Bookshop.layout(entity)
        if key == nil { lastTemporary -= 1 }
        let key = key ?? lastTemporary
        add(makeRow(layout, key: key, version: 0, values), of: layout, to: &changes.inserts)
        return RowReference(entityNumber: layout.number, key: key)
    }

    /// New values for some properties; none at all for a row of which only a to-many relationship changed.
    func update(_ row: StoredRow, _ values: [String: Any?] = [:], version: UInt32? = nil) {
        let all = row.values.mapValues(Optional.some).merging(values) { _, new in new }
        let made = makeRow(row.layout, key: row.key, version: version ?? row.version, all)
        for name in values.keys {
            guard let cell = row.layout.cell(named: name) else { preconditionFailure("No cell \(name).") }
            let word = made.row + row.layout.changedOffset + (cell.index >> 6) << 3
            word.storeBytes(of: word.load(as: UInt64.self) | 1 << UInt64(cell.index & 63), as: UInt64.self)
        }
        add(made, of: row.layout, to: &changes.updates)
    }

    func delete(_ row: StoredRow, version: UInt32? = nil) {
        add(copy(of: row, version), of: row.layout, to: &changes.deletes)
    }

    /// A row to be checked for conflicts only.
    func lock(_ row: StoredRow, version: UInt32? = nil) {
        add(copy(of: row, version), of: row.layout, to: &changes.locked)
    }

    func link(
        _ source: RowReference, _ entity: String, _ relationship: String, add added: [RowReference] = [],
        remove removed: [RowReference] = [], order: [RowReference]? = nil
    ) {
        changes.toMany.append(
            StoreChanges.LinkChanges(
                layout: Bookshop.layout(entity), relationship: Bookshop.relationship(relationship, of: entity),
                source: source, added: ContiguousArray(added), removed: ContiguousArray(removed),
                order: order.map { ContiguousArray($0) }))
    }

    private func copy(of row: StoredRow, _ version: UInt32?) -> StoreChanges.Row {
        makeRow(row.layout, key: row.key, version: version ?? row.version, row.values.mapValues(Optional.some))
    }

    private func makeRow(
        _ layout: EntityLayout, key: Int64, version: UInt32, _ values: [String: Any?]
    ) -> StoreChanges.Row {
        let slab = RowSlab(rowBytes: layout.ownRowBytes)
        guard let row = slab.makeRow(bytes: layout.ownRowBytes) else { preconditionFailure("The slab is too small.") }
        for (name, value) in values {
            guard let cell = layout.cell(named: name) else { preconditionFailure("\(layout.name) has no \(name).") }
            if let reference = value as? RowReference {
                layout.set(row, cell.index, UInt64(bitPattern: reference.bits))
                continue
            }
            switch CellCoding.encode(value, as: cell) {
            case .absent: break
            case .bits(let bits): layout.set(row, cell.index, bits)
            case .bytes(let data):
                let range = data.withUnsafeBytes { slab.append($0.baseAddress, count: $0.count) }
                layout.set(row, cell.index, range.bits)
            case .boxed, .mismatch: preconditionFailure("\(layout.name).\(name) cannot be \(value ?? "nil").")
            }
        }
        EntityLayout.setVersion(row, version)
        slabs.append(slab)
        return StoreChanges.Row(key: key, version: version, row: row, slab: slab)
    }

    private var slabs: [RowSlab] = []

    private func add(_ row: StoreChanges.Row, of layout: EntityLayout, to groups: inout [StoreChanges.Group]) {
        let index = groups.firstIndex { $0.layout === layout } ?? groups.count
        if index == groups.count { groups.append(StoreChanges.Group(layout: layout)) }
        groups[index].append(row)
    }
}
