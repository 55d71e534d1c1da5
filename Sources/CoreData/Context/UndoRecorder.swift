import CoreDataRowStorage

/// Registers undo actions for the changes of each change-processing pass, as one group.
final class UndoRecorder {
    private unowned(unsafe) let context: NSManagedObjectContext

    /// The objects restored after a saved deletion, by the IDs of their deleted rows.
    private var successors: [NSManagedObjectID: WeakObject] = [:]

    init(_ context: NSManagedObjectContext) { self.context = context }

    /// The state of one object before a change-processing pass.
    fileprivate struct Change {
        enum Kind { case inserted, deleted, broughtBack, updated }
        let object: NSManagedObject
        let kind: Kind
        /// The row at the start of the pass.
        let start: RowSnapshot?
        /// The cells that changed during the pass.
        let cells: [Int]
        let toMany: [ToManyChange]
        /// The destinations of a deleted object, which releases them when it leaves the context or its deletion is saved.
        var relationships: ContiguousArray<AnyObject?> = []
    }

    fileprivate struct ToManyChange {
        let index: Int
        let added: ContiguousArray<NSManagedObject>
        let removed: ContiguousArray<NSManagedObject>
        let order: ContiguousArray<NSManagedObject>?
    }

    // MARK: Recording

    /// The changes that revert a change-processing pass.
    struct Undo {
        fileprivate let changes: [Change]
    }

    /// Returns the undo of a pass, or nil if there is nothing to undo. Called at the end of the pass, before its state is
    /// cleared.
    func undo(of objects: ContiguousArray<NSManagedObject>, in undoManager: UndoManager) -> Undo? {
        guard undoManager.isUndoRegistrationEnabled else { return nil }
        let changes = objects.compactMap(change)
        return changes.isEmpty ? nil : Undo(changes: changes)
    }

    /// Registers the undo of a pass. Called after the pass.
    func register(_ undo: Undo, in undoManager: UndoManager) {
        // Off Apple's platforms no run loop closes undo groups, so a pass is a group unless one is open.
        let isOwnGroup = undoManager.groupingLevel == 0 && !undoManager.isUndoing && !undoManager.isRedoing
        let groupsByEvent = undoManager.groupsByEvent
        if isOwnGroup {
            undoManager.groupsByEvent = false
            undoManager.beginUndoGrouping()
        }
        undoManager.registerUndo(withTarget: context) { context in context.undoRecorder.apply(undo.changes) }
        if isOwnGroup {
            undoManager.endUndoGrouping()
            undoManager.groupsByEvent = groupsByEvent
        }
    }

    private func change(of object: NSManagedObject) -> Change? {
        guard let kind = kind(of: object) else { return nil }
        var toMany: [ToManyChange] = []
        for case let state as ToMany in object._extra?.relationships ?? [] where state.hasEventChanges {
            // The positions of members are part of the undo.
            if state.relationship.isOrdered { _ = object.loadedToMany(at: state.relationship.index) }
            let order = state.relationship.isOrdered ? state.eventStartMembers : nil
            toMany.append(
                ToManyChange(
                    index: state.relationship.index, added: state.eventAdded, removed: state.eventRemoved, order: order)
            )
        }
        let start = kind == .inserted ? nil : object.eventStartSnapshot
        let cells = start.map { start in object.layout.cells.filter { object.differs($0, from: start) } } ?? []
        var change = Change(object: object, kind: kind, start: start, cells: cells.map(\.index), toMany: toMany)
        if kind == .deleted { change.relationships = object._extra?.relationships ?? [] }
        return change
    }

    private func kind(of object: NSManagedObject) -> Change.Kind? {
        let state = object._state
        if state.isDeleted {
            if state.contains(.deletionReported) { return .updated }
            return state.isInserted && !state.contains(.insertionReported) ? nil : .deleted
        }
        if state.contains(.deletionReported) { return .broughtBack }
        if state.isInserted { return state.contains(.insertionReported) ? .updated : .inserted }
        return state.isUpdated ? .updated : nil
    }

    // MARK: Undoing

    /// Reverts a change-processing pass. The reverting changes form another pass, recorded for redo.
    ///
    /// A pass with objects that cannot be read is not reverted, and the context records the error: half of it would be a state
    /// that never existed.
    private func apply(_ changes: [Change]) {
        guard changes.allSatisfy(isReadable) else { return }
        var revived: [Change] = []
        for change in changes where change.kind == .deleted {
            let old = change.object.objectID
            if change.object.context == nil {
                if change.object._row == nil {
                    revived.append(change)
                } else if !change.relationships.isEmpty {
                    change.object.extra.relationships = change.relationships
                }
            }
            context.bringBack(change.object, values: change.start)
            if !old.isTemporaryID, change.object._key < 0 { successors[old] = WeakObject(object: change.object) }
        }
        for change in changes where change.kind == .deleted && change.object.context === context {
            readdress(change.object)
        }
        for change in revived where change.object.context === context { relate(change) }
        for change in changes where change.kind == .deleted && change.object.context === context {
            change.object.reconnect()
        }
        for change in changes where change.kind == .deleted || change.kind == .updated { restore(change) }
        for change in changes where change.kind == .inserted || change.kind == .broughtBack {
            context.delete(change.object)
        }
        for change in changes where change.object.context === context {
            change.object.awake(fromSnapshotEvents: change.kind.event)
        }
        context.processPendingChanges()
    }

