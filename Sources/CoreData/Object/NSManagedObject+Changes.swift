import CoreDataRowStorage

// Change tracking: the first change of an object in a change-processing pass goes through here, later ones write directly to
// the row.

extension NSManagedObject {
    /// Prepares the object for a change: realizes it, gives it a private copy of its row, and adds it to the context's current
    /// change-processing pass.
    final func beginChange() {
        guard realise() else { return }
        if _state.contains(.awaking) {
            if !_state.contains(.ownsRow) { makeOwnRow() }
            return
        }
        guard let context = contextReference else {
            // Changes of free-standing objects are not tracked.
            if !_state.contains(.ownsRow), _row != nil { makeOwnRow() }
            if _tableReference == nil, _row != nil { allowDirectWrites() }
            return
        }
        context._withUnsafeGuaranteedRef { $0.noteChange(of: self) }
        allowDirectWrites()
    }

    /// Keeps the object's state from before the current change-processing pass, if that differs from the saved state.
    final func keepEventStart(in context: Unmanaged<NSManagedObjectContext>) {
        guard _state.contains(.ownsRow), let row = _row, let slab = _slab else { return }
        let start = RowSnapshot(row: row, slab: slab, boxed: _extra?.boxed ?? [:])
        makeOwnRow(in: context)
        extra.eventStart = start
    }

    /// Keeps the values that the object had when it was inserted, as the base of its changes.
    final func noteValuesAtInsertion() {
        guard _state.contains(.ownsRow), let row = _row, let slab = _slab else { return }
        let start = RowSnapshot(row: row, slab: slab, boxed: _extra?.boxed ?? [:])
        makeOwnRow()
        extra.insertionStart = start
    }

    final func announceChange(forKey key: String) {
        beginChange()
        guard let index = layout.relationshipIndex(named: key), !_state.contains(.awaking), _row != nil else { return }
        extra.announced[index] = destinations(of: layout.relationships[index])
    }

    final func completeChange(forKey key: String) {
        guard !_state.contains(.awaking), _row != nil else { return }
        beginChange()
        switch layout.members[key] {
        case .cell(let index): markCellChanged(index)
        case .composite(_, let cells): cells.forEach(markCellChanged)
        default: break
        }
        if _extra?.announced.isEmpty == false, let index = layout.relationshipIndex(named: key) {
            completeRelationshipChange(at: index)
        }
    }

    /// Updates the inverses of a relationship that was changed by primitive values.
    private func completeRelationshipChange(at index: Int) {
        guard let before = extra.announced.removeValue(forKey: index) else { return }
        let relationship = layout.relationships[index]
        guard let inverse = relationship.description.inverseRelationship else { return }
        let after = destinations(of: relationship)
        let (old, new) = (Set(before.map(ObjectIdentifier.init)), Set(after.map(ObjectIdentifier.init)))
        for object in before where !new.contains(ObjectIdentifier(object)) { object.removeInverse(inverse.name, self) }
        for object in after where !old.contains(ObjectIdentifier(object)) { object.addInverse(inverse.name, self) }
    }

    final func markCellChanged(_ index: Int) {
        guard _state.contains(.ownsRow), !_state.contains(.awaking), let row = _row else { return }
        let word = row + changedOffset + (index >> 6) << 3
        word.storeBytes(of: word.load(as: UInt64.self) | (1 << UInt64(index & 63)), as: UInt64.self)
    }

    // MARK: What changed

    /// The row as last saved or fetched; nil for objects never saved.
    final var committedSnapshot: RowSnapshot? {
        if _state.isInserted { return nil }
        if _state.contains(.ownsRow) { return _extra?.committed }
        return currentSnapshot
    }

    /// The current row.
    final var currentSnapshot: RowSnapshot? {
        guard let row = _row, let slab = _slab else { return nil }
        return RowSnapshot(row: row, slab: slab, boxed: _extra?.boxed ?? [:])
    }

    /// Returns true if a changed cell differs from its committed value.
    final func differsFromCommitted(_ index: Int) -> Bool {
        guard !_state.isInserted, let row = _row, let slab = _slab else { return true }
        guard let committed = _extra?.committed else { return false }
        if layout.cells[index].kind == .boxed {
            return !AttributeValues.areEqual(_extra?.boxed[index], committed.boxed[index])
        }
        return !cellsAgree(index, row, slab, committed.row, committed.slab)
    }

    /// Returns true if two rows of this object hold the same value in a cell, even if one of them refers to an object by its
    /// former temporary key.
    final func cellsAgree(
        _ index: Int, _ a: UnsafeRawPointer, _ slabA: RowSlab, _ b: UnsafeRawPointer, _ slabB: RowSlab
    ) -> Bool {
        let layout = layout
        if layout.cellsEqual(index, a, slabA, b, slabB) { return true }
        guard EntityLayout.isPresent(a, index), EntityLayout.isPresent(b, index) else { return false }
        let cell = layout.cells[index]
        if cell.kind == .transformable {
            // Equal values may have different archives.
            return AttributeValues.areEqual(
                CellCoding.decode(layout.bits(a, index), as: cell, in: slabA),
                CellCoding.decode(layout.bits(b, index), as: cell, in: slabB))
        }
        guard cell.kind == .reference else { return false }
        let (x, y) = (RowReference(bits: layout.bits(a, index)), RowReference(bits: layout.bits(b, index)))
        guard x.isTemporary != y.isTemporary, let context else { return false }
        return context.permanent(x) == context.permanent(y)
    }

