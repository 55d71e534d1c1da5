import CoreDataRowStorage
import CoreDataRuntimeSupport

extension NSManagedObjectContext {
    // MARK: Changed objects

    /// The objects with unsaved changes.
    final var changedObjects: some Collection<NSManagedObject> {
        changes.objects.lazy.filter { $0._state.isChanged }
    }

    final var unsavedInserts: Set<NSManagedObject> {
        Set(changedObjects.filter { $0._state.life == .inserted })
    }
    final var unsavedUpdates: Set<NSManagedObject> { Set(changedObjects.filter { $0.hasUnsavedUpdate }) }
    final var unsavedDeletes: Set<NSManagedObject> {
        Set(changedObjects.filter { $0._state.life == .deleted })
    }

    final var hasUnsavedChanges: Bool {
        // Removes unchanged entries at the end, so that each is checked once.
        while changes.takeLastUnchanged() != nil {}
        if !changes.objects.isEmpty { return true }
        changes.dropIndex()
        return false
    }

    // MARK: Insert

    final func insertObject(_ object: NSManagedObject) {
        checkQueue()
        // A new object must not be invalidated with a store that was removed earlier.
        handleRemovals()
        if object._tableReference == nil, object._extra == nil, object._row == nil,
            let table = registry.tableOfLastInserted(detachedKey: object._key)
        {
            table._withUnsafeGuaranteedRef { register(fresh: object, in: $0) }
            object.awakeFromInsert()
            return
        }
        if let other = object.context {
            precondition(
                other === self,
                "An NSManagedObject may only be in (or observed by) a single NSManagedObjectContext. Get it by its objectID instead."
            )
            if object._state.isDeleted { takeBackDeletion(of: object) }
            return
        }
        register(new: object)
        object.awakeFromInsert()
    }

    /// Registers an object that is in no context: assigns a temporary key, and default values if it has none.
    private final func register(new object: NSManagedObject) {
        let layout = object.layout
        precondition(
            !layout.entity.isAbstract,
            "Cannot insert an object of the abstract entity \(layout.name). Insert one of a sub-entity.")
        if registry.knownUnsavedTable(layout.number) == nil { ManagedObjectClassRegistry.note(Swift.type(of: object)) }
        let table = unsavedTable(of: layout)
        // A free-standing object keeps an ID that the program has read.
        let known = object._table == nil ? object._extra?.objectID?.key : nil
        if object._table == nil, object._extra?.relationships.isEmpty == false { saves.requireResolving() }
        if object._table != nil { object._extra?.objectID = nil }
        object._table = table
        object._key = known ?? registry.nextTemporaryKey()
        object._state.remove(.fault)
        if object._row == nil { giveDefaultRow(to: object, layout) } else { object.noteValuesAtInsertion() }
        enter(inserted: object, in: table)
        registry.note(insertionInto: table)
    }

    /// Registers a new object of the entity inserted last: assigns a temporary key and default values.
    @inline(__always)
    private final func register(fresh object: NSManagedObject, in table: EntityTable) {
        table.take()
        object._attachment = ObjectAttachment(table)
        object._key = registry.nextTemporaryKey()
        giveDefaultRow(to: object, table.layout)
        enter(inserted: object, in: table)
    }

    @inline(__always)
    private final func giveDefaultRow(to object: NSManagedObject, _ layout: EntityLayout) {
        let (row, slab) = registry.makeRow(bytes: layout.ownRowBytes)
        (row + 4).storeBytes(of: UInt32(layout.changedOffset), as: UInt32.self)
        object.adopt(row, in: slab)
        layout.defaults.apply(to: row, in: slab, of: object, layout)
    }

    /// Adds an object with values and a temporary key to this context's inserted objects.
    private final func enter(inserted object: NSManagedObject, in table: EntityTable) {
        object.move(to: .inserted)
        object._state.insert(.ownsRow)
        table.uniquing.insert(object, key: object._key)
        if table.notesRegistration { table.noteRegistration(of: object._key) }
        changes.enlist(object)
        if !object._state.contains(.inEvent) { joinEvent(object) }
        if !ConcurrencyChecks.isOn {
            object._readTag = table.tag
            object.allowDirectWrites()
        }
        if retainsRegisteredObjects { registry.retain(object) }
    }

