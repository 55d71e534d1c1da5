import CoreDataRowStorage

extension MemorySave {
    /// Whether a row's to-one ends with this save: it leads to a row that is deleted, and the relationship that leads back has a rule
    /// for that. SQLite's engine has the same rule.
    func endsReference(_ bits: UInt64, of cell: EntityLayout.Cell, _ layout: EntityLayout) -> Bool {
        let reference = RowReference(bits: bits)
        guard !changes.deletes.isEmpty, let target = state.layouts.byNumber[reference.entityNumber],
            edit.tables[target.root.number]?.deleted.contains(reference.key) ?? false,
            let inverse = layout.relationships[cell.relationshipIndex].inverse
        else { return false }
        return target.relationships.contains { $0.name == inverse.name && $0.deleteRule != .noAction }
    }

    /// Ends the to-ones to deleted rows of rows that this save does not write: a context may have related them to a deleted one since
    /// this one read its members, or have read them again.
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

    /// The rows whose to-one of that name leads to a deleted row. No list beside the rows tells them.
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
