import CoreDataRowStorage

/// Everything a store in memory holds, at one moment. A value: readers take a copy and are not disturbed by saves.
package struct MemoryState {
    package let plan: MemoryPlan
    /// By number of the root entity.
    package private(set) var tables: ContiguousArray<MemoryTable>
    package private(set) var lists: ContiguousArray<ReferenceLists>

    /// The last key handed out, in stores whose entities number their rows together.
    private var lastSharedKey: Int64?

    /// - Parameter lastSharedKey: Where keys begin if all entities share one sequence; nil gives each hierarchy its own.
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

    /// The rows a to-many relationship of a row leads to.
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

    /// Sees to it that keys up to these are not handed out again.
    package mutating func skipKeys(to key: Int64, of layout: EntityLayout) {
        tables[layout.root.number].skip(to: key)
        lastSharedKey = lastSharedKey.map { max($0, key) }
    }

    /// The last key handed out for an entity.
    package func lastKey(of layout: EntityLayout) -> Int64 { lastSharedKey ?? tables[layout.root.number].nextKey - 1 }
}

// MARK: - Writing

/// What a save does to a ``MemoryState``: worked out beforehand, so that applying it cannot fail.
package struct MemoryEdit {
    package struct Table {
        package var inserted: [(key: Int64, row: MemoryRow)] = []
        var replaced: [(key: Int64, row: MemoryRow)] = []
        var deleted: Set<Int64> = []

        package init() {}
    }
    /// By number of the root entity.
    package var tables: [Int: Table] = [:]
    /// By list number.
    var lists: [Int: ReferenceEdits] = [:]
    /// Lists written as a whole: list number, key, content.
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

    /// Keeps the mirrors of to-one relationships right.
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

    /// Takes a row that goes out of everybody else's lists.
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

    /// Drops the lists a deleted row had itself. Mirrors stay: they say who still points to it.
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
    /// The content of a to-one relationship's cell.
    @inline(__always)
    package func reference(_ row: UnsafeRawPointer, _ cell: Int) -> RowReference? {
        Self.isPresent(row, cell) ? RowReference(bits: bits(row, cell)) : nil
    }
}
