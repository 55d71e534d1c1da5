import CoreDataRowStorage
import CoreDataRuntimeSupport

// Replacing temporary IDs by permanent ones, in this context and its children.

extension NSManagedObjectContext {
    final func makePermanentIDs(for objects: [NSManagedObject]) throws {
        guard Probe.isOn, !objects.isEmpty else { return try assignPermanentIDs(to: objects) }
        objects.forEach { Probe.uses($0, .reference) }
        try Probe.measure(.permanentIDs, label) { record in
            record.objectCount = objects.count
            try assignPermanentIDs(to: objects)
        }
    }

    private final func assignPermanentIDs(to objects: [NSManagedObject]) throws {
        checkQueue()
        applyParentChanges()
        try makePermanentIDsInParent(for: objects)
        var seen: Set<ObjectIdentifier> = []
        let new = objects.filter {
            $0._state.isInserted && $0._key < 0 && $0.context === self
                && seen.insert(ObjectIdentifier($0)).inserted
        }
        guard !new.isEmpty, let coordinator = persistentStoreCoordinator else { return }
        let groups = Dictionary(grouping: new) { ObjectIdentifier($0.layout.root) }
        for group in groups.values {
            for (store, members) in try groupedByStore(group, coordinator) {
                if let store = store as? any ObjectStore {
                    for (object, key) in zip(members, try store.makeKeys(for: members)) {
                        adoptPermanentKey(key, of: object, in: store)
                    }
                    continue
                }
                let keys = try store.reserveKeys(count: members.count, of: members[0].layout)
                for (object, key) in zip(members, keys) { adoptPermanentKey(key, of: object, in: store) }
            }
        }
        // Rows that refer to these objects still contain their temporary keys.
        saves.requireResolving()
        announceIdentities()
        tellOfPermanentIDsLater()
    }

