/// One attempt to write a context's changes to its stores.
struct SaveRun {
    private let context: NSManagedObjectContext
    private let coordinator: NSPersistentStoreCoordinator
    private var outcome = SaveOutcome()
    private var plans: [Plan] = []

    /// What goes to one store.
    private struct Plan {
        let store: any RowStore
        var changes = StoreChanges()
        /// Position of each entity's group, by entity number.
        var insertGroups: [Int: Int] = [:]
        var updateGroups: [Int: Int] = [:]
        var deleteGroups: [Int: Int] = [:]
        var inserted: [NSManagedObject] = []
        var updated: [NSManagedObject] = []
        var deleted: [NSManagedObject] = []

        mutating func inserts(_ row: StoreChanges.Row, _ layout: EntityLayout) {
            changes.inserts.add(row, of: layout, &insertGroups)
        }
        mutating func updates(_ row: StoreChanges.Row, _ layout: EntityLayout) {
            changes.updates.add(row, of: layout, &updateGroups)
        }
        mutating func deletes(_ row: StoreChanges.Row, _ layout: EntityLayout) {
            changes.deletes.add(row, of: layout, &deleteGroups)
        }
    }

    init(_ context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator) {
        self.context = context
        self.coordinator = coordinator
    }

    /// Writes. Throws ``StoreConflicts`` for the merge policy to resolve, anything else for good.
    consuming func run() throws -> SaveOutcome {
        for object in context.changedObjects { try add(object) }
        for object in context.locked where !object.hasChanges { try addLocked(object) }
        for store in coordinator.rowStores where store.unsavedMetadata != nil {
            plans[try plan(for: store)].changes.metadata = store.unsavedMetadata
        }
        var done: [NSPersistentStore] = []
        for index in plans.indices {
            let plan = plans[index]
            do {
                let keys = try plan.store.save(plan.changes)
                if plan.changes.metadata != nil { plan.store.noteMetadataSaved() }
                commit(plan, keys)
                done.append(plan.store)
            } catch  where !done.isEmpty && !(error is StoreConflicts) {
                throw CoreDataError.make(
                    NSPersistentStoreIncompleteSaveError, description: "Some of the stores could not be saved.",
                    underlying: error, userInfo: [NSAffectedStoresErrorKey: [plan.store]])
            }
        }
        return outcome
    }

    // MARK: Collecting

    private mutating func plan(for store: any RowStore) throws -> Int {
        if let index = plans.firstIndex(where: { $0.store === store }) { return index }
        if store.isReadOnly {
            throw CoreDataError.make(
                NSPersistentStoreSaveError, description: "The store is read-only.",
                reason: "Attempt to write a read-only store: \(store.url?.path ?? "?")",
                advice: "Open the store without NSReadOnlyPersistentStoreOption to save changes to it.",
                userInfo: [NSAffectedStoresErrorKey: [store]])
        }
        var plan = Plan(store: store)
        plan.changes.author = context.transactionAuthor
        plan.changes.contextName = context.name
        plans.append(plan)
        return plans.count - 1
    }

    private mutating func add(_ object: NSManagedObject) throws {
        let state = object._state
        if state.contains([.inserted, .deleted]) { return }
        let store =
            state.contains(.inserted) ? try context.store(forNew: object, coordinator) : object._table?.store
        guard let store else { return }
        let index = try plan(for: store)
        let layout = object.layout
        if state.contains(.deleted) {
            guard object.realise(), let row = object.committedSnapshot ?? object.currentSnapshot else {
                // Gone already: nothing to delete, nothing to report but that it is gone.
                plans[index].deleted.append(object)
                return
            }
            let entry = StoreChanges.Row(
                key: object._key, version: EntityLayout.version(row.row), row: row.row, slab: row.slab)
            plans[index].deletes(entry, layout)
            plans[index].deleted.append(object)
            addToMany(of: object, to: index)
            return
        }
        try checkStoreOfDestinations(of: object, store)
        guard let row = object._row, let slab = object._slab else { return }
        if state.contains(.inserted) {
            let entry = StoreChanges.Row(key: object._key, version: 0, row: row, slab: slab)
            plans[index].inserts(entry, layout)
            plans[index].inserted.append(object)
        } else {
            if object.hasPersistentChanges {
                let entry = StoreChanges.Row(
                    key: object._key, version: EntityLayout.version(row), row: row, slab: slab)
                plans[index].updates(entry, layout)
            }
            plans[index].updated.append(object)
        }
        addToMany(of: object, to: index)
    }

    private mutating func addLocked(_ object: NSManagedObject) throws {
        guard let store = object._table?.store, object.realise(), let row = object._row, let slab = object._slab else {
            return
        }
        let index = try plan(for: store)
        var groups: [Int: Int] = [:]
        let entry = StoreChanges.Row(key: object._key, version: EntityLayout.version(row), row: row, slab: slab)
        plans[index].changes.locked.add(entry, of: object.layout, &groups)
    }

