import CoreDataRowStorage

// What becomes of an object's changes and values: processed, saved, taken back, dropped.

extension NSManagedObject {
    /// The changes of this event have been processed.
    ///
    /// - Parameter notice: Is to report the event, and keeps what the object was before it.
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

    /// What was changed is now what is saved.
    final func didCommit(version: UInt32) {
        move(to: .saved)
        _state.subtract([.ownsRow, .writable, .changedInSave, .insertionReported])
        guard let row = _row else { return }
        EntityLayout.setVersion(row, version)
        (row + 4).storeBytes(of: 0, as: UInt32.self)
        guard let reference = _extraReference else { return }
        // As with most objects: nothing goes but a row, and so nobody's code runs.
        if reference._withUnsafeGuaranteedRef({ $0.dropPlainSnapshot() }) { return }
        let extra = reference.takeUnretainedValue()
        extra.committed = nil
        extra.eventStart = nil
        extra.insertionStart = nil
        extra.rowBefore = nil
        for case let toMany as ToMany in extra.relationships { toMany.didSave() }
    }

    /// The deletion is saved. The object dies once everybody has been told.
    final func didCommitDeletion() {
        move(to: .erased)
        _state.remove(.deletionReported)
    }

    /// Puts back the values saved or fetched last.
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

    /// Drops values and materialised relationships: the next access loads them anew.
    ///
    /// - Parameter keepsToMany: Keeps the unsaved part of to-many relationships that lies in other objects' rows.
    final func turnIntoFault(keepsToMany: Bool = false) {
        guard !_state.isInserted, !_state.isOut else { return }
        guard !_state.contains(.fault) else { return dropRow(keepsToMany: keepsToMany) }
        willTurnIntoFault()
        dropRow(keepsToMany: keepsToMany)
        _state.insert(.fault)
        didTurnIntoFault()
    }

    /// Becomes a fault, without losing anything that does not come from the store: the caller has made sure of that.
    ///
    /// What other threads may be reading, to tell the object's ID, stays where it is.
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

    /// The context forgets the object, or its row is deleted and saved.
    final func die() {
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

    /// Leaves the context but keeps values, so that an undo can bring the object back. What it leads to is kept by the undo
    /// recorder alone: objects that have left and lead to each other would keep each other alive.
    final func leave() {
        guard let table = _table else { return }
        dropRelationships()
        table.remove(self, key: _key)
        move(to: .left)
        forbidDirectAccess()
    }

    /// An object that is gone has no members to show.
    private func hideViews() {
        guard context?.hasViews == true else { return }
        for case let toMany as ToMany in _extra?.relationships ?? [] { toMany.view?.show([]) }
    }

    /// Lets go of all objects this one leads to: two that lead to each other would keep each other alive for ever.
    final func dropRelationships() {
        guard let extra = _extra else { return }
        hideViews()
        extra.relationships = []
        extra.fetched = [:]
    }
}