    /// True if a save has something to write: an update may restore the committed values, or concern transient properties only.
    final var hasPersistentChanges: Bool {
        if _state.isInsertedOrDeleted { return true }
        guard _state.isUpdated else { return false }
        if hasToManyChanges { return true }
        var found = false
        let layout = layout
        forEachChangedCell { index in
            if !found, !layout.cells[index].isTransient, differsFromCommitted(index) { found = true }
        }
        return found
    }

    final var hasToManyChanges: Bool {
        _extraReference?._withUnsafeGuaranteedRef { $0.hasToManyChanges } ?? false
    }

    /// Clears the change bits of cells with unchanged values before a save, so that only real changes are written. Returns
    /// false if none remains, to-many relationships included.
    final func keepRealChanges() -> Bool { layoutReference._withUnsafeGuaranteedRef { keepRealChanges($0) } }

    private final func keepRealChanges(_ layout: EntityLayout) -> Bool {
        if !layout.derivedCells.isEmpty { dropDerivedChanges(layout) }
        guard _state.contains(.ownsRow), let row = _row else { return hasToManyChanges }
        var remains = false
        let committed =
            _state.isInserted ? nil : _extraReference?._withUnsafeGuaranteedRef { $0.committed?.row }
        for word in 0..<layout.bitWords {
            let place = row + layout.changedOffset + word << 3
            var bits = place.load(as: UInt64.self)
            var kept = bits
            if let committed {
                // Numbers, dates and references are compared in place.
                var plain = bits & layout.plainBits[word]
                let present = (row + 8 + word << 3).load(as: UInt64.self)
                let before = (committed + 8 + word << 3).load(as: UInt64.self)
                while plain != 0 {
                    let bit = plain & ~(plain &- 1)
                    let index = word << 6 + bit.trailingZeroBitCount
                    if (present ^ before) & bit == 0,
                        present & bit == 0 || layout.bits(row, index) == layout.bits(committed, index)
                    {
                        kept &= ~bit
                    } else {
                        remains = true
                    }
                    plain &= plain &- 1
                }
                bits &= ~layout.plainBits[word]
            }
            while bits != 0 {
                let index = word << 6 + bits.trailingZeroBitCount
                if !differsFromCommitted(index) {
                    kept &= ~(1 << UInt64(index & 63))
                } else if !layout.cells[index].isTransient {
                    remains = true
                }
                bits &= bits - 1
            }
            place.storeBytes(of: kept, as: UInt64.self)
        }
        if remains, layout.hasComposites { markWholeComposites(layout) }
        return remains || hasToManyChanges
    }

    /// Marks all cells of changed composite attributes: constraints may concern the whole value.
    private func markWholeComposites(_ layout: EntityLayout) {
        var changed: [Int] = []
        forEachChangedCell { changed.append($0) }
        for index in layout.withWholeComposites(changed) { markCellChanged(index) }
    }

    /// Reverts changes of derived attributes, which the store computes.
    private func dropDerivedChanges(_ layout: EntityLayout) {
        guard _state.contains(.ownsRow), let committed = _extra?.committed else { return }
        for index in layout.derivedCells where isCellChanged(index) {
            copyCell(layout.cells[index], from: committed.row, in: committed.slab)
        }
    }
}

extension EntityLayout {
    /// Returns true if two rows hold the same value in a cell.
    func cellsEqual(
        _ index: Int, _ a: UnsafeRawPointer, _ slabA: RowSlab, _ b: UnsafeRawPointer, _ slabB: RowSlab
    ) -> Bool {
        let present = EntityLayout.isPresent(a, index)
        guard present == EntityLayout.isPresent(b, index) else { return false }
        guard present else { return true }
        let (x, y) = (bits(a, index), bits(b, index))
        if x == y { return true }
        guard cells[index].kind.usesHeap else { return false }
        let (m, n) = (slabA.bytes(HeapRange(bits: x)), slabB.bytes(HeapRange(bits: y)))
        if cells[index].kind == .data {
            switch (HeapRange(bits: x).file, HeapRange(bits: y).file) {
            case (nil, nil): break
            case (let one?, let other?): return one.isSame(as: other)
            case (let file?, nil): return file.holds(n)
            case (nil, let file?): return file.holds(m)
            }
        }
        return m.count == n.count && (m.count == 0 || memcmp(m.baseAddress!, n.baseAddress!, m.count) == 0)
    }
}
