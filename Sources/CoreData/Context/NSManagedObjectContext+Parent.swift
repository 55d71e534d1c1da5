// Saving into a parent context.

extension NSManagedObjectContext {
    /// Moves all changes into the parent, which then holds them unsaved.
    final func save(into parent: NSManagedObjectContext) throws {
        var outcome = SaveOutcome()
        var transfers: [Transfer] = []
        for object in changedObjects {
            let state = object._state
            if state.contains([.inserted, .deleted]) { continue }
            if state.contains(.deleted) {
                outcome.deleted.append(object)
            } else if state.contains(.inserted) {
                outcome.inserted.append(object)
            } else {
                outcome.updated.append(object)
            }
            transfers.append(Transfer(object))
        }
        let moved = UncheckedSendable(transfers)
        parent.performAndWait {
            parent.receive(moved.value)
            parent.processPendingChanges()
        }
        for object in outcome.inserted + outcome.updated {
            object.didCommit(version: object._row.map { EntityLayout.version($0) } ?? 0)
        }
        for object in outcome.deleted { object._state.subtract([.deleted, .listed, .updated]) }
        publish(outcome)
    }

    /// One object's changes on their way to the parent. The child waits meanwhile, so its memory may be read.
    fileprivate struct Transfer {
        let object: NSManagedObject
        let changedCells: [Int]

        init(_ object: NSManagedObject) {
            self.object = object
            var cells: [Int] = []
            object.forEachChangedCell { cells.append($0) }
            changedCells = cells
        }
    }

    fileprivate final func receive(_ transfers: [Transfer]) {
        var counterparts: [NSManagedObject?] = []
        // New objects first: others may lead to them.
        for transfer in transfers {
            if transfer.object._state.contains(.inserted) {
                counterparts.append(insertCounterpart(of: transfer.object))
            } else {
                counterparts.append(counterpart(of: transfer.object))
            }
        }
        for (transfer, counterpart) in zip(transfers, counterparts) {
            guard let counterpart, !transfer.object._state.contains(.deleted) else { continue }
            counterpart.receive(transfer.changedCells, from: transfer.object, in: self)
        }
        for (transfer, counterpart) in zip(transfers, counterparts) where transfer.object._state.contains(.deleted) {
            if let counterpart { delete(counterpart) }
        }
    }

    /// A new object for a child's new object, under the same temporary key.
    private final func insertCounterpart(of object: NSManagedObject) -> NSManagedObject {
        let layout = object.layout
        let table: EntityTable
        if object._key < 0 {
            table = unsavedTable(of: layout)
        } else {
            table = self.table(of: layout, in: object._table!.store!)
        }
        let copy = table.object(for: object._key)
        let (row, slab) = arena.makeRow(bytes: layout.ownRowBytes)
        memcpy(row, object._row!, layout.ownRowBytes)
        layout.copyHeap(from: object._slab!, of: row, to: slab)
        copy.adopt(row, in: slab)
        if let boxed = object._extra?.boxed, !boxed.isEmpty { copy.extra.boxed = boxed }
        copy._state.remove(.fault)
        copy._state.insert([.ownsRow, .inserted])
        copy._extra?.assignedStore = object._extra?.assignedStore
        copy.allowDirectReads()
        list(copy)
        if !copy._state.contains(.inEvent) { noteChange(of: copy) }
        return copy
    }
}

extension NSManagedObject {
    /// Takes over a child's changes: its values win over unsaved ones here.
    fileprivate final func receive(
        _ changedCells: [Int], from child: NSManagedObject, in context: NSManagedObjectContext
    ) {
        let layout = layout
        beginChange()
        guard _state.contains(.ownsRow), let source = child._row, let sourceSlab = child._slab else { return }
        for index in changedCells {
            let cell = layout.cells[index]
            if cell.kind == .reference {
                receiveToOne(cell, source, context)
                continue
            }
            if EntityLayout.isPresent(source, index) {
                var bits = layout.bits(source, index)
                if cell.kind.usesHeap {
                    let bytes = sourceSlab.bytes(HeapRange(bits: bits))
                    bits = ownSlab(adding: bytes.count).append(bytes.baseAddress, count: bytes.count).bits
                }
                layout.set(_row!, index, bits)
            } else {
                layout.clear(_row!, index)
            }
            if cell.kind == .boxed || cell.kind == .transformable { extra.boxed[index] = child._extra?.boxed[index] }
            markCellChanged(index)
        }
        for case let toMany as ToMany in child._extra?.relationships ?? [] where toMany.hasChanges {
            receiveToMany(toMany, context)
        }
    }

    private final func receiveToOne(
        _ cell: EntityLayout.Cell, _ source: UnsafeMutableRawPointer, _ context: NSManagedObjectContext
    ) {
        guard EntityLayout.isPresent(source, cell.index) else {
            setToOne(nil, at: cell.relationshipIndex)
            return
        }
        let reference = RowReference(bits: layout.bits(source, cell.index))
        guard let table = _table, let destination = context.object(reference, near: table) else { return }
        if _state.contains(.inserted),
            _extra?.relationships.isEmpty ?? true || _extra?.relationships[cell.relationshipIndex] == nil
        {
            // The copied row names the destination already; setting it anew keeps the other side right.
            layout.clear(_row!, cell.index)
        }
        setToOne(destination, at: cell.relationshipIndex)
    }

    private final func receiveToMany(_ toMany: ToMany, _ context: NSManagedObjectContext) {
        let index = toMany.relationship.index
        for member in toMany.removed {
            if let counterpart = context.counterpart(of: member) { removeFromMany(counterpart, at: index) }
        }
        for member in toMany.added {
            if let counterpart = context.counterpart(of: member) { addToMany(counterpart, at: index) }
        }
        guard toMany.relationship.isOrdered, !toMany.isFault else { return }
        let order = toMany.members.compactMap { context.counterpart(of: $0) }
        setToMany(ContiguousArray(order), at: index)
    }
}
