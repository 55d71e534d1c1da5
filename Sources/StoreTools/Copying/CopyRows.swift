#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage

/// Makes the rows that are written from those that were read.
struct CopyRows {
    let plan: CopyPlan
    let limits: CopyLimits

    /// Returns the changes that insert rows under their keys.
    func inserts(_ rows: CollectedRows, of root: EntityLayout) throws -> StoreChanges {
        let changes = StoreChanges()
        var groups: [Int: StoreChanges.Group] = [:]
        for read in rows.rows {
            guard let layout = plan.layouts.byNumber[read.entityNumber] else { continue }
            let (row, slab, isLate) = insert(read.row, read.slab, read.key, layout, root)
            // Writing the late references advances the version again.
            let version = isLate ? Self.lateVersion(read.row) - 2 : max(EntityLayout.version(read.row), 1) - 1
            groups[layout.number, default: StoreChanges.Group(layout: layout)].append(
                StoreChanges.Row(key: read.key, version: version, row: row, slab: slab))
        }
        changes.inserts = groups.sorted { $0.key < $1.key }.map(\.value)
        return changes
    }

    /// Returns the changes that set the references which ``inserts(_:of:)`` has left out; nil if there are none.
    func updates(_ rows: CollectedRows, of root: EntityLayout) throws -> StoreChanges? {
        var groups: [Int: StoreChanges.Group] = [:]
        for read in rows.rows {
            guard let layout = plan.layouts.byNumber[read.entityNumber] else { continue }
            let late = layout.cells.filter { cell in
                guard cell.kind == .reference, !cell.isTransient, EntityLayout.isPresent(read.row, cell.index)
                else { return false }
                let reference = RowReference(bits: layout.bits(read.row, cell.index))
                return plan.isLate(reference, from: read.key, of: root) && plan.contains(reference)
            }
            guard !late.isEmpty else { continue }
            let slab = RowSlab(rowBytes: layout.ownRowBytes, heapBytes: 0)
            guard let row = slab.makeRow(bytes: layout.ownRowBytes) else { continue }
            (row + 4).storeBytes(of: UInt32(layout.changedOffset), as: UInt32.self)
            for cell in late {
                layout.set(row, cell.index, layout.bits(read.row, cell.index))
                let word = row + layout.changedOffset + (cell.index >> 6) << 3
                word.storeBytes(of: word.load(as: UInt64.self) | 1 << UInt64(cell.index & 63), as: UInt64.self)
            }
            let version = Self.lateVersion(read.row) - 1
            EntityLayout.setVersion(row, version)
            groups[layout.number, default: StoreChanges.Group(layout: layout)].append(
                StoreChanges.Row(key: read.key, version: version, row: row, slab: slab))
        }
        guard !groups.isEmpty else { return nil }
        let changes = StoreChanges()
        changes.updates = groups.sorted { $0.key < $1.key }.map(\.value)
        return changes
    }

    private static func lateVersion(_ row: UnsafeRawPointer) -> UInt32 { max(EntityLayout.version(row), 2) }

    /// Returns the row to insert: the one that was read, or a copy with other values.
    private func insert(
        _ row: UnsafeMutableRawPointer, _ slab: RowSlab, _ key: Int64, _ layout: EntityLayout, _ root: EntityLayout
    ) -> (UnsafeMutableRawPointer, RowSlab, isLate: Bool) {
        var changed: [(EntityLayout.Cell, CopyLimits.Value)] = []
        var isLate = false
        for cell in layout.cells where !cell.isTransient && !cell.isDerived && cell.kind != .boxed {
            let value = limits.value(cell, of: row, key, layout)
            switch value {
            case .same:
                if cell.kind == .reference, EntityLayout.isPresent(row, cell.index),
                    plan.isLate(RowReference(bits: layout.bits(row, cell.index)), from: key, of: root)
                {
                    isLate = true
                    changed.append((cell, .none))
                }
            case .none:
                if EntityLayout.isPresent(row, cell.index) { changed.append((cell, .none)) }
            case .bits, .bytes: changed.append((cell, value))
            }
        }
        guard !changed.isEmpty else { return (row, slab, false) }
        let heap = changed.reduce(0) { sum, change in
            if case .bytes(let bytes) = change.1 { return sum + bytes.count + HeapRange.longLengthBytes }
            return sum
        }
        let own = RowSlab(rowBytes: layout.rowBytes, heapBytes: heap)
        guard let copy = own.makeRow(bytes: layout.rowBytes) else { return (row, slab, false) }
        // The other texts stay where they are.
        own.borrow(from: slab)
        copy.copyMemory(from: row, byteCount: layout.rowBytes)
        for (cell, value) in changed {
            switch value {
            case .none: layout.clear(copy, cell.index)
            case .bits(let bits): layout.set(copy, cell.index, bits)
            case .bytes(let bytes):
                layout.set(
                    copy, cell.index,
                    bytes.withUnsafeBytes { own.append($0.baseAddress, count: $0.count) }.bits)
            case .same: break
            }
        }
        return (copy, own, isLate)
    }
}
#endif
