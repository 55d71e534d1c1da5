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

    /// Makes an object that was never saved a fault without a row, so that it is not saved, read or deleted.
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

    /// Turns an object into a fault. Discards its unsaved changes, except those stored in the rows of other objects.
    final func dropChanges(of object: NSManagedObject) {
        var keeps = false
        if object._state.isUpdated {
            object.withdrawRelationshipChanges()
            keeps = object.hasToManyChanges
        }
        object.turnIntoFault(keepsToMany: keeps)
    }

    /// Returns true if the row of a fault is older than ``stalenessInterval`` allows.
    final func isStale(_ object: NSManagedObject) -> Bool {
        guard let slab = object._slab, parent == nil, stalenessInterval >= 0 else { return false }
        return stalenessInterval == 0 || RowSlab.now - slab.birth > stalenessInterval
    }

    // MARK: Reading again

    /// Reads the rows of objects again: clean objects take the new values, changed ones keep their changes.
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

    /// Gives objects new rows below their unsaved changes.
    final func rebase(_ rows: [(NSManagedObject, RowSnapshot)]) {
        var lost: [LostDestination] = []
        for (object, row) in rows { object.rebase(on: row, &lost) }
        // The inverses of lost destinations can be corrected only when all relationships match the store.
        for loss in lost { loss.object.disconnect(loss) }
        // A relationship change that was also made elsewhere is no longer a change; only its members show that.
        for (object, _) in rows where object._state.isChanged {
            for case let toMany as ToMany in object._extra?.relationships ?? [] where toMany.hasChanges {
                _ = object.loadedToMany(at: toMany.relationship.index)
            }
        }
    }

    /// Returns the current rows of objects in the stores, without deleted ones.
    ///
    /// - Throws: Errors of the stores.
    final func freshRows(of objects: [NSManagedObject]) throws -> [(NSManagedObject, RowSnapshot)] {
        try Self.groupedByStore(objects).flatMap { try freshRows(ofOneTable: $0) }
    }

    /// Returns the current rows of objects in the stores, without deleted and unreadable ones; records the errors.
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

    /// Reads the rows of objects that have none, with one query for each table. A child copies its parent's rows; the parent
    /// reads missing ones.
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

/// A sink that receives new rows of registered objects.
private final class RereadSink: RowSink {
    private let objects: [Int64: NSManagedObject]
    private var current: NSManagedObject?
    private(set) var rows: [(NSManagedObject, RowSnapshot)] = []
    /// The keys of the objects, each once.
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
    /// True for a new object that was refreshed before its first save: there is no row to read.
    final var isDroppedInsertion: Bool { _key < 0 && _state.contains(.inaccessible) }

    /// The current values for a child context, without those of transient attributes. Shares the row if it is immutable, and
    /// copies it otherwise.
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

    /// Takes a new row as the committed one and reapplies this object's unsaved changes to it.
    ///
    /// - Parameters:
    ///   - lost: Collects to-one relationships that were changed both here and elsewhere.
    ///   - keepsRelationships: Whether loaded relationships stay loaded; for rows in which only derived values have changed.
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
        // Start from the new row as if it had just been fetched, then apply the changes again.
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

    /// Removes this object from the inverse relationship of the store's destination. The destination set here stays.
    fileprivate final func disconnect(_ loss: LostDestination) {
        guard let inverse = loss.cell.relationship?.inverseRelationship,
            let there = snapshotValue(loss.cell, loss.fresh) as? NSManagedObject,
            there !== toOne(at: loss.cell.relationshipIndex)
        else { return }
        there.removeInverse(inverse.name, self)
    }

    /// Releases materialized relationships and fetched properties, except those changed here.
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

    /// Reverts the unsaved changes of this object's relationships, in the inverse relationships too, except those stored in the
    /// rows of other objects.
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

/// A to-one relationship changed both here and elsewhere.
struct LostDestination {
    let object: NSManagedObject
    let cell: EntityLayout.Cell
    /// The current row in the store.
    let fresh: RowSnapshot
}
