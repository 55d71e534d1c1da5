import CoreDataRowStorage
import CoreDataRuntimeSupport

extension NSManagedObjectContext {
    final func saveChanges() throws {
        guard Probe.isOn else { return try writeChanges() }
        try Probe.measure(.save, label) { record in
            if ownParent != nil { record.source = .parent }
            try writeChanges()
        }
    }

    private final func writeChanges() throws {
        checkQueue()
        if saves.isSaving { throw Self.recursiveSave }
        try throwReadError()
        applyParentChanges()
        try handleRemovalsBeforeSave()
        changes.keepNotices(true)
        defer {
            changes.keepNotices(false)
            changes.forgetLastNotice()
        }
        processPendingChanges()
        if !propagatesDeletesAtEndOfEvent { propagateAllDeletes() }
        saves.begin()
        defer { saves.end() }
        try prepareToSave()
        try checkTransformables()
        releaseVanished()
        // Without changes there is nothing to write, but observers are notified of the save, as in Apple's framework.
        guard hasUnsavedChanges || hasUnsavedMetadata else { return publish(SaveOutcome()) }
        if let parent {
            try save(into: parent)
        } else {
            try saveToStores()
        }
    }

    private final var hasUnsavedMetadata: Bool {
        parent == nil && (persistentStoreCoordinator?.rowStores.contains { $0.unsavedMetadata != nil } ?? false)
    }

    // MARK: Before

