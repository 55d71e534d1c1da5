import CoreDataRowStorage

// The end of an object's changes and values: processed, saved, reverted, discarded.

extension NSManagedObject {
    /// Ends the object's part in a change-processing pass.
    ///
    /// - Parameter notice: Reports the pass, and keeps the object's state from before it.
    final func endEvent(reportedBy notice: ChangeNotice? = nil) {
        _state.subtract([.inEvent, .writable])
        guard let reference = _extraReference else { return }
        if reference._withUnsafeGuaranteedRef({ $0.hasNothingRare && $0.relationships.isEmpty }) { return }
        let extra = reference.takeUnretainedValue()
        var start = ChangeNotice.EventStart(row: extra.eventStart)
        extra.eventStart = nil
        for case let toMany as ToMany in extra.relationships {
            if let members = toMany.eventStartMembers { start.members.append((toMany.relationship.index, members)) }
            toMany.endEvent()
        }
        notice?.keep(start, of: self)
    }

    /// Makes the current values the committed ones, after a save.
    final func didCommit(version: UInt32) {
        move(to: .saved)
        _state.subtract([.ownsRow, .writable, .changedInSave, .insertionReported])
        guard let row = _row else { return }
        EntityLayout.setVersion(row, version)
        (row + 4).storeBytes(of: 0, as: UInt32.self)
        guard let reference = _extraReference else { return }
        // As with most objects: only a row is released, so none of the program's code runs.
        if reference._withUnsafeGuaranteedRef({ $0.dropPlainSnapshot() }) { return }
        let extra = reference.takeUnretainedValue()
        extra.committed = nil
        extra.eventStart = nil
        extra.insertionStart = nil
        extra.rowBefore = nil
        for case let toMany as ToMany in extra.relationships { toMany.didSave() }
    }

    /// Marks a saved deletion. The object is detached after the did-save notifications.
    final func didCommitDeletion() {
        move(to: .erased)
        _state.remove(.deletionReported)
    }

    /// Restores the values last saved or fetched.
    final func restoreCommitted() {
        move(to: .saved)
        _state.subtract([.changedInSave, .writable])
        guard let extra = _extra else { return }
        if _state.contains(.ownsRow), let committed = extra.rowBefore ?? extra.committed {
            adopt(committed.row, in: committed.slab)
            extra.boxed = committed.boxed
            extra.committed = nil
            extra.rowBefore = nil
            _state.remove(.ownsRow)
            if !_state.contains(.fault) { restoreTransients() }
        }
        extra.eventStart = nil
        extra.fetched = [:]
        for (index, materialised) in extra.relationships.enumerated() {
            if let toMany = materialised as? ToMany {
                toMany.rollBack()
            } else if materialised != nil {
                extra.relationships[index] = nil
            }
        }
    }

    /// Releases values and materialized relationships: the next access reads them again.
    ///
    /// - Parameter keepsToMany: Keeps the unsaved changes of to-many relationships that are stored in other objects' rows.
    final func turnIntoFault(keepsToMany: Bool = false) {
        guard !_state.isInserted, !_state.isOut else { return }
        guard !_state.contains(.fault) else { return dropRow(keepsToMany: keepsToMany) }
        willTurnIntoFault()
        dropRow(keepsToMany: keepsToMany)
        _state.insert(.fault)
        didTurnIntoFault()
    }

    /// Turns the object into a fault. The caller has checked that all its values can be read from the store again.
    ///
    /// Keeps the fields that other threads may read to create the object's ID.
    final func letGoOfRow() {
        let isFault = _state.contains(.fault)
        if !isFault { willTurnIntoFault() }
        forbidDirectAccess()
        _row = nil
        _slab = nil
        _extra?.relationships = []
        _extra?.forgetFiles()
        _state.insert(.fault)
        if !isFault { didTurnIntoFault() }
    }

    private func dropRow(keepsToMany: Bool) {
        forbidDirectAccess()
        _row = nil
        _slab = nil
        _state.subtract([.ownsRow, .inaccessible, .fired])
        if !keepsToMany, _state.isUpdated { move(to: .saved) }
        guard let extra = _extra else { return }
        if context?.hasViews == true {
            for case let toMany as ToMany in extra.relationships { toMany.view?.becomeStale() }
        }
        let fresh = ObjectExtra()
        fresh.objectID = extra.objectID
        if keepsToMany {
            fresh.relationships = extra.relationships
            for index in fresh.relationships.indices {
                if let toMany = fresh.relationships[index] as? ToMany {
                    toMany.turnIntoFault()
                } else {
                    fresh.relationships[index] = nil
                }
            }
        }
        _extra = fresh.objectID == nil && fresh.relationships.isEmpty ? nil : fresh
    }

    /// Detaches the object from its context after a reset or a saved deletion. Properties read as nil from then on.
    final func detachFromContext() {
        hideViews()
        if _state.isRegistered, let table = _table {
            table.remove(self, key: _key)
        }
        move(to: .gone)
        _state.remove(.ownsRow)
        _state.insert(.fault)
        forbidDirectAccess()
        _row = nil
        _slab = nil
        _extra = nil
    }

    /// Removes the object from its context but keeps its values, so that undo can restore it. Only the undo recorder retains
    /// its destinations: removed objects that refer to each other would form retain cycles.
    final func leave() {
        guard let table = _table else { return }
        dropRelationships()
        table.remove(self, key: _key)
        move(to: .left)
        forbidDirectAccess()
    }

    /// Empties the mutable collections of relationships: a detached object has no members.
    private func hideViews() {
        guard context?.hasViews == true else { return }
        for case let toMany as ToMany in _extra?.relationships ?? [] { toMany.view?.show([]) }
    }

    /// Releases all destinations, because objects that refer to each other form retain cycles.
    final func dropRelationships() {
        guard let extra = _extra else { return }
        hideViews()
        extra.relationships = []
        extra.fetched = [:]
    }
}
