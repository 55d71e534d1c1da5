import CoreDataRowStorage

// The versions that the edits of a child context are based on, for optimistic locking at the store.

extension NSManagedObject {
    /// Bases the changes that a child is about to apply to this object on the row the child read, if another context or process
    /// has since changed values that the child overwrites. The save to the store then detects the conflict.
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

    /// Returns true if a child's change of a cell replaces a stored value that the child has not read. Unsaved values of the
    /// parent are overwritten without a conflict.
    private func overwrites(_ index: Int, _ base: RowSnapshot, _ saved: RowSnapshot) -> Bool {
        let cell = layout.cells[index]
        if cell.isTransient || isCellChanged(index) && differsFromCommitted(index) { return false }
        if cell.kind == .boxed { return !AttributeValues.areEqual(base.boxed[index], saved.boxed[index]) }
        return !cellsAgree(index, base.row, base.slab, saved.row, saved.slab)
    }
}