    /// Calls `willSave()`, notifies observers and validates, until none of them makes further changes.
    private final func prepareToSave() throws {
        var isAnnounced = false
        var pending = changes.objects
        for _ in 0..<1000 {
            let asked = pending
            asked.forEachUnretained { $0._state.remove(.changedInSave) }
            asked.forEachUnretained { object in
                if object.hasUnsavedChanges { object.willSave() }
            }
            if !isAnnounced {
                isAnnounced = true
                NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: self)
            }
            try throwReadError()
            if !hasPendingChanges { try validateAll() }
            guard hasPendingChanges else { return try throwReadError() }
            processPendingChanges()
            if !propagatesDeletesAtEndOfEvent { propagateAllDeletes() }
            // Objects changed during their `willSave()` are called again, as are those that others changed or inserted.
            pending = changes.objects.filter { $0.hasUnsavedChanges && $0._state.contains(.changedInSave) }
        }
        throw Self.endlessChanges(of: pending)
    }

    private final func validateAll() throws {
        var errors = ValidationErrors()
        let objects = changes.objects
        // Other objects may still refer to deleted ones by mistake; without deletions there is nothing to check.
        var deletes = false
        objects.forEachUnretained { object in
            if object._state.isDeleted { deletes = true }
        }
        objects.forEachUnretained { object in
            let state = object._state
            guard state.isChanged else { return }
            do {
                if state.isDeleted {
                    // Objects that were never saved are here only if their deletion was denied.
                    try object.validateForDelete()
                } else if state.isInserted {
                    try object.validateForInsert()
                } else {
                    try object.validateForUpdate()
                }
                if deletes, !state.isDeleted { try object.validateNoDanglingReference() }
            } catch {
                errors.add(error)
            }
        }
        try errors.throwIfAny()
    }

    /// Checks that values of transformable attributes can be read back.
    ///
    /// - Throws: `NSCoreDataError` for a value that cannot.
    private final func checkTransformables() throws {
        try changes.objects.forEachUnretained { object in
            if object._extra?.hasBoxed == true, !object._state.isDeleted { try object.checkTransformables() }
        }
    }

    // MARK: To the stores

    private final func saveToStores() throws {
        guard let coordinator = persistentStoreCoordinator, !coordinator.rowStores.isEmpty else {
            try requireStoresOfChanges()
            throw Self.noStores
        }
        var outcome = SaveOutcome()
        var plans: [SavePlan] = []
        // Written and conflicting values are compared with the current state, whatever generation this context is pinned to.
        let pinned = pin
        pin = nil
        do {
            plans = try write(to: coordinator, &outcome)
            pin = pinned.map { _ in .next }
        } catch {
            pin = outcome.isEmpty ? pinned : pinned.map { _ in .next }
            if outcome.isEmpty { _ = saves.takeVersions() }
            // Changes already written to one store stay there, whatever happens to the others.
            if !outcome.isEmpty {
                changes.forgetLastNotice()
                publish(outcome)
            }
            throw error
        }
        saves.didWrite()
        publish(outcome)
        outcome = SaveOutcome()
        if plans.count == 1, plans[0].reset() { saves.recycle(plans: plans) }
    }

    /// Writes, letting the merge policy resolve conflicts, until there are none.
    ///
    /// - Returns: The plans that were written.
    private final func write(
        to coordinator: NSPersistentStoreCoordinator, _ outcome: inout SaveOutcome
    ) throws -> [SavePlan] {
        var attempts = 0
        defer { if attempts > 0 { saves.forgetConflicts() } }
        while true {
            do {
                var run = SaveRun(self, coordinator)
                try run.run(&outcome)
                return run.plans
            } catch let conflicts as StoreConflicts {
                // Objects reported before may no longer be part of the save.
                changes.forgetLastNotice()
                let report = ConflictReport(self, conflicts)
                // Each round resolves its conflicts; new ones may appear meanwhile, but not endlessly.
                guard attempts < 100 else { throw report.unresolvedError }
                attempts += 1
                try report.resolve(by: mergePolicy as! NSMergePolicy)
                reapplyDeleteRules()
                processPendingChanges()
            }
        }
    }

    // MARK: After

    /// Posts the did-save notifications and calls `didSave()`.
    final func publish(_ outcome: SaveOutcome) {
        saves.end()
        if let record = Probe.current { record.note(outcome) }
        // Hooks may make and process changes: the notice then no longer matches the save.
        let notice = changes.lastNotice
        changes.forgetLastNotice()
        changes.keepNotices(false)
        compactChanged()
        announceIdentities()
        outcome.inserted.forEachUnretained { $0.didSave() }
        outcome.updated.forEachUnretained { $0.didSave() }
        outcome.deleted.forEachUnretained { $0.didSave() }
        // Before observers are notified: blocks that they add to another context's queue find the changes merged there.
        if ContextMerging.mayHappen, !outcome.isEmpty { mergeElsewhere(outcome.objectIDs) }
        postObjects(outcome, notice)
        if let notice { recycle(notice) }
        postIdentifiers(outcome)
        tellOfPermanentIDs()
        outcome.deleted.forEachUnretained { forget($0) }
    }

    /// Posts the did-save notification with the objects.
    ///
    /// - Parameter notice: The last change notification before the save. A set with as many objects as the save's has the same
    ///   objects.
    private final func postObjects(_ outcome: SaveOutcome, _ notice: ChangeNotice?) {
        var sets = NoticeSets<NSManagedObject>()
        if let notice, notice.isPartOfSave { sets = notice.sets }
        if sets.inserted.count != outcome.inserted.count { sets.inserted = Set(outcome.inserted) }
        if sets.updated.count != outcome.updated.count { sets.updated = Set(outcome.updated) }
        if sets.deleted.count != outcome.deleted.count { sets.deleted = Set(outcome.deleted) }
        post(.NSManagedObjectContextDidSave, NoticeForm.objects(0b111), sets, outcome.history)
    }

    private final func postIdentifiers(_ outcome: SaveOutcome) {
        // Taken out because observers may save too.
        var identifiers = saves.takeIdentifiers()
        identifiers.reserve(
            inserted: outcome.inserted.count, updated: outcome.updated.count, deleted: outcome.deleted.count)
        // `insert(_:)` would retain once more, for the value it returns.
        outcome.inserted.forEachUnretained { identifiers.inserted.update(with: $0.identifier) }
        outcome.updated.forEachUnretained { identifiers.updated.update(with: $0.identifier) }
        outcome.deleted.forEachUnretained { identifiers.deleted.update(with: $0.identifier) }
        post(.NSManagedObjectContextDidSaveObjectIDs, NoticeForm.identifiers, identifiers, outcome.history)
        identifiers.clear()
        saves.recycle(identifiers: identifiers)
    }

    /// Merges the changes that this context saved or merged into the contexts that merge automatically.
    private final func mergeElsewhere(_ ids: SavedObjectIDs) {
        let siblings =
            parent.map { $0.children.all } ?? persistentStoreCoordinator.map { $0.liveContexts }
            ?? []
        for context in siblings + children.all
        where context !== self && context.automaticallyMergesChangesFromParent {
            context.executor.async(context) { context.merge(ids) }
        }
    }
}

/// The objects that one save wrote.
struct SaveOutcome {
    var inserted: ContiguousArray<NSManagedObject> = []
    var updated: ContiguousArray<NSManagedObject> = []
    var deleted: ContiguousArray<NSManagedObject> = []
    /// The transactions recorded in history, by store identifier.
    var history: [String: HistoryMark] = [:]

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    var objectIDs: SavedObjectIDs {
        SavedObjectIDs(
            inserted: inserted.map(\.identifier), updated: updated.map(\.identifier), deleted: deleted.map(\.identifier)
        )
    }
}

/// The IDs of the objects that a save wrote; may be passed between contexts.
struct SavedObjectIDs: Sendable {
    var inserted: [NSManagedObjectID] = []
    var updated: [NSManagedObjectID] = []
    var deleted: [NSManagedObjectID] = []
    var refreshed: [NSManagedObjectID] = []
}
