import CoreDataRowStorage

extension NSManagedObjectContext {
    final func refreshObject(_ object: NSManagedObject, mergeChanges flag: Bool) {
        guard Probe.isOn else { return renew(object, mergeChanges: flag) }
        Probe.uses(object, .reference)
        Probe.measure(.refresh, label, entity: object.layout.name) { record in
            record.objectCount = 1
            renew(object, mergeChanges: flag)
        }
    }

    private final func renew(_ object: NSManagedObject, mergeChanges flag: Bool) {
        checkQueue(object)
        guard object.context === self else { return }
        renewSessions()
        processPendingChanges()
        guard !object._state.isDeleted, !object._state.isOut, !object.isDroppedInsertion else { return }
        if object._state.isInserted {
            guard !flag else { return }
            dropInsertion(of: object)
        } else if flag, object._state.isUpdated {
            reread([object])
            object.awake(fromSnapshotEvents: .refresh)
        } else {
            let isChanged = object._state.isUpdated
            dropChanges(of: object)
            if isChanged { reapplyDeleteRules() }
        }
        noteRefreshed(object)
        processPendingChanges()
    }

    final func refreshEveryObject() {
        guard Probe.isOn else { return renewAll() }
        Probe.measure(.refresh, label) { record in
            record.objectCount = registered().count
            renewAll()
        }
    }

    private final func renewAll() {
        checkQueue()
        renewSessions()
        forgetReadErrors()
        changes.resumePostponedDeletions()
        processPendingChanges()
        let objects = registered().filter {
            !$0._state.isInsertedOrDeleted && !$0.isDroppedInsertion
        }
        let dirty = objects.filter { $0._state.isUpdated }
        reread(dirty)
        for object in dirty { object.awake(fromSnapshotEvents: .refresh) }
        for object in objects where !object._state.isUpdated { object.turnIntoFault() }
        arrivals.note(refreshed: objects)
        processPendingChanges()
    }

    /// Makes an object that was never saved a fault without a row. Nothing is left to be saved, read or deleted of it.
    private final func dropInsertion(of object: NSManagedObject) {
        for relationship in object.layout.relationships { object.withdraw(from: relationship) }
        object.move(to: .saved)
        object.turnIntoFault()
        object._state.insert(.inaccessible)
        compactChanged()
    }

    final func noteRefreshed(_ object: NSManagedObject) {
        arrivals.note(refreshed: object)
        if queueKind == .mainQueueConcurrencyType { scheduleProcessing() }
    }

    /// Makes an object a fault. Its unsaved changes go, but for those that lie in the rows of other objects.
    final func dropChanges(of object: NSManagedObject) {
        var keeps = false
        if object._state.isUpdated {
            object.withdrawRelationshipChanges()
            keeps = object.hasToManyChanges
        }
        object.turnIntoFault(keepsToMany: keeps)
    }

    /// Whether the row of a fault is older than this context wants.
    final func isStale(_ object: NSManagedObject) -> Bool {
        guard let slab = object._slab, parent == nil, stalenessInterval >= 0 else { return false }
        return stalenessInterval == 0 || RowSlab.now - slab.birth > stalenessInterval
    }

    // MARK: Reading anew

    /// Reads the rows of objects anew: clean ones take the new values, changed ones keep their changes on top.
    final func reread(_ objects: [NSManagedObject]) {
        guard !objects.isEmpty else { return }
        if let parent {
            let rows = inParent(parent) {
                objects.map { object in
                    Result {
                        try parent.counterpart(of: object).flatMap { try $0.realiseOrThrow() ? $0.sharedSnapshot : nil }
                    }
                }
            }
            var fresh: [(NSManagedObject, RowSnapshot)] = []
            for (object, row) in zip(objects, rows) {
                switch row {
                case .success(let row): if let row { fresh.append((object, row)) }
                case .failure(let error): note(readError: error, of: object)
                }
            }
            rebase(fresh)
        } else {
            rebase(notedFreshRows(of: objects))
        }
    }

    /// Gives objects fresh rows under their changes.
    final func rebase(_ rows: [(NSManagedObject, RowSnapshot)]) {
        var lost: [LostDestination] = []
        for (object, row) in rows { object.rebase(on: row, &lost) }
        // Only when all relationships are as they are in the store can the ends of those that lost be put right.
        for loss in lost { loss.object.disconnect(loss) }
        // What somebody else changed in the same way is no change of ours any more: only the members can tell.
        for (object, _) in rows where object._state.isChanged {
            for case let toMany as ToMany in object._extra?.relationships ?? [] where toMany.hasChanges {
                _ = object.loadedToMany(at: toMany.relationship.index)
            }
        }
    }

