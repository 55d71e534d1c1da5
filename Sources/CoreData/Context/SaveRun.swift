import CoreDataRowStorage
import CoreDataRuntimeSupport

/// An attempt to write a context's changes to its stores.
struct SaveRun {
    private let context: NSManagedObjectContext
    private let coordinator: NSPersistentStoreCoordinator
    /// One plan for each store. Initially it may hold an unused one.
    private(set) var plans: [SavePlan]
    private let rowStores: [any RowStore]
    /// The plan of the last new object, reused if the next one has the same entity. Retained by ``plans``.
    private var lastNew: (layout: ObjectIdentifier, plan: Unmanaged<SavePlan>)?
    /// The plan of the last saved object, reused for objects of the same table.
    private var lastSaved: (table: UnsafeMutableRawPointer, plan: Unmanaged<SavePlan>)?

    init(_ context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator) {
        self.context = context
        self.coordinator = coordinator
        rowStores = coordinator.rowStores
        plans = context.saves.takePlans()
    }

    /// Writes store by store, and adds the written objects to `outcome`.
    ///
    /// - Throws: ``StoreConflicts`` for the merge policy to resolve; any other error is final.
    mutating func run(_ outcome: inout SaveOutcome) throws {
        try context.requireStoresOfChanges()
        let changed = context.changes.objects
        try changed.forEachUnretained { object in
            if object.hasUnsavedChanges { try add(object) }
        }
        for object in context.saves.locked where !object.hasUnsavedChanges { try addLocked(object) }
        for store in rowStores where store.unsavedMetadata != nil {
            plans[try plan(for: store)].changes.metadata = store.unsavedMetadata
        }
        if let spare = plans.first, spare.store == nil { plans = [] }
        // Nothing is written while data that the save depends on could not be read.
        try context.throwReadError()
        for (index, plan) in plans.enumerated() {
            do {
                try write(plan, &outcome)
            } catch  where index > 0 && !(error is StoreConflicts) {
                throw CoreDataError.make(
                    NSPersistentStoreIncompleteSaveError, description: "Some of the stores could not be saved.",
                    reason: (error as NSError).localizedDescription,
                    advice: "The other stores have been saved. Put right what the underlying error says, save again.",
                    underlying: error, userInfo: [NSAffectedStoresErrorKey: plans[index...].map { $0.store! }])
            }
        }
    }

    private func write(_ plan: SavePlan, _ outcome: inout SaveOutcome) throws {
        plan.dropUnusedGroups()
        if plan.store.abilities.contains(.microsecondDates) { plan.roundDates() }
        let keys = plan.isEmpty ? SavedKeys() : try save(plan)
        if plan.changes.metadata != nil { plan.store.noteMetadataSaved() }
        plan.commit(keys, in: context)
        if let mark = keys.historyMark { outcome.history[plan.store.identifier] = mark }
        if outcome.isEmpty {
            outcome.inserted = plan.inserted
            outcome.updated = plan.updated
            outcome.deleted = plan.deleted
        } else {
            outcome.inserted += plan.inserted
            outcome.updated += plan.updated
            outcome.deleted += plan.deleted
        }
    }

    private func save(_ plan: SavePlan) throws -> SavedKeys {
        do {
            return try context.working(with: plan.store) { try plan.store.save(plan.changes, in: $0) }
        } catch let missing as MissingDestinations {
            throw plan.danglingReferences(missing.references)
        } catch let error as NSError where error.code == NSManagedObjectReferentialIntegrityError {
            throw plan.referencesToDiscarded() ?? error
        }
    }

    // MARK: Collecting

    private mutating func plan(for store: any RowStore) throws -> Int {
        if let index = plans.firstIndex(where: { $0.store === store }) { return index }
        if store.isReadOnly { throw StoreErrors.readOnly(store) }
        if plans.isEmpty || plans[0].store != nil { plans.append(SavePlan()) }
        let plan = plans[plans.count - 1]
        plan.begin(store: store, expecting: context.changes.objects.count)
        plan.changes.author = context.transactionAuthor
        plan.changes.contextName = context.name
        return plans.count - 1
    }

    private mutating func add(_ object: NSManagedObject) throws {
        let state = object._state
        if state.life == .discarded { return }
        let isNew = state.isInserted
        if isNew, let lastNew, rowStores.count == 1, object.layoutIdentifier == lastNew.layout {
            if context.saves.needsResolving { object.resolveReferences() }
            lastNew.plan._withUnsafeGuaranteedRef { $0.insert(object) }
            return
        }
        if !isNew, let lastSaved, rowStores.count == 1, object._tableReference?.toOpaque() == lastSaved.table {
            if state.isDeleted {
                lastSaved.plan._withUnsafeGuaranteedRef { $0.delete(object) }
            } else {
                if context.saves.needsResolving { object.resolveReferences() }
                lastSaved.plan._withUnsafeGuaranteedRef { $0.update(object) }
            }
            return
        }
        guard let store = isNew ? try context.store(forNew: object, coordinator) : object._table?.store else { return }
        let index = try plan(for: store)
        if !isNew, let table = object._tableReference {
            lastSaved = (table.toOpaque(), .passUnretained(plans[index]))
        }
        if state.isDeleted {
            plans[index].delete(object)
            return
        }
        if rowStores.count > 1 { try checkStoreOfDestinations(of: object, store) }
        if context.saves.needsResolving { object.resolveReferences() }
        if isNew {
            plans[index].insert(object)
            lastNew = object.layoutIdentifier.map { ($0, .passUnretained(plans[index])) }
        } else {
            plans[index].update(object)
        }
    }

    private mutating func addLocked(_ object: NSManagedObject) throws {
        guard let store = object._table?.store, !store.isReadOnly, object.realise() else { return }
        plans[try plan(for: store)].lock(object)
    }

    /// Checks that no relationship refers from one store to another.
    private func checkStoreOfDestinations(of object: NSManagedObject, _ store: any RowStore) throws {
        guard let extra = object._extra else { return }
        for (index, materialised) in extra.relationships.enumerated() {
            let destinations: ContiguousArray<NSManagedObject>
            switch materialised {
            case let toMany as ToMany: destinations = toMany.added
            case let single as NSManagedObject: destinations = [single]
            default: continue
            }
            for destination in destinations {
                let other =
                    destination._state.isInserted
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
}