    /// Assigns permanent IDs to objects that were saved into the parent: they have the same IDs in both contexts.
    private final func makePermanentIDsInParent(for objects: [NSManagedObject]) throws {
        guard let parent else { return }
        let saved = objects.filter { !$0._state.isInserted && $0._key < 0 && $0.context === self }
        guard !saved.isEmpty else { return }
        try inParent(parent) {
            try parent.makePermanentIDs(for: saved.compactMap { parent.counterpart(of: $0) })
        }
        applyParentChanges()
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

    final func assignObject(_ object: Any, to store: NSPersistentStore) {
        guard let object = object as? NSManagedObject else { return }
        precondition(
            object._state.isInserted && object._key < 0,
            "Can't reassign an object to a different store once it has been saved.")
        object.extra.assignedStore = store
    }

    final func store(forNew object: NSManagedObject, _ coordinator: NSPersistentStoreCoordinator) throws -> any RowStore
    {
        if let store = object._table?.store { return store }
        if let assigned = object._extra?.assignedStore {
            guard let store = coordinator.stores(holding: object.layout).first(where: { $0 === assigned }) else {
                throw CoreDataError.make(
                    NSPersistentStoreIncompleteSaveError,
                    description: "A new object is assigned to a store that cannot hold it.",
                    reason: "The configuration of \(assigned) does not hold the entity \(object.layout.name).",
                    advice: "Assign the object to a store whose configuration includes its entity.",
                    entity: object.layout.name, userInfo: [NSAffectedStoresErrorKey: [assigned]])
            }
            return store
        }
        if let store = coordinator.store(forNew: object.layout) { return store }
        // An insertion into a read-only store fails like a change.
        if let readOnly = coordinator.stores(holding: object.layout).first { throw StoreErrors.readOnly(readOnly) }
        throw CoreDataError.make(
            NSPersistentStoreIncompleteSaveError,
            description: "There is no store for a new object of the entity \(object.layout.name).",
            reason: "No store's configuration holds the entity.",
            advice: "Add a store whose configuration includes the entity, or assign the object to a store.",
            entity: object.layout.name)
    }

    /// Replaces an object's temporary key by a permanent one.
    final func adoptPermanentKey(_ key: Int64, of object: NSManagedObject, in store: any RowStore) {
        guard let old = object._table else { return }
        let table = table(of: old.layout, in: store)
        let temporary = object._key
        permanentIDWaiters.changeCount += 1
        move(object, from: old, to: table, key: key)
        remember(temporary, as: key, in: table)
    }

    /// Replaces the temporary keys of saved objects.
    final func adoptPermanentKeys(
        _ keys: SavedKeys, of objects: ContiguousArray<NSManagedObject>, in store: any RowStore
    ) {
        permanentIDWaiters.changeCount += 1
        let isRemembered = undoManager != nil || !children.isEmpty
        // Consecutive objects mostly share their tables, which the context retains.
        var last: (old: Unmanaged<EntityTable>, new: Unmanaged<EntityTable>)?
        objects.forEachUnretained { object in
            let temporary = object._key
            guard temporary < 0, let key = keys[temporary], let old = object._tableReference else { return }
            if last?.old.toOpaque() != old.toOpaque() {
                last = (old, .passUnretained(table(of: object.layout, in: store)))
            }
            guard let new = last?.new else { return }
            old._withUnsafeGuaranteedRef { old in
                new._withUnsafeGuaranteedRef { move(object, from: old, to: $0, key: key) }
            }
            if isRemembered { new._withUnsafeGuaranteedRef { remember(temporary, as: key, in: $0) } }
        }
    }

    @inline(__always)
    private final func move(_ object: NSManagedObject, from old: EntityTable, to table: EntityTable, key: Int64) {
        object.move(from: old, to: table, key: key)
        object._extra?.objectID = nil
        if table.notesRegistration { table.noteRegistration(of: key) }
    }

    /// Records the permanent ID of a temporary key, for children and undo.
    private final func remember(_ temporary: Int64, as key: Int64, in table: EntityTable) {
        guard undoManager != nil || !children.isEmpty else { return }
        let change = (temporary, NSManagedObjectID(identity: table.identity, key: key))
        registry.remember(change)
        if !children.isEmpty { registry.announce([change]) }
    }

    // MARK: Children

    /// Sends the children the permanent IDs that replaced temporary ones, and the versions of the saved rows. The children
    /// apply them before they next access this context, or when their queue runs. A context that is not used in blocks of its
    /// queue is not accessed there, unless too many entries accumulate.
    final func announceIdentities() {
        guard !registry.identities.unannounced.isEmpty || !saves.versions.isEmpty else { return }
        let mail = ChildMailbox.Mail(identities: registry.takeUnannounced(), versions: saves.takeVersions())
        for child in children.all where child.mailbox.add(mail, isRead: child.executor.isUsed) {
            child.executor.asyncQuietly { child.executor.asCurrent(child) { child.applyParentChanges() } }
        }
    }

    /// Applies the ID remappings and row versions queued by the parent.
    final func applyParentChanges() {
        let mail = mailbox.take()
        guard !mail.isEmpty else { return }
        takeOver(mail.identities)
        takeOver(mail.versions)
    }

    final func takeOver(_ changes: [IdentityChanges.Change]) {
        guard !changes.isEmpty else { return }
        for change in changes {
            registry.remember(change)
            if let object = knownUnsavedObject(change.temporary), let store = store(of: change.permanent),
                table(of: object.layout, in: store).uniquing.object(for: change.permanent.key) == nil
            {
                let identifier = change.permanent.key
                object._table?.uniquing.remove(object, key: change.temporary)
                let table = table(of: object.layout, in: store)
                object._table = table
                object._key = identifier
                object._extra?.objectID = nil
                table.uniquing.insert(object, key: identifier)
                if table.notesRegistration { table.noteRegistration(of: identifier) }
            }
        }
        permanentIDWaiters.changeCount += 1
        tellOfPermanentIDsLater()
        arrivals.removeLent { $0.replaceTemporaryReferences(from: registry.identities) }
        if !children.isEmpty {
            registry.announce(changes)
            announceIdentities()
        }
    }

    /// Returns the permanent form of a temporary reference, or the reference itself. A context created or reset since the save
    /// asks its parent.
    final func permanent(_ reference: RowReference) -> RowReference {
        guard reference.isTemporary else { return reference }
        if let permanent = registry.identities[reference.key] { return permanent.reference }
        guard let parent, knownUnsavedObject(reference.key) == nil else { return reference }
        return inParent(parent) { parent.permanent(reference) }
    }

    /// Runs a block on the parent's queue, after applying all ID remappings queued by the parent.
    final func inParent<T>(_ parent: NSManagedObjectContext, _ body: () throws -> T) rethrows -> T {
        try parent.executor.sync(parent, isUse: false) {
            applyParentChanges()
            return try body()
        }
    }
}

extension NSManagedObject {
    /// Replaces temporary keys in to-one cells. Returns true if none is left.
    fileprivate final func replaceTemporaryReferences(from identities: IdentityChanges) -> Bool {
        guard let row = _row else { return true }
        var isDone = true
        for relationship in layout.relationships where relationship.cell >= 0 {
            guard EntityLayout.isPresent(row, relationship.cell) else { continue }
            let reference = RowReference(bits: layout.bits(row, relationship.cell))
            guard reference.isTemporary else { continue }
            guard let permanent = identities[reference.key] else {
                isDone = false
                continue
            }
            layout.set(row, relationship.cell, UInt64(bitPattern: permanent.reference.bits))
        }
        return isDone
    }
}
