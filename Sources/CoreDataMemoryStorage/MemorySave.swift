import CoreDataRowStorage
import Foundation

/// Computes the changes of a save to the rows in memory, and its conflicts.
struct MemorySave {
    let changes: StoreChanges
    let state: MemoryState
    private let assigned: [Int64: Int64]
    private let reserve: (Int, EntityLayout) -> KeyRuns
    private(set) var keys = SavedKeys()
    var edit = MemoryEdit()
    /// The permanent references of the rows with temporary keys.
    private var saved: [Int64: RowReference] = [:]
    /// The destinations of the saved rows' relationships.
    private var targets = ReferenceTargets()

    init(
        _ changes: StoreChanges, state: MemoryState, assigned: [Int64: Int64] = [:],
        reserve: @escaping (Int, EntityLayout) -> KeyRuns
    ) {
        self.changes = changes
        self.state = state
        self.assigned = assigned
        self.reserve = reserve
    }

    mutating func prepare() throws -> MemoryEdit {
        try checkVersions()
        assignKeys()
        for group in changes.deletes where !group.rows.isEmpty {
            edit.tables[group.layout.root.number, default: .init()].deleted.formUnion(group.rows.map(\.key))
        }
        try addInserts()
        try addUpdates()
        try endReferences()
        try addToMany()
        targets.note(changes.toMany)
        try checkDestinations()
        return edit
    }

    /// Checks that the destinations of all saved relationships exist.
    private func checkDestinations() throws {
        guard !targets.isEmpty else { return }
        var missing: Set<RowReference> = []
        for (root, wanted) in targets.unwritten(by: changes, state.layouts) {
            let deleted = edit.tables[root]?.deleted ?? []
            for (key, reference) in wanted where deleted.contains(key) || state.tables[root][key] == nil {
                missing.insert(reference)
            }
        }
        if !missing.isEmpty { throw MissingDestinations(references: missing) }
    }

    // MARK: Conflicts

    private func checkVersions() throws {
        var conflicts = StoreConflicts()
        for group in changes.updates + changes.deletes + changes.locked {
            let table = state.tables[group.layout.root.number]
            for row in group.rows {
                let current = table[row.key]
                if let current, EntityLayout.version(current.row) == row.version { continue }
                conflicts.changed.append(
                    StoreConflicts.Changed(
                        layout: group.layout, key: row.key, knownVersion: row.version,
                        current: current.map { ($0.row, $0.slab) }))
            }
        }
        if !conflicts.changed.isEmpty { throw conflicts }
    }

    // MARK: Keys

    private mutating func assignKeys() {
        let temporary = changes.inserts.lazy.flatMap(\.rows).map(\.key).filter { $0 < 0 }
        var bounds: (low: Int64, high: Int64, count: Int)?
        for key in temporary {
            bounds = bounds.map { (min($0.low, key), max($0.high, key), $0.count + 1) } ?? (key, key, 1)
        }
        if let bounds { keys = SavedKeys(expecting: bounds.low...bounds.high, count: bounds.count) }
        for group in changes.inserts {
            let count = group.rows.count { $0.key < 0 && assigned[$0.key] == nil }
            var reserved = count > 0 ? reserve(count, group.layout).makeIterator() : nil
            for row in group.rows where row.key < 0 {
                guard let key = assigned[row.key] ?? reserved?.next() else { continue }
                keys[row.key] = key
                saved[row.key] = RowReference(entityNumber: group.layout.number, key: key)
            }
        }
    }

    /// Returns the permanent form of a reference.
    private func resolve(_ reference: RowReference, for name: String, of layout: EntityLayout) throws -> RowReference {
        guard reference.isTemporary else { return reference }
        guard let found = saved[reference.bits] else {
            throw CoreDataError.make(
                NSManagedObjectReferentialIntegrityError,
                description: "The relationship \(layout.name).\(name) leads to an object that is not being saved.",
                reason: "An object that was never saved and is not part of this save is related to one that is.",
                entity: layout.name, key: name)
        }
        return found
    }

    // MARK: Rows

    private mutating func addInserts() throws {
        for group in changes.inserts where !group.rows.isEmpty {
            let slab = RowSlab(rowBytes: group.layout.rowBytes * group.rows.count, heapBytes: 1024)
            var inserted: [(key: Int64, row: MemoryRow)] = []
            inserted.reserveCapacity(group.rows.count)
            for change in group.rows {
                let row = try makeRow(of: group.layout, in: slab)
                try copy(change, of: group.layout, to: row, in: slab) { _ in true }
                EntityLayout.setVersion(row, change.version + 1)
                let key = change.key < 0 ? saved[change.key]?.key ?? change.key : change.key
                inserted.append((key, MemoryRow(entityNumber: group.layout.number, row: row, slab: slab)))
            }
            edit.tables[group.layout.root.number, default: .init()].inserted += inserted
        }
    }

