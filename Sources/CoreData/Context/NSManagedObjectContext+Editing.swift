extension NSManagedObjectContext {
    // MARK: Changed objects

    /// Objects with unsaved changes.
    final var changedObjects: some Collection<NSManagedObject> {
        changed.lazy.filter { $0._state.contains(.listed) }
    }

    /// Inserted and not saved yet.
    public final var insertedObjects: Set<NSManagedObject> {
        Set(changedObjects.filter { $0._state.contains(.inserted) && !$0._state.contains(.deleted) })
    }
    /// Changed since they were fetched or saved last.
    public final var updatedObjects: Set<NSManagedObject> { Set(changedObjects.filter { $0.isUpdated }) }
    /// To be deleted by the next save.
    public final var deletedObjects: Set<NSManagedObject> {
        Set(changedObjects.filter { $0._state.contains(.deleted) && !$0._state.contains(.inserted) })
    }
    /// Whether anything is inserted, updated or deleted.
    public final var hasChanges: Bool { changedObjects.contains { _ in true } }

    /// Puts an object into the list of those with unsaved changes.
    @inline(__always)
    final func list(_ object: NSManagedObject) {
        guard !object._state.contains(.listed) else { return }
        object._state.insert(.listed)
        changed.append(object)
    }

    /// An object changes for the first time in this event.
    @inline(__always)
    final func noteChange(of object: NSManagedObject) {
        object._state.insert(.inEvent)
        event.append(object)
        if concurrencyType == .mainQueueConcurrencyType { scheduleProcessing() }
    }

    /// Forgets the entries of objects that have no unsaved changes any more.
    final func compactChanged() {
        changed.removeAll { !$0._state.contains(.listed) }
    }

    // MARK: Insert

    /// Inserts an object made without a context, or takes back a deletion that is not saved yet.
    ///
    /// Traps when the object belongs to another context.
    public final func insert(_ object: NSManagedObject) {
        checkQueue()
        if object._state.contains(.deleted), object.context === self {
            takeBackDeletion(of: object)
            return
        }
        if let other = object.context {
            precondition(
                other === self,
                "An NSManagedObject may only be in (or observed by) a single NSManagedObjectContext. Get it by its objectID instead."
            )
            return
        }
        let layout = object.layout
        precondition(
            !layout.entity.isAbstract,
            "Cannot insert an object of the abstract entity \(layout.name). Insert one of a sub-entity.")
        let table = unsavedTable(of: layout)
        object._table = table
        object._key = makeTemporaryKey()
        object._state.subtract([.dead, .fault])
        if object._row == nil {
            let (row, slab) = arena.makeRow(bytes: layout.ownRowBytes)
            (row + 4).storeBytes(of: UInt32(layout.changedOffset), as: UInt32.self)
            object.adopt(row, in: slab)
            layout.defaults.apply(to: row, in: slab, of: object)
        }
        object._state.insert([.ownsRow, .inserted, .registered])
        table.uniquing.insert(object, key: object._key)
        list(object)
        noteChange(of: object)
        object.allowDirectReads()
        if !ConcurrencyChecks.isOn { object._writeTag = layout.tag }
        object.awakeFromInsert()
    }

    private final func takeBackDeletion(of object: NSManagedObject) {
        object._state.subtract([.deleted, .propagated])
        if !object._state.contains(.inserted) { object._state.insert(.updated) }
        list(object)
        if !object._state.contains(.inEvent) { noteChange(of: object) }
    }

    /// Chooses the store a new object goes to, where several could hold it.
    public final func assign(_ object: Any, to store: NSPersistentStore) {
        guard let object = object as? NSManagedObject else { return }
        precondition(
            object._state.contains(.inserted) && object._key < 0,
            "Can't reassign an object to a different store once it has been saved.")
        object.extra.assignedStore = store
    }

    /// Gives new objects their permanent IDs now instead of in the save. They stay inserted.
    public final func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        checkQueue()
        let new = objects.filter { $0._state.contains(.inserted) && $0._key < 0 && $0.context === self }
        guard !new.isEmpty else { return }
        guard let coordinator = persistentStoreCoordinator else { return }
        let groups = Dictionary(grouping: new) { ObjectIdentifier($0.layout.root) }
        for group in groups.values {
            for (store, members) in try groupedByStore(group, coordinator) {
                if let store = store as? any ObjectStore {
                    for (object, key) in zip(members, try store.makeKeys(for: members)) {
                        adoptPermanentKey(key, of: object, in: store)
                    }
                    continue
                }
                var key = try store.reserveKeys(count: members.count, of: members[0].layout)
                for object in members {
                    adoptPermanentKey(key, of: object, in: store)
                    key += 1
                }
            }
        }
    }

    private final func groupedByStore(
        _ objects: [NSManagedObject], _ coordinator: NSPersistentStoreCoordinator
    ) throws -> [(any RowStore, [NSManagedObject])] {
        var result: [(any RowStore, [NSManagedObject])] = []
        for object in objects {
            let store = try store(forNew: object, coordinator)
            if let index = result.firstIndex(where: { $0.0 === store }) {
                result[index].1.append(object)
            } else {
                result.append((store, [object]))
            }
        }
        return result
    }

    final func store(forNew object: NSManagedObject, _ coordinator: NSPersistentStoreCoordinator) throws -> any RowStore
    {
        if let assigned = object._extra?.assignedStore as? any RowStore { return assigned }
        if let store = object._table?.store { return store }
        if let store = coordinator.store(forNew: object.layout) { return store }
        throw CoreDataError.make(
            NSPersistentStoreIncompleteSaveError,
            description: "There is no store for a new object of the entity \(object.layout.name).",
            reason: "No writable store's configuration holds the entity.",
            advice: "Add a store whose configuration includes the entity, or assign the object to a store.",
            entity: object.layout.name)
    }

    /// Replaces an object's temporary key.
    final func adoptPermanentKey(_ key: Int64, of object: NSManagedObject, in store: any RowStore) {
        guard let old = object._table else { return }
        let temporary = object._key
        old.uniquing.remove(object, key: temporary)
        let table = table(of: object.layout, in: store)
        object._table = table
        object._key = key
        object._extra?.objectID = nil
        table.uniquing.insert(object, key: key)
        if !children.isEmpty { resolvedTemporaries[temporary] = object.objectID }
    }

    // MARK: Delete

    /// Marks an object for deletion by the next save. A new object simply leaves the context.
    ///
    /// Delete rules are applied when changes are processed. Traps when the object belongs to another context.
    public final func delete(_ object: NSManagedObject) {
        checkQueue(object)
        guard let owner = object.context else { return }
        precondition(
            owner === self,
            "An NSManagedObjectContext cannot delete objects in other contexts. Delete \(object.objectID) in its own context."
        )
        guard !object._state.contains(.deleted) else { return }
        object.prepareForDeletion()
        guard !object._state.contains(.deleted) else { return }
        object._state.insert(.deleted)
        object._state.insert(.changedInSave)
        list(object)
        if !object._state.contains(.inEvent) { noteChange(of: object) }
    }

    /// Checks an unchanged object for conflicts in the next save.
    public final func detectConflicts(for object: NSManagedObject) {
        checkQueue(object)
        guard object.context === self, object._key > 0 else { return }
        locked.insert(object)
    }
}
