import CoreDataRowStorage

// What the edits of a child context are based on, for the optimistic lock at the store.

extension NSManagedObject {
    /// Bases the changes that this object is about to receive from a child on the row that the child has read, where another
    /// context or process has since changed what the child would overwrite. The save to the store meets the conflict then.
    ///
    /// Core Data's rule that a child's values win over its parent's, without conflicts between the two, holds for what this
    /// context has changed or saved: children follow those versions (``SavedVersion``). Properties that only the other has
    /// changed stay as they are in the store.
    ///
    /// - Parameters:
    ///   - base: The row the child has read.
    ///   - cells: The cells it has changed; nil if it has deleted the object.
    final func rest(on base: RowSnapshot, changing cells: [Int]?) {
        guard !_state.isInserted, !_state.isEnding, !_state.contains(.fault), let row = _row,
            let slab = _slab
        else { return }
        let (known, present) = (EntityLayout.version(base.row), EntityLayout.version(row))
        guard known != present else { return }
        // This context has unsaved changes that are based on an older row still.
        if hasUnsavedChanges, known > present { return }
        let saved = committedSnapshot ?? RowSnapshot(row: row, slab: slab, boxed: _extra?.boxed ?? [:])
        let cells = cells ?? Array(layout.cells.indices)
        guard cells.contains(where: { overwrites($0, base, saved) }) else { return }
        if !_state.contains(.ownsRow) { makeOwnRow() }
        if let row = _row { EntityLayout.setVersion(row, known) }
        let extra = extra
        if extra.rowBefore == nil { extra.rowBefore = saved }
        extra.committed = base.slab.isOpen ? base.copy(layout, version: known) : base
    }

    /// Whether a child's change of a cell replaces a value that it has not read. Over unsaved values it wins.
    private func overwrites(_ index: Int, _ base: RowSnapshot, _ saved: RowSnapshot) -> Bool {
        let cell = layout.cells[index]
        if cell.isTransient || isCellChanged(index) && differsFromCommitted(index) { return false }
        if cell.kind == .boxed { return !AttributeValues.areEqual(base.boxed[index], saved.boxed[index]) }
        return !cellsAgree(index, base.row, base.slab, saved.row, saved.slab)
    }
}
