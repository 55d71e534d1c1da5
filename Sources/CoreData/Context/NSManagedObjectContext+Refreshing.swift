extension NSManagedObjectContext {
    /// Brings an object up to date with the store.
    ///
    /// - Parameter flag: true keeps unsaved changes, laid over the fresh values; false drops them and makes the object a fault.
    public final func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        checkQueue(object)
        guard object.context === self, object._state.isDisjoint(with: [.inserted, .deleted]) else { return }
        if flag, object._state.contains(.updated) {
            reread([object])
            object.awake(fromSnapshotEvents: .refresh)
        } else {
            object.turnIntoFault()
        }
        noteRefreshed(object)
        processPendingChanges()
    }

    /// Brings every object up to date, keeping unsaved changes.
    public final func refreshAllObjects() {
        checkQueue()
        let objects = registered().filter { $0._state.isDisjoint(with: [.inserted, .deleted]) }
        let dirty = objects.filter { $0._state.contains(.updated) }
        reread(dirty)
        for object in dirty { object.awake(fromSnapshotEvents: .refresh) }
        for object in objects where !object._state.contains(.updated) { object.turnIntoFault() }
        eventRefreshed += objects
        processPendingChanges()
    }

    final func noteRefreshed(_ object: NSManagedObject) {
        eventRefreshed.append(object)
        if concurrencyType == .mainQueueConcurrencyType { scheduleProcessing() }
    }

    /// Reads the rows of objects anew: clean ones take the new values, changed ones keep their changes on top.
    final func reread(_ objects: [NSManagedObject]) {
        guard !objects.isEmpty else { return }
        if let parent {
            for object in objects { rereadFromParent(parent, object) }
            return
        }
        let groups = Dictionary(grouping: objects.filter { $0._table?.store != nil }) {
            ObjectIdentifier($0._table!.uniquing)
        }
        for group in groups.values {
            guard let table = group[0]._table, let store = table.store else { continue }
            let sink = RereadSink(group)
            try? store.readRows(keys: ContiguousArray(group.lazy.map(\._key)), of: table.layout, into: sink)
            for (object, snapshot) in sink.rows { object.rebase(on: snapshot) }
        }
    }

    private final func rereadFromParent(_ parent: NSManagedObjectContext, _ object: NSManagedObject) {
        let probe: ObjectExtra.Snapshot? = parent.performAndWait {
            guard let original = parent.counterpart(of: object), original.realise(), let row = original._row,
                let slab = original._slab
            else { return nil }
            let copySlab = RowSlab(rowBytes: object.layout.rowBytes)
            let copy = copySlab.makeRow(bytes: object.layout.rowBytes)!
            memcpy(copy, row, object.layout.rowBytes)
            (copy + 4).storeBytes(of: 0, as: UInt32.self)
            object.layout.copyHeap(from: slab, of: copy, to: copySlab)
            return ObjectExtra.Snapshot(row: copy, slab: copySlab)
        }
        if let probe { object.rebase(on: probe) }
    }

    // MARK: Undoing everything

    /// Takes back all unsaved changes: new objects leave, deleted ones are back, changed ones have their saved values.
    public final func rollback() {
        checkQueue()
        undoManager?.removeAllActions()
        let objects = Array(changedObjects)
        guard !objects.isEmpty || !event.isEmpty else { return }
        changed = []
        event = []
        isProcessing = true
        var removed: [NSManagedObject] = []
        for object in objects {
            if object._state.contains(.inserted) {
                removed.append(object)
            } else {
                object.restoreCommitted()
                object.awake(fromSnapshotEvents: .rollback)
                eventRefreshed.append(object)
            }
        }
        isProcessing = false
        let notice = RollbackNotice(removed: removed, refreshed: eventRefreshed)
        eventRefreshed = []
        for object in removed { object.die() }
        notice.post(from: self)
    }

    /// Forgets all objects and unsaved changes. Objects still held elsewhere read as nil from now on.
    public final func reset() {
        checkQueue()
        undoManager?.removeAllActions()
        let ids = registered().map(\.objectID)
        forgetEverything()
        NotificationCenter.default.post(
            name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: [NSInvalidatedAllObjectsKey: ids])
    }
}

/// What a rollback tells those who watch: new objects are gone, others have their saved values back.
private struct RollbackNotice {
    let removed: [NSManagedObject]
    let refreshed: ContiguousArray<NSManagedObject>

    func post(from context: NSManagedObjectContext) {
        var userInfo: [AnyHashable: Any] = [:]
        if !removed.isEmpty { userInfo[NSDeletedObjectsKey] = Set(removed) }
        if !refreshed.isEmpty { userInfo[NSRefreshedObjectsKey] = Set(refreshed) }
        NotificationCenter.default.post(
            name: .NSManagedObjectContextObjectsDidChange, object: context, userInfo: userInfo)
    }
}

/// Receives fresh rows of registered objects.
private final class RereadSink: RowSink {
    private let objects: [Int64: NSManagedObject]
    private var current: NSManagedObject?
    private(set) var rows: [(NSManagedObject, ObjectExtra.Snapshot)] = []

    init(_ objects: [NSManagedObject]) {
        self.objects = Dictionary(objects.map { ($0._key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func next(entityNumber: Int, key: Int64) -> Bool {
        current = objects[key]
        return current != nil
    }

    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) {
        if let current { rows.append((current, ObjectExtra.Snapshot(row: row, slab: slab))) }
    }
}

extension NSManagedObject {
    /// Takes a fresh row as what is saved, and lays this object's unsaved changes over it.
    final func rebase(on fresh: ObjectExtra.Snapshot) {
        guard _state.contains(.ownsRow), let oldRow = _row, let oldSlab = _slab else {
            forgetMaterialised()
            adopt(fresh.row, in: fresh.slab)
            _extra?.boxed = [:]
            return
        }
        var changed: [Int] = []
        forEachChangedCell { changed.append($0) }
        let boxed = _extra?.boxed ?? [:]
        forgetMaterialised(except: changed)
        // Start from the fresh row as if it had just been fetched, then change it again.
        _state.remove(.ownsRow)
        _extra?.boxed = [:]
        adopt(fresh.row, in: fresh.slab)
        makeOwnRow()
        let layout = layout
        for index in changed {
            if EntityLayout.isPresent(oldRow, index) {
                var bits = layout.bits(oldRow, index)
                if layout.cells[index].kind.usesHeap {
                    let bytes = oldSlab.bytes(HeapRange(bits: bits))
                    bits = ownSlab(adding: bytes.count).append(bytes.baseAddress, count: bytes.count).bits
                }
                layout.set(_row!, index, bits)
            } else {
                layout.clear(_row!, index)
            }
            if let value = boxed[index] { extra.boxed[index] = value }
            markCellChanged(index)
        }
        _writeTag = 0
    }

    /// Lets materialised relationships go, but for what was changed here.
    private final func forgetMaterialised(except changed: [Int] = []) {
        guard let extra = _extra, !extra.relationships.isEmpty else { return }
        for relationship in layout.relationships {
            if let toMany = extra.relationships[relationship.index] as? ToMany {
                toMany.turnIntoFault()
            } else if !changed.contains(relationship.cell) {
                extra.relationships[relationship.index] = nil
            }
        }
    }
}