    /// Cancels the pending deletion of an object.
    final func takeBackDeletion(of object: NSManagedObject) {
        if !object._state.contains(.inEvent) { enterEvent(object) }
        if object._state.isInserted {
            object.move(to: .inserted)
        } else {
            object.move(to: object._state.contains(.ownsRow) || object.hasToManyChanges ? .updated : .saved)
        }
        changes.enlist(object)
    }

    /// Restores an object when its deletion is undone. If the deletion is pending or the object was never saved, it becomes
    /// what it was; if the deletion was saved, it becomes an inserted object with its former attributes.
    final func bringBack(_ object: NSManagedObject, values: RowSnapshot?) {
        if object.context === self {
            if object._state.isDeleted { takeBackDeletion(of: object) }
            return
        }
        guard let old = object._table else { return }
        let layout = old.layout
        // An ID obtained before the first save stays valid; the ID of a deleted row does not.
        let keepsID = object._row != nil && object.hasPermanentKey && old.uniquing.object(for: object._key) == nil
        if object._row == nil {
            guard let values else { return }
            let (row, slab) = registry.makeRow(bytes: layout.ownRowBytes)
            memcpy(row, values.row, layout.rowBytes)
            layout.copyHeap(from: values.slab, of: row, to: slab)
            // Relationships are set one by one: their destinations may have been deleted too, and restored under other keys.
            for relationship in layout.relationships where relationship.cell >= 0 {
                layout.clear(row, relationship.cell)
            }
            object.adopt(row, in: slab)
            if !values.boxed.isEmpty { object.extra.boxed = values.boxed }
        }
        (object._row! + 4).storeBytes(of: UInt32(layout.changedOffset), as: UInt32.self)
        EntityLayout.setVersion(object._row!, 0)
        // All values count as set: the presence bits become the change bits.
        memcpy(object._row! + layout.changedOffset, object._row! + 8, layout.bitWords * 8)
        let table = keepsID ? old : unsavedTable(of: layout)
        object._table = table
        if !keepsID {
            if object.hasPermanentKey { object._key = registry.nextTemporaryKey() }
            object._extra?.objectID = nil
        }
        object._extra?.committed = nil
        object._extra?.eventStart = nil
        object._state.subtract([.fault, .inaccessible, .fired, .insertionReported, .deletionReported])
        enter(inserted: object, in: table)
    }

    // MARK: Delete

    final func deleteObject(_ object: NSManagedObject) {
        checkQueue(object)
        guard let owner = object.context else { return }
        precondition(
            owner === self,
            "An NSManagedObjectContext cannot delete objects in other contexts. Delete \(object.objectID) in its own context."
        )
        guard !object._state.isDeleted else { return }
        if Probe.isOn { Probe.uses(object, .deletion) }
        if object.isDroppedInsertion { return }
        object.prepareForDeletion()
        guard !object._state.isDeleted else { return }
        if !object._state.contains(.inEvent) { enterEvent(object) }
        object.move(to: object._state.isInserted ? .discarded : .deleted)
        changes.note(deletionOf: object)
        changes.enlist(object)
    }

    final func lockObject(_ object: NSManagedObject) {
        checkQueue(object)
        guard object.context === self, object.hasPermanentKey else { return }
        saves.lock(object)
    }
}

/// Temporary keys for objects never saved, allocated in blocks so that the keys of a context are close together.
struct TemporaryKeys {
    private static let blockSize: Int64 = 1024

    private var upcoming: Int64 = 0
    private var left: Int64 = 0

    @inline(__always)
    mutating func next() -> Int64 {
        if left == 0 {
            upcoming = NSManagedObjectID.makeTemporaryKeys(count: Self.blockSize)
            left = Self.blockSize
        }
        defer {
            upcoming -= 1
            left -= 1
        }
        return upcoming
    }
}
