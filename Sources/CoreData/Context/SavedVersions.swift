import CoreDataRowStorage

// How child contexts learn the versions of rows saved by their ancestors.
//
// Optimistic locking compares the row in the store with the row that an edit is based on. For a child's edit that is the row
// the child has read. Later saves by the child's ancestors are no conflict, so children follow their versions.

/// A version that a save has assigned to a row.
struct SavedVersion: @unchecked Sendable {
    let store: any RowStore
    let layout: EntityLayout
    let key: Int64
    let old: UInt32
    let new: UInt32
}

extension NSManagedObjectContext {
    /// Records the new version of an object's row for the children, which receive it when the save has succeeded.
    @inline(never)
    final func noteVersion(of object: NSManagedObject, from old: UInt32, to new: UInt32) {
        guard old != new, let table = object._table, let store = table.store else { return }
        saves.note(
            SavedVersion(store: store, layout: table.layout, key: object._key, old: old, new: new))
    }

    /// Applies the versions of rows saved by the parent to registered objects, and forwards them to this context's children.
    final func takeOver(_ versions: [SavedVersion]) {
        guard !versions.isEmpty else { return }
        for version in versions {
            guard let tables = registry.tables(of: version.store),
                let table = tables[version.layout.number]
            else { continue }
            table.uniquing.object(for: version.key)?.follow(version)
        }
        guard !children.isEmpty else { return }
        saves.note(versions)
        announceIdentities()
    }
}

extension NSManagedObject {
    /// Replaces the version of the row the object was read from. Its values stay.
    fileprivate final func follow(_ change: SavedVersion) {
        guard !_state.isInserted, let row = _row, let slab = _slab, EntityLayout.version(row) == change.old
        else { return }
        if _state.contains(.ownsRow) || slab.isOpen {
            // No other context reads this row.
            EntityLayout.setVersion(row, change.new)
            if let committed = _extra?.committed { extra.committed = committed.copy(layout, version: change.new) }
        } else {
            let copy = RowSnapshot(row: row, slab: slab).copy(layout, version: change.new)
            adopt(copy.row, in: copy.slab)
        }
    }
}

extension RowSnapshot {
    /// Returns a copy of the row with another version.
    func copy(_ layout: EntityLayout, version: UInt32) -> Self {
        let (copy, copySlab) = layout.copyRow(row, in: slab)
        EntityLayout.setVersion(copy, version)
        return Self(row: copy, slab: copySlab, boxed: boxed)
    }
}
