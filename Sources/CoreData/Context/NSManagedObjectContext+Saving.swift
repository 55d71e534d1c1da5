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
        readMail()
        try heedRemovalsBeforeSave()
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
        // Without changes there is nothing to write, but observers hear of the save, as at Apple.
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

    /// Lets objects and observers make their last changes, and validates, until neither changes anything.
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
            // Objects that changed in their own willSave() are asked again, as are those that others changed or made.
            pending = changes.objects.filter { $0.hasUnsavedChanges && $0._state.contains(.changedInSave) }
        }
        throw Self.endlessChanges(of: pending)
    }

    private final func validateAll() throws {
        var errors = ValidationErrors()
        let objects = changes.objects
        // Deleted objects may still be led to by mistake; without deletions there is nothing to look for.
        var deletes = false
        objects.forEachUnretained { object in
            if object._state.isDeleted { deletes = true }
        }
        objects.forEachUnretained { object in
            let state = object._state
            guard state.isChanged else { return }
            do {
                if state.isDeleted {
                    // Those that were never saved are here only where their deletion was denied.
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
        // What is written, and met in conflicts, is compared with the present state, whatever this context is pinned to.
        let pinned = pin
        pin = nil
        do {
            plans = try write(to: coordinator, &outcome)
            pin = pinned.map { _ in .next }
        } catch {
            pin = outcome.isEmpty ? pinned : pinned.map { _ in .next }
            if outcome.isEmpty { _ = saves.takeVersions() }
            // What is in one store stays there, whatever becomes of the others.
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

    /// Writes, and lets the merge policy resolve conflicts, until there are none.
    ///
    /// - Returns: what was written.
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
                // What was reported before may leave the save now.
                changes.forgetLastNotice()
                let report = ConflictReport(self, conflicts)
                // Each round resolves what it met; new conflicts may appear meanwhile, but not without end.
                guard attempts < 100 else { throw report.unresolvedError }
                attempts += 1
                try report.resolve(by: mergePolicy as! NSMergePolicy)
                reapplyDeleteRules()
                processPendingChanges()
            }
        }
    }

    // MARK: After

    /// Tells everybody that a save has happened.
    final func publish(_ outcome: SaveOutcome) {
        saves.end()
        if let record = Probe.current { record.note(outcome) }
        // Hooks may make changes, and process them: what is reported then is not what was saved.
        let notice = changes.lastNotice
        changes.forgetLastNotice()
        changes.keepNotices(false)
        compactChanged()
        announceIdentities()
        outcome.inserted.forEachUnretained { $0.didSave() }
        outcome.updated.forEachUnretained { $0.didSave() }
        outcome.deleted.forEachUnretained { $0.didSave() }
        // Before observers are told: what they queue on another context's queue finds the changes merged there.
        if ContextMerging.mayHappen, !outcome.isEmpty { mergeElsewhere(outcome.objectIDs) }
        postObjects(outcome, notice)
        if let notice { recycle(notice) }
        postIdentifiers(outcome)
        tellOfPermanentIDs()
        outcome.deleted.forEachUnretained { forget($0) }
    }

    /// - Parameter notice: what was reported before the save. Where it holds as many objects, it holds no others.
    private final func postObjects(_ outcome: SaveOutcome, _ notice: ChangeNotice?) {
        var sets = NoticeSets<NSManagedObject>()
        if let notice, notice.isPartOfSave { sets = notice.sets }
        if sets.inserted.count != outcome.inserted.count { sets.inserted = Set(outcome.inserted) }
        if sets.updated.count != outcome.updated.count { sets.updated = Set(outcome.updated) }
        if sets.deleted.count != outcome.deleted.count { sets.deleted = Set(outcome.deleted) }
        post(.NSManagedObjectContextDidSave, NoticeForm.objects(0b111), sets, outcome.history)
    }

    private final func postIdentifiers(_ outcome: SaveOutcome) {
        // Taken out: observers may save as well.
        var identifiers = saves.takeIdentifiers()
        identifiers.reserve(
            inserted: outcome.inserted.count, updated: outcome.updated.count, deleted: outcome.deleted.count)
        // `insert(_:)` would count one more reference, for what it returns.
        outcome.inserted.forEachUnretained { identifiers.inserted.update(with: $0.identifier) }
        outcome.updated.forEachUnretained { identifiers.updated.update(with: $0.identifier) }
        outcome.deleted.forEachUnretained { identifiers.deleted.update(with: $0.identifier) }
        post(.NSManagedObjectContextDidSaveObjectIDs, NoticeForm.identifiers, identifiers, outcome.history)
        identifiers.clear()
        saves.recycle(identifiers: identifiers)
    }

    /// Hands changes that this context saved, or took over, to the contexts that merge by themselves.
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

/// What one save wrote.
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

/// The identities of what a save wrote, which may travel between contexts.
struct SavedObjectIDs: Sendable {
    var inserted: [NSManagedObjectID] = []
    var updated: [NSManagedObjectID] = []
    var deleted: [NSManagedObjectID] = []
    var refreshed: [NSManagedObjectID] = []
}