    private func isReadable(_ change: Change) -> Bool {
        func canChange(_ object: NSManagedObject) -> Bool { object.context !== context || object.isReadable }
        return canChange(change.object)
            && change.toMany.allSatisfy { $0.added.allSatisfy(canChange) && $0.removed.allSatisfy(canChange) }
    }

    private func restore(_ change: Change) {
        let object = change.object
        guard object.context === context, object.realise() else { return }
        let layout = object.layout
        if let start = change.start {
            for index in change.cells where object._row != nil {
                let cell = layout.cells[index]
                switch cell.kind {
                case .boxed: object.restoreBoxed(cell, from: start)
                case .reference: restoreToOne(cell, of: object, from: start)
                default: object.restoreCell(cell, from: start)
                }
            }
        }
        for toMany in change.toMany {
            for member in toMany.added where member.context === context {
                object.removeFromMany(member, at: toMany.index)
            }
            for member in toMany.removed where canRejoin(member) { object.addToMany(member, at: toMany.index) }
            if let order = toMany.order {
                object.setToMany(ContiguousArray(order.lazy.filter(canRejoin)), at: toMany.index)
            }
        }
    }

    /// Updates the references of a restored object to its destinations, which may have other keys now or be deleted.
    private func readdress(_ object: NSManagedObject) {
        guard object._state.isInserted, let row = object._row, let extra = object._extra else { return }
        let layout = object.layout
        for relationship in layout.relationships where relationship.cell >= 0 {
            guard relationship.index < extra.relationships.count,
                let destination = extra.relationships[relationship.index] as? NSManagedObject
            else { continue }
            if destination.context === context {
                layout.set(row, relationship.cell, UInt64(bitPattern: destination.reference.bits))
            } else {
                layout.clear(row, relationship.cell)
                extra.relationships[relationship.index] = nil
            }
        }
    }

    /// Restores the relationships of an object after a saved deletion. Others that were deleted with it are restored as well.
    private func relate(_ change: Change) {
        let object = change.object
        for relationship in object.layout.relationships {
            if relationship.cell >= 0 {
                guard let start = change.start else { continue }
                restoreToOne(object.layout.cells[relationship.cell], of: object, from: start)
            } else if relationship.index < change.relationships.count,
                let old = change.relationships[relationship.index] as? ToMany, !old.isFault
            {
                let members = ContiguousArray(old.members.lazy.filter(canRejoin))
                object.setToMany(members, at: relationship.index)
            }
        }
    }

    private func restoreToOne(
        _ cell: EntityLayout.Cell, of object: NSManagedObject, from snapshot: RowSnapshot
    ) {
        var old = object.snapshotValue(cell, snapshot) as? NSManagedObject
        if let known = old, known._row == nil, let successor = successors[known.objectID]?.object { old = successor }
        if let known = old, !canRejoin(known) { old = nil }
        if old !== object.toOne(at: cell.relationshipIndex) { object.setToOne(old, at: cell.relationshipIndex) }
    }

    private func canRejoin(_ member: NSManagedObject) -> Bool {
        member.context === context && !member._state.isDeleted
    }
}

extension UndoRecorder.Change.Kind {
    fileprivate var event: NSSnapshotEventType {
        switch self {
        case .inserted, .broughtBack: .undoInsertion
        case .deleted: .undoDeletion
        case .updated: .undoUpdate
        }
    }
}

extension NSManagedObject {
    /// Sets one attribute to its value in a snapshot, as an ordinary change.
    fileprivate final func restoreCell(_ cell: EntityLayout.Cell, from snapshot: RowSnapshot) {
        beginChange()
        copyCell(cell, from: snapshot.row, in: snapshot.slab)
        extra.setBoxed(snapshot.boxed[cell.index], at: cell.index)
    }

    fileprivate final func restoreBoxed(_ cell: EntityLayout.Cell, from snapshot: RowSnapshot) {
        let old = snapshot.boxed[cell.index]
        guard !AttributeValues.areEqual(_extra?.boxed[cell.index], old) else { return }
        beginChange()
        extra.setBoxed(old, at: cell.index)
        markCellChanged(cell.index)
    }
}

extension NSManagedObjectContext {
    final func undoLastGroup() {
        checkQueue()
        processPendingChanges()
        undoManager?.undo()
        processPendingChanges()
    }

    final func redoLastGroup() {
        checkQueue()
        processPendingChanges()
        undoManager?.redo()
        processPendingChanges()
    }

    /// Removes this context's actions from its former undo manager: on its queue if it is used there, otherwise on the calling
    /// thread.
    final func withdrawUndo(from manager: UndoManager) {
        if executor.isCurrent || !executor.isUsed {
            manager.removeAllActions(withTarget: self)
            return
        }
        let manager = Unchecked(manager)
        executor.asyncQuietly { [handle] in
            guard let context = handle.object else { return }
            // The manager may have been set again.
            if context.undoManager !== manager.value { manager.value.removeAllActions(withTarget: context) }
        }
    }
}
