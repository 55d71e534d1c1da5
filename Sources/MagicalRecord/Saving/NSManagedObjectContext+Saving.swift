import CoreData

extension MagicalRecord {
    /// The outcome of a save: the place that its changes reached.
    public enum SaveOutcome: Hashable, Sendable {
        /// There was nothing to save, here or in the contexts above.
        case nothingToSave
        /// The changes are in the parent context, which has not been saved.
        case parent
        /// The changes are in the persistent store.
        case store
    }

    /// The destination of a save.
    public enum SaveDestination: Hashable, Sendable {
        /// One step: to the parent context, or to the store if there is no parent.
        case parent
        /// Through all parents to the store.
        case store
    }
}

extension NSManagedObjectContext {
    /// Saves this context, and with `.store` every parent up to the store, waiting for each.
    ///
    /// Parents with changes are saved even when this context has none (the original left them alone). May be called from any
    /// thread, but not where the main thread waits for it and a context uses the main queue.
    ///
    /// - Returns: how far the changes got.
    /// - Throws: Core Data's error. A context that could not be saved keeps its changes, as do those above it.
    @discardableResult
    public func save(to destination: MagicalRecord.SaveDestination) throws -> MagicalRecord.SaveOutcome {
        try checkMayBeWaitedFor()
        let merging = destination == .store ? beginSavingThrough() : nil
        defer { if let merging { runAndWait { merging.endSavingThrough(self) } } }
        let losses = storeLosses
        let step = try runAndWait { try self.saveStep() }
        let above = destination == .store ? try parent?.save(to: .store) : nil
        try requireNoStoreLosses(since: losses)
        return outcome(of: step, above)
    }

    /// Saves as the blocking function of the same name, without blocking a thread.
    ///
    /// - Throws: also `CancellationError`, when the task is cancelled before it begins. Once begun it goes all the way.
    @discardableResult
    public func save(to destination: MagicalRecord.SaveDestination) async throws -> MagicalRecord.SaveOutcome {
        guard destination == .store else {
            return outcome(of: try await performCancellably { try self.saveStep() }, nil)
        }
        return try await saveThrough(isFirst: true)
    }

    /// Saves this context and its parents. Once the first has saved, a cancelled task ends it no more: the changes are here.
    private func saveThrough(isFirst: Bool = false) async throws -> MagicalRecord.SaveOutcome {
        let losses = storeLosses
        let merging = beginSavingThrough()
        let outcome = await Result {
            let step = try await isFirst ? performCancellably { try self.saveStep() } : perform { try self.saveStep() }
            let above = try await parent?.saveThrough()
            if isFirst { try requireNoStoreLosses(since: losses) }
            return self.outcome(of: step, above)
        }
        if let merging { await perform { merging.endSavingThrough(self) } }
        return try outcome.get()
    }

    /// Returns the outcome of a save of this context, and of those above it if they were saved. Another save may have written
    /// this one's changes together with its own.
    private func outcome(of didSave: Bool, _ above: MagicalRecord.SaveOutcome?) -> MagicalRecord.SaveOutcome {
        guard didSave else { return above ?? .nothingToSave }
        return parent == nil || above != nil ? .store : .parent
    }

    /// Announces a save through the parents to the store, which reports its outcome.
    func beginSavingThrough() -> StackMerging? {
        let merging = parent == nil ? nil : MagicalRecord.Stack.open(on: persistentStoreCoordinator)?.merging
        merging?.beginSavingThrough(self)
        return merging
    }

    /// Saves this context alone, on its queue. Returns false if there was nothing to save; throws Core Data's error, or
    /// ``MagicalRecordError/Code/noStore``, where Core Data itself stops the program.
    func saveStep() throws -> Bool {
        if let readError { throw readError }
        guard hasChanges else {
            Log.verbose("Nothing to save in \(magicalName)")
            return false
        }
        if parent == nil, persistentStoreCoordinator?.persistentStores.isEmpty ?? true {
            throw MagicalRecordError(
                .noStore, "\(magicalName) has changes, and no store to save them to.",
                advice: "Set up a stack whose store can be opened, and save before it is torn down.")
        }
        Log.verbose("Saving \(magicalName)")
        try saveOrThrow()
        return true
    }

    // MARK: Refused saves

    /// The parents, nearest first.
    var ancestors: [NSManagedObjectContext] { Array(sequence(first: self, next: \.parent).dropFirst()) }

    /// Saves through to the store, on the queue, while no other save is writing. A refused save leaves nothing in the parents,
    /// where it would make every later save fail again, and has the conflicting objects read again there. Changes of others to
    /// *other* objects stay.
    func push() throws -> MagicalRecord.SaveOutcome {
        if parent != nil { processPendingChanges() }
        // The objects, since a save gives new ones other IDs.
        let pushed = parent == nil ? [] : [insertedObjects, updatedObjects, deletedObjects]
        do {
            return try WriteScope.withLastSave(of: self) { try save(to: .store) }
        } catch {
            let (ids, conflict) = (pushed.map { $0.map(\.objectID) }, SaveConflict(error))
            for parent in ancestors.reversed() {
                parent.runAndWait {
                    parent.takeBack(inserted: ids[0], updated: ids[1], deleted: ids[2])
                    conflict?.forget(in: parent)
                }
            }
            throw error
        }
    }

    /// Undoes a child's changes, if they have arrived here. Runs on the queue.
    private func takeBack(inserted: [NSManagedObjectID], updated: [NSManagedObjectID], deleted: [NSManagedObjectID]) {
        guard hasChanges else { return }
        for object in inserted.compactMap(registeredObject) where object.isInserted { delete(object) }
        for object in updated.compactMap(registeredObject) where object.hasChanges {
            refresh(object, mergeChanges: false)
        }
        for object in deleted.compactMap(registeredObject) where object.isDeleted {
            insert(object)
            refresh(object, mergeChanges: false)
        }
        processPendingChanges()
    }

    // MARK: Removed stores

    /// The number of times that this context and its parents lost unsaved changes with a removed store. On any thread.
    var storeLosses: Int { sequence(first: self, next: \.parent).reduce(0) { $0 + $1.changesLostWithStores } }

    /// Throws ``MagicalRecordError/Code/noStore`` when changes were lost since ``storeLosses`` was `before`.
    func requireNoStoreLosses(since before: Int) throws {
        guard storeLosses != before else { return }
        throw MagicalRecordError(
            .noStore, "A store was removed within a save by \(magicalName), and changes with it.",
            advice: "Remove stores when the saves to them have ended; tearDown() waits for that.")
    }
}

extension Result where Failure == any Error {
    /// Stores the outcome of asynchronous work.
    init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

#if canImport(ObjectiveC)
extension NSManagedObjectContext {
    /// Apple's Core Data does not say.
    fileprivate var changesLostWithStores: Int { 0 }
}
#endif