    private mutating func addUpdates() throws {
        for group in changes.updates where !group.rows.isEmpty {
            let layout = group.layout
            let slab = RowSlab(rowBytes: layout.rowBytes * group.rows.count, heapBytes: 1024)
            let table = state.tables[layout.root.number]
            var replaced: [(key: Int64, row: MemoryRow)] = []
            replaced.reserveCapacity(group.rows.count)
            for change in group.rows {
                guard let old = table[change.key] else { continue }
                let row = try makeRow(of: layout, in: slab)
                let before = StoreChanges.Row(key: change.key, version: change.version, row: old.row, slab: old.slab)
                try copy(before, of: layout, to: row, in: slab, isChange: false) {
                    !change.hasChanged($0, of: layout)
                }
                try copy(change, of: layout, to: row, in: slab) { change.hasChanged($0, of: layout) }
                EntityLayout.setVersion(row, change.version + 1)
                replaced.append((change.key, MemoryRow(entityNumber: layout.number, row: row, slab: slab)))
            }
            edit.tables[layout.root.number, default: .init()].replaced += replaced
        }
    }

    func makeRow(of layout: EntityLayout, in slab: RowSlab) throws -> UnsafeMutableRawPointer {
        guard let row = slab.makeRow(bytes: layout.rowBytes) else {
            preconditionFailure("The slab was made too small.")
        }
        return row
    }

    mutating func copy(
        _ source: StoreChanges.Row, of layout: EntityLayout, to row: UnsafeMutableRawPointer, in slab: RowSlab,
        isChange: Bool = true, where isWanted: (Int) -> Bool
    ) throws {
        for cell in layout.cells {
            let index = cell.index
            guard !cell.isTransient, cell.kind != .boxed, isWanted(index), EntityLayout.isPresent(source.row, index)
            else { continue }
            let bits = layout.bits(source.row, index)
            if cell.kind.usesHeap {
                let value = HeapRange(bits: bits)
                let copy =
                    try value.file.map { try append($0, of: cell, layout, to: slab) }
                    ?? slab.append(value.start, count: value.count)
                layout.set(row, index, copy.bits)
            } else if cell.kind == .reference {
                if !isChange, endsReference(bits, of: cell, layout) { continue }
                let reference = try resolve(RowReference(bits: bits), for: cell.name, of: layout)
                // A temporary key has just been resolved to a row of this save.
                if isChange { targets.note(RowReference(bits: bits)) }
                layout.set(row, index, UInt64(bitPattern: reference.bits))
            } else {
                layout.set(row, index, bits)
            }
        }
    }

    /// Adds a value in a file of another store, by reading it into memory.
    private func append(
        _ file: ValueFile, of cell: EntityLayout.Cell, _ layout: EntityLayout, to slab: RowSlab
    ) throws -> HeapRange {
        do {
            return try file.contents().withUnsafeBytes { slab.append($0.baseAddress, count: $0.count) }
        } catch let missing as ValueFolder.Missing {
            throw MissingExternalValue.error(for: missing, layout.name, cell.name, of: nil)
        }
    }

    // MARK: To-many relationships

    private mutating func addToMany() throws {
        for change in changes.toMany {
            let name = change.relationship.name
            let source = try resolve(change.source, for: name, of: change.layout)
            let order = try change.order?.map { try resolve($0, for: name, of: change.layout) }
            switch state.plan.storage(of: change.relationship, in: change.layout) {
            case .cell, .mirror(_, order: nil), .transient: continue
            case .mirror(_, let list?):
                if let order { edit.sequences.append((list, source.key, ContiguousArray(order))) }
            case .links(let list, let inverse):
                for reference in change.added {
                    let target = try resolve(reference, for: name, of: change.layout)
                    edit.lists[list, default: .init()].add(target, to: source.key)
                    if let inverse { edit.lists[inverse, default: .init()].add(source, to: target.key) }
                }
                for reference in change.removed where !reference.isTemporary {
                    edit.lists[list, default: .init()].remove(reference, from: source.key)
                    if let inverse { edit.lists[inverse, default: .init()].remove(source, from: reference.key) }
                }
                if let order { edit.sequences.append((list, source.key, ContiguousArray(order))) }
            }
        }
    }
}

extension StoreChanges.Row {
    /// Returns true if an updated row's slot differs from the saved one.
    @inline(__always)
    func hasChanged(_ index: Int, of layout: EntityLayout) -> Bool {
        let word = row.load(fromByteOffset: layout.changedOffset + (index >> 6) << 3, as: UInt64.self)
        return word & (1 << UInt64(index & 63)) != 0
    }
}
