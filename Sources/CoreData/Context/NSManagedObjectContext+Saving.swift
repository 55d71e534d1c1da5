extension NSManagedObjectContext {
    /// Writes all unsaved changes: to the stores in one transaction each, or into the parent context.
    ///
    /// Sends `willSave()` until nothing changes any more, validates every object, then writes. When it throws, neither the
    /// stores nor this context have changed.
    ///
    /// - Throws: Validation errors, several collected under `NSDetailedErrorsKey`; merge errors with the conflicts that the
    ///   merge policy left; errors of the store.
    public final func save() throws {
        checkQueue()
        precondition(
            !isSaving,
            "A context cannot be saved while it is being saved. Do not call save() from willSave() or didSave().")
        processPendingChanges()
        if !propagatesDeletesAtEndOfEvent { propagateAllDeletes() }
        guard hasChanges || hasUnsavedMetadata else { return }
        isSaving = true
        defer { isSaving = false }
        try prepareToSave()
        NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: self)
        processPendingChanges()
        try validateAll()
        if let parent {
            try save(into: parent)
        } else {
            try saveToStores()
        }
    }

    private final var hasUnsavedMetadata: Bool {
        parent == nil && (persistentStoreCoordinator?.rowStores.contains { $0.unsavedMetadata != nil } ?? false)
    }

    private final func propagateAllDeletes() {
        for object in changedObjects where object._state.contains(.deleted) && !object._state.contains(.inEvent) {
            noteChange(of: object)
        }
        isProcessing = true
        propagateDeletes()
        isProcessing = false
        processPendingChanges()
    }

    /// Sends `willSave()` to everything that will be written, and again to what that changed.
    private final func prepareToSave() throws {
        var pending = Array(changedObjects)
        for _ in 0..<1000 {
            for object in pending { object._state.remove(.changedInSave) }
            let listed = changed.count
            for object in pending where object._state.contains(.listed) { object.willSave() }
            guard !event.isEmpty || changed.count > listed else { return }
            processPendingChanges()
            // Objects that change in their own willSave() are asked again, as are those that others changed or made.
            pending =
                changedObjects.filter { $0._state.contains(.changedInSave) }
                + changed[min(listed, changed.count)...].filter { $0._state.contains(.listed) }
            if pending.isEmpty { return }
        }
        fatalError(
            "Failed to process pending changes before save. The context is still dirty after 1000 attempts. Typically this recursive dirtying is caused by a bad validation method, -willSave, or notification handler. Compare before setting values in willSave(), or use primitive values there."
        )
    }

    private final func validateAll() throws {
        var errors = ValidationErrors()
        for object in changedObjects {
            let state = object._state
            do {
                if state.contains(.deleted) {
                    if !state.contains(.inserted) { try object.validateForDelete() }
                } else if state.contains(.inserted) {
                    try object.validateForInsert()
                } else {
                    try object.validateForUpdate()
                }
            } catch {
                errors.add(error)
            }
        }
        try errors.throwIfAny()
        if !event.isEmpty { processPendingChanges() }
    }

    // MARK: To the stores

    private final func saveToStores() throws {
        guard let coordinator = persistentStoreCoordinator, !coordinator.rowStores.isEmpty else {
            preconditionFailure(
                "This NSPersistentStoreCoordinator has no persistent stores. It cannot perform a save operation. Add a store first."
            )
        }
        var saved: SaveOutcome?
        for attempt in 0... {
            do {
                saved = try SaveRun(self, coordinator).run()
                break
            } catch let conflicts as StoreConflicts {
                // Each round resolves what it met; new conflicts may appear meanwhile, but not without end.
                guard attempt < 100 else { throw ConflictReport(self, conflicts).unresolvedError }
                try ConflictReport(self, conflicts).resolve(by: mergePolicy as! NSMergePolicy)
                processPendingChanges()
                guard hasChanges else { break }
            }
        }
        locked = []
        publish(saved ?? SaveOutcome())
    }

    /// Tells everybody that a save has happened.
    final func publish(_ outcome: SaveOutcome) {
        compactChanged()
        for object in outcome.inserted { object.didSave() }
        for object in outcome.updated { object.didSave() }
        for object in outcome.deleted { object.didSave() }
        let ids = outcome.objectIDs
        NotificationCenter.default.post(
            name: .NSManagedObjectContextDidSave, object: self,
            userInfo: [
                NSInsertedObjectsKey: Set(outcome.inserted), NSUpdatedObjectsKey: Set(outcome.updated),
                NSDeletedObjectsKey: Set(outcome.deleted),
            ])
        NotificationCenter.default.post(
            name: .NSManagedObjectContextDidSaveObjectIDs, object: self,
            userInfo: [
                NSInsertedObjectIDsKey: Set(ids.inserted), NSUpdatedObjectIDsKey: Set(ids.updated),
                NSDeletedObjectIDsKey: Set(ids.deleted),
            ])
        for object in outcome.deleted { object.die() }
        let siblings =
            parent.map { $0.children.all } ?? persistentStoreCoordinator.map { ContextRegistry.shared.contexts(of: $0) }
            ?? []
        for sibling in siblings + children.all
        where sibling !== self && sibling.automaticallyMergesChangesFromParent {
            sibling.perform { sibling.merge(ids) }
        }
    }
}

/// What one save wrote.
struct SaveOutcome {
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []

    var objectIDs: SavedObjectIDs {
        SavedObjectIDs(
            inserted: inserted.map(\.objectID), updated: updated.map(\.objectID), deleted: deleted.map(\.objectID))
    }
}

/// The identities of what a save wrote, which may travel between contexts.
struct SavedObjectIDs: Sendable {
    var inserted: [NSManagedObjectID] = []
    var updated: [NSManagedObjectID] = []
    var deleted: [NSManagedObjectID] = []
    var refreshed: [NSManagedObjectID] = []
}
