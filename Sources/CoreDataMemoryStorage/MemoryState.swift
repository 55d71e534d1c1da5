import CoreDataRowStorage

/// The whole content of a store in memory at one moment. A value: readers use a copy that saves do not affect.
package struct MemoryState {
    package let plan: MemoryPlan
    /// The tables by number of the root entity.
    package private(set) var tables: ContiguousArray<MemoryTable>
    package private(set) var lists: ContiguousArray<ReferenceLists>

    /// The last allocated key, in stores with one key sequence for all entities.
    private var lastSharedKey: Int64?

    /// Creates an empty state.
    ///
    /// - Parameter lastSharedKey: The start of the key sequence that all entities share; nil if each hierarchy has its own.
    init(plan: MemoryPlan, lastSharedKey: Int64? = nil) {
        self.plan = plan
        self.lastSharedKey = lastSharedKey
        tables = ContiguousArray(repeating: MemoryTable(), count: plan.layouts.byNumber.count)
        lists = ContiguousArray(repeating: ReferenceLists(), count: plan.listCount)
    }

    package var layouts: ModelLayouts { plan.layouts }

    @inline(__always)
    func row(_ reference: RowReference) -> MemoryRow? {
        guard !reference.isTemporary, let layout = layouts.byNumber[reference.entityNumber] else { return nil }
        return tables[layout.root.number][reference.key]
    }

    /// Returns the members of a row's to-many relationship.
    package func related(
        by relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64
    ) -> ContiguousArray<RowReference> {
        switch plan.storage(of: relationship, in: layout) {
        case .cell, .transient: return []
        case .links(let list, _):
            return lists[list][key].filter { row($0) != nil }
        case .mirror(let list, let order):
            let members = lists[list][key]
            guard let order, members.count > 1 else { return members }
            let present = Set(members)
            let sequence = lists[order][key].filter { present.contains($0) }
            let placed = Set(sequence)
            return sequence + members.filter { !placed.contains($0) }
        }
    }

    mutating func reserveKeys(_ count: Int, of layout: EntityLayout) -> KeyRuns {
        guard let last = lastSharedKey else { return tables[layout.root.number].reserve(count) }
        lastSharedKey = last + Int64(count)
        return KeyRuns(first: last + 1, count: count)
    }

    /// Ensures that keys up to the given one are not allocated again.
    package mutating func skipKeys(to key: Int64, of layout: EntityLayout) {
        tables[layout.root.number].skip(to: key)
        lastSharedKey = lastSharedKey.map { max($0, key) }
    }

    /// Returns the last allocated key of an entity.
    package func lastKey(of layout: EntityLayout) -> Int64 { lastSharedKey ?? tables[layout.root.number].nextKey - 1 }
}

// MARK: - Writing

/// The changes of a save to a ``MemoryState``, computed in advance, so that applying them cannot fail.
package struct MemoryEdit {
    package struct Table {
        package var inserted: [(key: Int64, row: MemoryRow)] = []
        var replaced: [(key: Int64, row: MemoryRow)] = []
        var deleted: Set<Int64> = []

        package init() {}
    }
    /// The changes by number of the root entity.
    package var tables: [Int: Table] = [:]
    /// The changed lists, by list number.
    var lists: [Int: ReferenceEdits] = [:]
    /// The lists to replace as a whole: list number, key, content.
    package var sequences: [(list: Int, key: Int64, content: ContiguousArray<RowReference>)] = []

    package init() {}
}

extension MemoryState {
    package mutating func apply(_ edit: MemoryEdit) {
        var edits = edit.lists
        for (root, table) in edit.tables {
            for (key, row) in table.replaced {
                guard let position = tables[root].position(of: key) else { continue }
                note(cellsOf: row, key: key, replacing: tables[root].rows[position], in: &edits)
                tables[root].replace(at: position, with: row)
            }
            for (key, row) in table.inserted { note(cellsOf: row, key: key, replacing: nil, in: &edits) }
            for key in table.deleted {
                guard let row = tables[root][key] else { continue }
                note(deletionOf: row, key: key, in: &edits)
            }
            tables[root].insert(table.inserted.sorted { $0.key < $1.key })
            tables[root].remove(table.deleted)
        }
        for (list, changes) in edits { lists[list].apply(changes) }
        for (list, key, content) in edit.sequences { lists[list].set(key, content) }
        for (root, table) in edit.tables where !table.deleted.isEmpty {
            for key in table.deleted { forgetLists(ofRoot: root, key: key) }
        }
    }

    /// Updates the mirrors of to-one relationships.
    private func note(
        cellsOf row: MemoryRow, key: Int64, replacing old: MemoryRow?, in edits: inout [Int: ReferenceEdits]
    ) {
        guard let layout = layouts.byNumber[row.entityNumber] else { return }
        let reference = RowReference(entityNumber: row.entityNumber, key: key)
        for (index, storage) in plan.storages(of: layout).enumerated() {
            guard case .cell(let list?) = storage else { continue }
            let cell = layout.relationships[index].cell
            let before = old.flatMap { layout.reference($0.row, cell) }
            let after = layout.reference(row.row, cell)
            guard before != after else { continue }
            if let before { edits[list, default: ReferenceEdits()].remove(reference, from: before.key) }
            if let after { edits[list, default: ReferenceEdits()].add(reference, to: after.key) }
        }
    }

    /// Removes a deleted row from the lists of other rows.
    private func note(deletionOf row: MemoryRow, key: Int64, in edits: inout [Int: ReferenceEdits]) {
        guard let layout = layouts.byNumber[row.entityNumber] else { return }
        let reference = RowReference(entityNumber: row.entityNumber, key: key)
        for (index, storage) in plan.storages(of: layout).enumerated() {
            switch storage {
            case .cell(let list?):
                guard let target = layout.reference(row.row, layout.relationships[index].cell) else { continue }
                edits[list, default: ReferenceEdits()].remove(reference, from: target.key)
            case .links(let list, let inverse?):
                for target in lists[list][key] {
                    edits[inverse, default: ReferenceEdits()].remove(reference, from: target.key)
                }
            default: continue
            }
        }
    }

    /// Drops the lists of a deleted row. Mirrors remain, because they contain the rows that still refer to it.
    private mutating func forgetLists(ofRoot root: Int, key: Int64) {
        for number in layouts.family(of: root) {
            guard let layout = layouts.byNumber[number] else { continue }
            for storage in plan.storages(of: layout) {
                switch storage {
                case .links(let list, _): lists[list].removeList(of: key)
                case .mirror(_, let order?): lists[order].removeList(of: key)
                default: continue
                }
            }
        }
    }
}

extension EntityLayout {
    /// Returns the reference in a to-one relationship's slot.
    @inline(__always)
    package func reference(_ row: UnsafeRawPointer, _ cell: Int) -> RowReference? {
        Self.isPresent(row, cell) ? RowReference(bits: bits(row, cell)) : nil
    }
}
