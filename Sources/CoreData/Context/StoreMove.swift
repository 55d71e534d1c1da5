import CoreDataRowStorage

// Moving a context's objects to another store that replaces theirs.

extension NSManagedObjectContext {
    /// Assigns the objects of a copied store the IDs of their copies. Unsaved changes stay; unchanged objects are read from the
    /// new store on access.
    final func moveObjects(from old: any RowStore, to successor: StoreSuccessor) {
        registry.replaceIdentities { successor.objectID(for: $0, from: old) }
        let mail = mailbox.take()
        takeOver(mail.versions)
        takeOver(mail.identities.map { ($0.temporary, successor.objectID(for: $0.permanent, from: old)) })
        changes.dropIndex()
        let all = registered()
        let moved = all.filter { $0._table?.store === old && !$0._state.isErased && !$0._state.isOut }
        for object in moved { move(object, to: successor) }
        for object in moved {
            if !object._state.isChanged {
                guard object._row != nil else { continue }
                if !object._state.contains(.fault) { arrivals.note(refreshed: object) }
                object.turnIntoFault()
            } else {
                object.readdress(to: successor)
            }
        }
        // Objects not saved to a store yet may refer to those that moved.
        for object in all where object._state.isInserted && object._table?.store == nil {
            if object._extra?.assignedStore === old { object.extra.assignedStore = successor.store }
            object.readdress(to: successor)
        }
        // Undo actions contain rows of the old store.
        undoManager?.removeAllActions(withTarget: self)
        batches = []
        targets.removeAll()
        registry.removeTables(of: old)
        advanceGeneration()
        if queueKind == .mainQueueConcurrencyType { scheduleProcessing() }
    }

    private final func move(_ object: NSManagedObject, to successor: StoreSuccessor) {
        guard let old = object._table else { return }
        guard let key = successor.key(for: object._key, of: old.layout) else { return forget(object) }
        let table = table(of: old.layout, in: successor.store)
        // The row may have been fetched from the new store already. The object with the changes is the one that moves.
        if let other = table.uniquing.object(for: key) { forget(other) }
        if let row = object._row, object._state.isChanged {
            object.note(version: successor.version(for: EntityLayout.version(row), of: object._key, old.layout))
        }
        object.move(from: old, to: table, key: key)
        object._extra?.objectID = nil
        if object._extra?.assignedStore != nil { object.extra.assignedStore = successor.store }
        if table.notesRegistration { table.noteRegistration(of: key) }
    }
}

extension NSManagedObject {
    /// Updates the to-one relationships of a changed object, current and committed, to the new keys of their destinations.
    fileprivate final func readdress(to successor: StoreSuccessor) {
        guard _row != nil, let layouts = context?.layouts else { return }
        let layout = layout
        let cells = layout.relationships.filter { $0.cell >= 0 }
        guard !cells.isEmpty else { return }
        if !_state.contains(.ownsRow) { makeOwnRow() }
        if let row = _row {
            for relationship in cells where EntityLayout.isPresent(row, relationship.cell) {
                let materialised = _extra.flatMap { extra in
                    relationship.index < extra.relationships.count
                        ? extra.relationships[relationship.index] as? NSManagedObject : nil
                }
                let old = RowReference(bits: layout.bits(row, relationship.cell))
                replace(materialised?.reference ?? successor.reference(for: old, layouts), in: row, relationship.cell)
            }
        }
        if let committed = _extra?.committed { extra.committed = readdressed(committed, cells, successor, layouts) }
        if let start = _extra?.eventStart { extra.eventStart = readdressed(start, cells, successor, layouts) }
    }

    /// Returns an updated copy of a snapshot: the rows of snapshots are shared and immutable.
    private final func readdressed(
        _ snapshot: RowSnapshot, _ cells: [EntityLayout.Relationship], _ successor: StoreSuccessor,
        _ layouts: ModelLayouts
    ) -> RowSnapshot {
        let (row, slab) = layout.copyRow(snapshot.row, in: snapshot.slab)
        for relationship in cells where EntityLayout.isPresent(row, relationship.cell) {
            let old = RowReference(bits: layout.bits(row, relationship.cell))
            replace(successor.reference(for: old, layouts), in: row, relationship.cell)
        }
        return RowSnapshot(row: row, slab: slab, boxed: snapshot.boxed)
    }

    /// Sets the version of the row that an object's changes are based on.
    fileprivate final func note(version: UInt32) {
        guard let row = _row, EntityLayout.version(row) != version else { return }
        if !_state.contains(.ownsRow) { makeOwnRow() }
        if let row = _row { EntityLayout.setVersion(row, version) }
        guard let committed = _extra?.committed else { return }
        let (copy, slab) = layout.copyRow(committed.row, in: committed.slab)
        EntityLayout.setVersion(copy, version)
        extra.committed = RowSnapshot(row: copy, slab: slab, boxed: committed.boxed)
    }

    private final func replace(_ reference: RowReference?, in row: UnsafeMutableRawPointer, _ cell: Int) {
        if let reference {
            layout.set(row, cell, UInt64(bitPattern: reference.bits))
        } else {
            layout.clear(row, cell)
        }
    }
}