    private mutating func addToMany(of object: NSManagedObject, to index: Int) {
        guard let extra = object._extra else { return }
        for case let toMany as ToMany in extra.relationships where toMany.hasChanges {
            let relationship = toMany.relationship
            guard !relationship.description.isTransient else { continue }
            let inverse = relationship.description.inverseRelationship
            // One-to-many lives in the other side's row; only its order is kept apart.
            guard inverse == nil || inverse!.isToMany || relationship.isOrdered else { continue }
            let order =
                relationship.isOrdered && !object._state.contains(.deleted)
                ? ContiguousArray(object.loadedToMany(at: relationship.index).members.lazy.map(\.reference)) : nil
            plans[index].changes.toMany.append(
                StoreChanges.ToMany(
                    layout: object.layout, relationship: relationship, source: object.reference,
                    added: ContiguousArray(toMany.added.lazy.map(\.reference)),
                    removed: ContiguousArray(toMany.removed.lazy.filter { $0._key > 0 }.map(\.reference)), order: order)
            )
        }
    }

    /// Relationships cannot lead from one store to another.
    private func checkStoreOfDestinations(of object: NSManagedObject, _ store: any RowStore) throws {
        guard coordinator.rowStores.count > 1, let extra = object._extra else { return }
        for (index, materialised) in extra.relationships.enumerated() {
            let destinations: ContiguousArray<NSManagedObject>
            switch materialised {
            case let toMany as ToMany: destinations = toMany.added
            case let single as NSManagedObject: destinations = [single]
            default: continue
            }
            for destination in destinations {
                let other =
                    destination._state.contains(.inserted)
                    ? try context.store(forNew: destination, coordinator) : destination._table?.store
                guard let other, other !== store else { continue }
                throw CoreDataError.make(
                    NSManagedObjectExternalRelationshipError,
                    description: "A relationship leads to an object in another store.",
                    reason:
                        "\(object.layout.name).\(object.layout.relationships[index].name) leads from \(object.objectID) to \(destination.objectID).",
                    advice: "Keep related objects in one store, or use a fetched property.", entity: object.layout.name,
                    key: object.layout.relationships[index].name,
                    userInfo: [NSAffectedObjectsErrorKey: [object, destination]])
            }
        }
    }

    // MARK: After the transaction

    private mutating func commit(_ plan: Plan, _ keys: SavedKeys) {
        for object in plan.inserted where object._key < 0 {
            if let key = keys[object._key] { context.adoptPermanentKey(key, of: object, in: plan.store) }
        }
        // Only now that every new object has its key can rows that refer to them be put right.
        for object in plan.inserted {
            object.resolveReferences()
            object.didCommit(version: 1)
        }
        for object in plan.updated {
            object.resolveReferences()
            let version = object._row.map { EntityLayout.version($0) } ?? 0
            object.didCommit(version: object.hasPersistentChanges ? version + 1 : version)
        }
        for object in plan.deleted { object._state.subtract([.deleted, .listed, .updated]) }
        for object in plan.inserted where !object.layout.derivedCells.isEmpty { object.needsRereading() }
        for object in plan.updated where !object.layout.derivedCells.isEmpty { object.needsRereading() }
        outcome.inserted += plan.inserted
        outcome.updated += plan.updated
        outcome.deleted += plan.deleted
    }
}

extension [StoreChanges.Group] {
    fileprivate mutating func add(_ row: StoreChanges.Row, of layout: EntityLayout, _ groups: inout [Int: Int]) {
        if !isEmpty, self[count - 1].layout === layout {
            self[count - 1].rows.append(row)
        } else if let index = groups[layout.number] {
            self[index].rows.append(row)
        } else {
            groups[layout.number] = count
            append(StoreChanges.Group(layout: layout, rows: [row]))
        }
    }
}

extension NSManagedObject {
    final var currentSnapshot: ObjectExtra.Snapshot? {
        guard let row = _row, let slab = _slab else { return nil }
        return ObjectExtra.Snapshot(row: row, slab: slab)
    }

    /// Points to-one cells that name new objects by their temporary keys to the permanent ones.
    final func resolveReferences() {
        guard let row = _row, let extra = _extra, !extra.relationships.isEmpty else { return }
        let layout = layout
        for relationship in layout.relationships where relationship.cell >= 0 {
            guard EntityLayout.isPresent(row, relationship.cell), layout.bits(row, relationship.cell) >> 63 == 1,
                let destination = extra.relationships[relationship.index] as? NSManagedObject
            else { continue }
            layout.set(row, relationship.cell, UInt64(bitPattern: destination.reference.bits))
        }
    }

    /// The store computes some values: they are read when next asked for.
    final func needsRereading() {
        guard _state.isDisjoint(with: .changed), let context else { return }
        context.reread([self])
    }
}