    /// What the stores have for objects now. Rows that are gone are left out.
    ///
    /// - Throws: Errors of the stores.
    final func freshRows(of objects: [NSManagedObject]) throws -> [(NSManagedObject, RowSnapshot)] {
        try Self.groupedByStore(objects).flatMap { try freshRows(ofOneTable: $0) }
    }

    /// The same without the rows that could not be read, which are noted.
    private final func notedFreshRows(of objects: [NSManagedObject]) -> [(NSManagedObject, RowSnapshot)] {
        Self.groupedByStore(objects).flatMap { group in
            do {
                return try freshRows(ofOneTable: group)
            } catch {
                for object in group { note(readError: error, of: object) }
                return []
            }
        }
    }

    private static func groupedByStore(_ objects: [NSManagedObject]) -> some Collection<[NSManagedObject]> {
        Dictionary(grouping: objects.filter { $0._table?.store != nil }) { ObjectIdentifier($0._table!.uniquing) }
            .values
    }

    private final func freshRows(ofOneTable group: [NSManagedObject]) throws -> [(NSManagedObject, RowSnapshot)] {
        guard let table = group[0]._table, let store = table.store else { return [] }
        let sink = RereadSink(group)
        try reading(store) {
            try $0.readRows(keys: sink.keys, of: table.layout, into: sink)
        }
        return sink.rows
    }

    /// Reads the rows of objects that have none yet, with one query for each table. A child borrows its parent's rows; the parent
    /// reads those it lacks.
    final func loadRows(of objects: [NSManagedObject]) throws {
        if let parent {
            let faults = objects.filter(\.lacksRow)
            if !faults.isEmpty { try inParent(parent) { try parent.lendRows(to: faults, of: self) } }
            return
        }
        let groups = Dictionary(
            grouping: objects.filter { $0._row == nil && $0._table?.store != nil && $0.hasPermanentKey }
        ) {
            ObjectIdentifier($0._table!.uniquing)
        }
        for group in groups.values {
            guard let table = group[0]._table, let store = table.store else { continue }
            let sink = RereadSink(group)
            try Probe.batch(group.count, of: table.layout, self) {
                try reading(store) {
                    try $0.readRows(keys: sink.keys, of: table.layout, into: sink)
                }
            }
            for (object, row) in sink.rows { object.adopt(row.row, in: row.slab) }
        }
    }
}

/// Receives fresh rows of registered objects.
private final class RereadSink: RowSink {
    private let objects: [Int64: NSManagedObject]
    private var current: NSManagedObject?
    private(set) var rows: [(NSManagedObject, RowSnapshot)] = []
    /// Those of the objects, each once.
    let keys: ContiguousArray<Int64>

    init(_ objects: [NSManagedObject]) {
        self.objects = Dictionary(objects.map { ($0._key, $0) }, uniquingKeysWith: { first, _ in first })
        keys = ContiguousArray(objects.lazy.map(\._key)).distinct
    }

    func next(entityNumber: Int, key: Int64) -> RowDecision {
        current = objects[key]
        return current != nil ? .take : .skip
    }

    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) {
        if let current { rows.append((current, RowSnapshot(row: row, slab: slab))) }
    }
}

extension NSManagedObject {
    /// Refreshed before it was ever saved: there is nothing to read.
    final var isDroppedInsertion: Bool { _key < 0 && _state.contains(.inaccessible) }

    /// The current values for a child context, without those of transient attributes: the very row if nothing can change it any
    /// more, else a copy.
    final var sharedSnapshot: RowSnapshot? {
        guard let row = _row, let slab = _slab else { return nil }
        let layout = layout
        var boxed = _extra?.boxed ?? [:]
        let transients = layout.transientCells
        var lendsRow = !_state.contains(.ownsRow) && !slab.isOpen
        if !transients.isEmpty {
            if !boxed.isEmpty { for index in transients { boxed[index] = nil } }
            if lendsRow { lendsRow = !transients.contains { EntityLayout.isPresent(row, $0) } }
        }
        if lendsRow { return RowSnapshot(row: row, slab: slab, boxed: boxed) }
        let (copy, copySlab) = layout.copyRow(row, in: slab)
        for index in transients { layout.clear(copy, index) }
        return RowSnapshot(row: copy, slab: copySlab, boxed: boxed)
    }

