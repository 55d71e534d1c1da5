import CoreDataRowStorage

extension MemorySave {
    /// Returns true if this save clears a row's to-one relationship: its destination is deleted, and the inverse relationship
    /// has a delete rule that applies. SQLite's engine has the same rule.
    func endsReference(_ bits: UInt64, of cell: EntityLayout.Cell, _ layout: EntityLayout) -> Bool {
        let reference = RowReference(bits: bits)
        guard !changes.deletes.isEmpty, let target = state.layouts.byNumber[reference.entityNumber],
            edit.tables[target.root.number]?.deleted.contains(reference.key) ?? false,
            let inverse = layout.relationships[cell.relationshipIndex].inverse
        else { return false }
        return target.relationships.contains { $0.name == inverse.name && $0.deleteRule != .noAction }
    }

    /// Clears to-one relationships to deleted rows in rows that this save does not write: another context may have added them
    /// after this one read the members, or this one may have read them again.
    mutating func endReferences() throws {
        var sources: Set<RowReference> = []
        for group in changes.deletes where !group.rows.isEmpty {
            for relationship in group.layout.relationships {
                guard relationship.deleteRule != .noAction, let inverse = relationship.inverse, !inverse.isToMany
                else { continue }
                switch state.plan.storage(of: relationship, in: group.layout) {
                case .mirror(let list, _): for row in group.rows { sources.formUnion(state.lists[list][row.key]) }
                case .cell: sources.formUnion(self.sources(of: inverse, at: relationship.destinationNumber))
                case .links, .transient: continue
                }
            }
        }
        guard !sources.isEmpty else { return }
        let written = edit.tables.mapValues { $0.deleted.union($0.replaced.lazy.map(\.key)) }
        for source in sources {
            guard let layout = state.layouts.byNumber[source.entityNumber], let old = state.row(source),
                written[layout.root.number]?.contains(source.key) != true
            else { continue }
            let slab = RowSlab(rowBytes: layout.rowBytes, heapBytes: 64)
            let row = try makeRow(of: layout, in: slab)
            let version = EntityLayout.version(old.row)
            let before = StoreChanges.Row(key: source.key, version: version, row: old.row, slab: old.slab)
            try copy(before, of: layout, to: row, in: slab, isChange: false) { _ in true }
            EntityLayout.setVersion(row, version + 1)
            edit.tables[layout.root.number, default: .init()].replaced.append(
                (source.key, MemoryRow(entityNumber: layout.number, row: row, slab: slab)))
        }
    }

    /// Returns the rows with a to-one relationship of that name to a deleted row. No list contains them, so all rows are
    /// scanned.
    private func sources(of inverse: EntityLayout.Inverse, at number: Int) -> [RowReference] {
        guard let destination = state.layouts.byNumber[number] else { return [] }
        let table = state.tables[destination.root.number]
        return table.rows.indices.compactMap { position in
            let row = table.rows[position]
            guard let layout = state.layouts.byNumber[row.entityNumber],
                case .cell(let cell)? = layout.members[inverse.name], !layout.cells[cell].isTransient,
                let reference = layout.reference(row.row, cell),
                endsReference(UInt64(bitPattern: reference.bits), of: layout.cells[cell], layout)
            else { return nil }
            return RowReference(entityNumber: row.entityNumber, key: table.keys[position])
        }
    }
}
