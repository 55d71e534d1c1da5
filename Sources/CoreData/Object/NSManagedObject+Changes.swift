// Noticing changes: an object's first change in an event goes through here, later ones straight to the row.

extension NSManagedObject {
    /// Makes the object ready to be changed: realised, with a row of its own, known to the context as changed in this event.
    ///
    /// - Parameter persistent: False for changes that are not tracked, such as those made while values are being loaded.
    final func beginChange() {
        guard realise() else { return }
        if _state.contains(.awaking) {
            if !_state.contains(.ownsRow) { makeOwnRow() }
            return
        }
        guard let context else {
            // Free-standing objects change without anybody watching.
            if !_state.contains(.ownsRow), _row != nil { makeOwnRow() }
            return
        }
        context.checkQueue(self)
        if !_state.contains(.inEvent) {
            if !_state.contains(.ownsRow) {
                makeOwnRow()
            } else {
                let start = ObjectExtra.Snapshot(row: _row!, slab: _slab!, boxed: _extra?.boxed ?? [:])
                makeOwnRow()
                extra.eventStart = start
            }
            context.noteChange(of: self)
        }
        if _state.isDisjoint(with: .changed) {
            _state.insert(.updated)
            context.list(self)
        } else {
            _state.insert(.changedInSave)
        }
        if !ConcurrencyChecks.isOn { _writeTag = layout.tag }
    }

    final func announceChange(forKey key: String) {
        beginChange()
    }

    final func completeChange(forKey key: String) {
        guard !_state.contains(.awaking), _row != nil else { return }
        beginChange()
        switch layout.members[key] {
        case .cell(let index): markCellChanged(index)
        case .composite(_, let cells): cells.forEach(markCellChanged)
        default: break
        }
    }

    final func markCellChanged(_ index: Int) {
        guard _state.contains(.ownsRow), !_state.contains(.awaking), let row = _row else { return }
        let word = row + changedOffset + (index >> 6) << 3
        word.storeBytes(of: word.load(as: UInt64.self) | (1 << UInt64(index & 63)), as: UInt64.self)
    }

    /// The row as it was saved or fetched last; nil for objects never saved.
    final var committedSnapshot: ObjectExtra.Snapshot? {
        if _state.contains(.inserted) { return nil }
        if _state.contains(.ownsRow) { return _extra?.committed }
        guard let row = _row, let slab = _slab else { return nil }
        return ObjectExtra.Snapshot(row: row, slab: slab, boxed: _extra?.boxed ?? [:])
    }

    /// Whether a cell differs from its committed value, by what is stored.
    final func differsFromCommitted(_ index: Int) -> Bool {
        guard let committed = committedSnapshot, let row = _row, let slab = _slab else { return true }
        return !layout.cellsEqual(index, row, slab, committed.row, committed.slab)
    }

    /// Whether a save has something to write: an update may end where it started, or touch transient properties only.
    final var hasPersistentChanges: Bool {
        if !_state.isDisjoint(with: [.inserted, .deleted]) { return true }
        guard _state.contains(.updated) else { return false }
        var found = false
        let layout = layout
        forEachChangedCell { index in
            if !found, !layout.cells[index].isTransient, differsFromCommitted(index) { found = true }
        }
        return found || hasToManyChanges
    }

    final var hasToManyChanges: Bool {
        guard let extra = _extra else { return false }
        return extra.relationships.contains {
            ($0 as? ToMany)?.hasChanges == true && !($0 as! ToMany).relationship.description.isTransient
        }
    }

    // MARK: Ends

    /// The changes of this event have been processed.
    final func endEvent() {
        _state.remove(.inEvent)
        _writeTag = 0
        guard let extra = _extra else { return }
        extra.eventStart = nil
        for case let toMany as ToMany in extra.relationships { toMany.endEvent() }
    }

    /// What was changed is now what is saved.
    final func didCommit(version: UInt32) {
        _state.subtract([.inserted, .updated, .ownsRow, .listed, .changedInSave])
        _writeTag = 0
        guard let row = _row else { return }
        EntityLayout.setVersion(row, version)
        (row + 4).storeBytes(of: 0, as: UInt32.self)
        guard let extra = _extra else { return }
        extra.committed = nil
        extra.eventStart = nil
        for case let toMany as ToMany in extra.relationships { toMany.didSave() }
    }

    /// Puts back the values saved or fetched last.
    final func restoreCommitted() {
        _state.subtract([.updated, .deleted, .inEvent, .listed, .propagated, .changedInSave])
        _writeTag = 0
        guard let extra = _extra else { return }
        if _state.contains(.ownsRow), let committed = extra.committed {
            adopt(committed.row, in: committed.slab)
            extra.boxed = committed.boxed
            extra.committed = nil
            _state.remove(.ownsRow)
        }
        extra.eventStart = nil
        for (index, materialised) in extra.relationships.enumerated() {
            if let toMany = materialised as? ToMany {
                toMany.rollBack()
            } else if materialised != nil {
                extra.relationships[index] = nil
            }
        }
    }

    /// Drops values and materialised relationships: the next access loads them anew.
    final func turnIntoFault() {
        guard !_state.contains(.fault), _state.isDisjoint(with: [.inserted, .dead]) else {
            if _state.contains(.fault) { dropRow() }
            return
        }
        willTurnIntoFault()
        dropRow()
        _state.insert(.fault)
        didTurnIntoFault()
    }

    private func dropRow() {
        _readTag = 0
        _writeTag = 0
        _row = nil
        _slab = nil
        _state.subtract([.ownsRow, .updated, .inEvent, .listed, .inaccessible])
        guard let extra = _extra else { return }
        let objectID = extra.objectID
        let boxedExtra = ObjectExtra()
        boxedExtra.objectID = objectID
        _extra = boxedExtra
    }

    /// The context forgets the object, or its row is deleted and saved.
    final func die() {
        if _state.contains(.registered), let table = _table {
            _ = objectID
            table.uniquing.remove(self, key: _key)
        }
        _state.subtract([.registered, .inserted, .updated, .deleted, .inEvent, .listed])
        _state.insert([.dead, .fault])
        _readTag = 0
        _writeTag = 0
        _row = nil
        _slab = nil
        if let extra = _extra {
            extra.relationships = []
            extra.committed = nil
            extra.eventStart = nil
            extra.boxed = [:]
        }
    }
}

extension EntityLayout {
    /// Whether two rows hold the same value in a cell.
    func cellsEqual(
        _ index: Int, _ a: UnsafeRawPointer, _ slabA: RowSlab, _ b: UnsafeRawPointer, _ slabB: RowSlab
    ) -> Bool {
        let present = EntityLayout.isPresent(a, index)
        guard present == EntityLayout.isPresent(b, index) else { return false }
        guard present else { return true }
        let (x, y) = (bits(a, index), bits(b, index))
        guard cells[index].kind.usesHeap else { return x == y }
        let (m, n) = (slabA.bytes(HeapRange(bits: x)), slabB.bytes(HeapRange(bits: y)))
        return m.count == n.count && (m.count == 0 || memcmp(m.baseAddress!, n.baseAddress!, m.count) == 0)
    }
}
