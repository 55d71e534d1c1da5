/// Registers what undoes the changes of each event, as one group.
final class UndoRecorder {
    private unowned(unsafe) let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    /// How one object was before an event.
    private struct Change {
        let object: NSManagedObject
        let wasInserted: Bool
        let wasDeleted: Bool
        /// The row at the start; nil for objects new in the event.
        let start: ObjectExtra.Snapshot?
        let toMany: [ToManyChange]
    }

    private struct ToManyChange {
        let index: Int
        let added: ContiguousArray<NSManagedObject>
        let removed: ContiguousArray<NSManagedObject>
        let order: ContiguousArray<NSManagedObject>?
    }

    func record(_ objects: ContiguousArray<NSManagedObject>, in undoManager: UndoManager) {
        guard undoManager.isUndoRegistrationEnabled else { return }
        let changes = objects.map(change)
        undoManager.registerUndo(withTarget: context) { context in
            context.undoRecorder.apply(changes)
        }
    }

    private func change(of object: NSManagedObject) -> Change {
        var toMany: [ToManyChange] = []
        for case let state as ToMany in object._extra?.relationships ?? [] {
            let order = state.relationship.isOrdered ? state.eventStartMembers : nil
            guard !state.eventAdded.isEmpty || !state.eventRemoved.isEmpty || order != nil else { continue }
            toMany.append(
                ToManyChange(
                    index: state.relationship.index, added: state.eventAdded, removed: state.eventRemoved, order: order)
            )
        }
        let isNew = object._state.contains(.inserted) && object._extra?.eventStart == nil
        return Change(
            object: object, wasInserted: isNew, wasDeleted: object._state.contains(.deleted),
            start: isNew ? nil : object.eventStartSnapshot, toMany: toMany)
    }

    private func apply(_ changes: [Change]) {
        var flags: [(NSManagedObject, NSSnapshotEventType)] = []
        for change in changes {
            if change.wasInserted, change.wasDeleted { continue }
            if change.wasDeleted {
                context.reinsert(change.object)
                flags.append((change.object, .undoDeletion))
            } else if change.wasInserted {
                flags.append((change.object, .undoInsertion))
            }
        }
        for change in changes where !change.wasInserted {
            restore(change)
            if !change.wasDeleted { flags.append((change.object, .undoUpdate)) }
        }
        for change in changes where change.wasInserted && !change.wasDeleted { context.delete(change.object) }
        for (object, flag) in flags { object.awake(fromSnapshotEvents: flag) }
        context.processPendingChanges()
    }

    private func restore(_ change: Change) {
        let object = change.object
        let layout = object.layout
        if let start = change.start, object.realise() {
            for cell in layout.cells {
                guard let row = object._row, let slab = object._slab else { break }
                guard !layout.cellsEqual(cell.index, row, slab, start.row, start.slab) else { continue }
                object.restoreCell(cell, from: start)
            }
            for (index, value) in start.boxed { object.extra.boxed[index] = value }
        }
        for toMany in change.toMany {
            for member in toMany.added where member.context === context {
                object.removeFromMany(member, at: toMany.index)
            }
            for member in toMany.removed where member.context === context { object.addToMany(member, at: toMany.index) }
            if let order = toMany.order {
                object.setToMany(ContiguousArray(order.lazy.filter { $0.context === self.context }), at: toMany.index)
            }
        }
    }
}

extension NSManagedObject {
    /// Sets one property to what it was in a snapshot, as a change like any other.
    fileprivate final func restoreCell(_ cell: EntityLayout.Cell, from snapshot: ObjectExtra.Snapshot) {
        if cell.kind == .reference {
            setToOne(snapshotValue(cell, snapshot) as? NSManagedObject, at: cell.relationshipIndex)
            return
        }
        beginChange()
        guard EntityLayout.isPresent(snapshot.row, cell.index) else {
            layout.clear(_row!, cell.index)
            markCellChanged(cell.index)
            return
        }
        var bits = layout.bits(snapshot.row, cell.index)
        if cell.kind.usesHeap {
            let bytes = snapshot.slab.bytes(HeapRange(bits: bits))
            bits = ownSlab(adding: bytes.count).append(bytes.baseAddress, count: bytes.count).bits
        }
        layout.set(_row!, cell.index, bits)
        markCellChanged(cell.index)
    }
}

extension NSManagedObjectContext {
    /// Takes back the last group of changes, if an undo manager is set.
    public final func undo() {
        checkQueue()
        processPendingChanges()
        undoManager?.undo()
        processPendingChanges()
    }

    /// Repeats what was undone last.
    public final func redo() {
        checkQueue()
        processPendingChanges()
        undoManager?.redo()
        processPendingChanges()
    }

    /// Brings back an object whose deletion is undone: one waiting to be deleted, one that never was saved, or one whose
    /// deletion was saved, which becomes a new object with the old values.
    final func reinsert(_ object: NSManagedObject) {
        if object._state.contains(.deleted), object.context === self {
            insert(object)
            return
        }
        guard object._row != nil, let table = object._table else { return }
        object._state.subtract([.dead, .fault])
        object._state.insert([.inserted, .registered, .ownsRow])
        table.uniquing.insert(object, key: object._key)
        list(object)
        if !object._state.contains(.inEvent) { noteChange(of: object) }
        object.allowDirectReads()
    }
}