    /// Takes a fresh row as what is saved, and lays this object's unsaved changes over it.
    ///
    /// - Parameters:
    ///   - lost: Collects to-one relationships that were changed both here and elsewhere.
    ///   - keepsRelationships: Relationships that are loaded stay so; for rows that only the store's own computations have
    ///     changed.
    final func rebase(
        on fresh: RowSnapshot, _ lost: inout [LostDestination], keepsRelationships: Bool = false
    ) {
        noteUnannouncedValues()
        guard _state.contains(.ownsRow), let oldRow = _row, let oldSlab = _slab else {
            if !keepsRelationships { forgetMaterialised() }
            adopt(fresh.row, in: fresh.slab)
            if _extra?.boxed.isEmpty == false || !fresh.boxed.isEmpty { extra.boxed = fresh.boxed }
            if !_state.contains(.fault) { restoreTransients() }
            return
        }
        let layout = layout
        let base = _extra?.committed
        var changed: [Int] = []
        forEachChangedCell { if differsFromCommitted($0) { changed.append($0) } }
        changed = layout.withWholeComposites(changed)
        let boxed = _extra?.boxed ?? [:]
        if !keepsRelationships { forgetMaterialised(except: changed) }
        // Start from the fresh row as if it had just been fetched, then change it again.
        _state.remove(.ownsRow)
        extra.rowBefore = nil
        extra.boxed = fresh.boxed
        adopt(fresh.row, in: fresh.slab)
        makeOwnRow()
        layout.transientDefaults?.fill(self, layout)
        for index in changed {
            let cell = layout.cells[index]
            copyCell(cell, from: oldRow, in: oldSlab)
            extra.setBoxed(boxed[index], at: index)
            guard cell.kind == .reference, _state.isChanged else { continue }
            if let base, cellsAgree(index, base.row, base.slab, fresh.row, fresh.slab) { continue }
            lost.append(LostDestination(object: self, cell: cell, fresh: fresh))
        }
        _state.remove(.writable)
    }

    /// What was set here stays: whom the relationship leads to in the store must hear that it does so no longer.
    fileprivate final func disconnect(_ loss: LostDestination) {
        guard let inverse = loss.cell.relationship?.inverseRelationship,
            let there = snapshotValue(loss.cell, loss.fresh) as? NSManagedObject,
            there !== toOne(at: loss.cell.relationshipIndex)
        else { return }
        there.removeInverse(inverse.name, self)
    }

    /// Lets materialised relationships and fetched properties go, but for what was changed here.
    private final func forgetMaterialised(except changed: [Int] = []) {
        guard let extra = _extra else { return }
        extra.fetched = [:]
        guard !extra.relationships.isEmpty else { return }
        for relationship in layout.relationships {
            if let toMany = extra.relationships[relationship.index] as? ToMany {
                toMany.turnIntoFault()
            } else if !changed.contains(relationship.cell) {
                extra.relationships[relationship.index] = nil
            }
        }
    }

    /// Takes the unsaved changes of this object's relationships back, in the objects at their other ends too, but for those
    /// that lie in the other objects' rows.
    final func withdrawRelationshipChanges() {
        let layout = layout
        for relationship in layout.relationships {
            guard let inverse = relationship.description.inverseRelationship else { continue }
            if relationship.isToMany {
                guard inverse.isToMany, let extra = _extra, relationship.index < extra.relationships.count,
                    let toMany = extra.relationships[relationship.index] as? ToMany, toMany.hasChanges
                else { continue }
                for member in toMany.added { member.removeInverse(inverse.name, self) }
                for member in toMany.removed where member.context === context {
                    member.addInverse(inverse.name, self)
                }
                toMany.rollBack()
            } else if isCellChanged(relationship.cell), let committed = committedSnapshot {
                let old = snapshotValue(layout.cells[relationship.cell], committed) as? NSManagedObject
                let current = toOne(at: relationship.index)
                guard old !== current else { continue }
                current?.removeInverse(inverse.name, self)
                if let old, old.context === context, !old._state.isDeleted {
                    old.addInverse(inverse.name, self)
                }
            }
        }
    }
}

/// A to-one relationship that was changed here and elsewhere.
struct LostDestination {
    let object: NSManagedObject
    let cell: EntityLayout.Cell
    /// The row as it is in the store.
    let fresh: RowSnapshot
}
