import CoreData

extension NSManagedObjectContext {
    /// Saves this context, and with `.store` every parent up to the store, waiting for each.
    ///
    /// Parents with changes are saved even when this context has none (the original left them alone).
    ///
    /// Each context is saved on its own queue, so this may be called from any thread; but a thread must not wait
    /// here for the main queue while the main thread waits for that thread.
    ///
    /// - Returns: how far the changes got.
    /// - Throws: Core Data's error. A context that could not be saved keeps its changes, as do those above it.
    @discardableResult
    public func save(to destination: MagicalRecord.SaveDestination) throws -> MagicalRecord.SaveOutcome {
        try checkMayBeWaitedFor()
        let merging = destination == .store ? beginSavingThrough() : nil
        defer { if let merging { runAndWait { merging.endSavingThrough(self) } } }
        let losses = storeLosses
        let saved = try runAndWait { try self.saveStep() }
        guard destination == .store, let parent else {
            try requireNoStoreLosses(since: losses)
            return saved ? (parent == nil ? .store : .parent) : .nothingToSave
        }
        let outcome = try parent.save(to: .store)
        try requireNoStoreLosses(since: losses)
        // Another save may have written this one's changes together with its own.
        return saved ? .store : outcome
    }

    /// Saves as the blocking function of the same name, without blocking a thread.
    ///
    /// - Throws: also `CancellationError`, when the task is cancelled before it begins. Once begun it goes all the way.
    @discardableResult
    public func save(to destination: MagicalRecord.SaveDestination) async throws -> MagicalRecord.SaveOutcome {
        guard destination == .store else {
            let saved = try await performCancellably { try self.saveStep() }
            return saved ? (parent == nil ? .store : .parent) : .nothingToSave
        }
        let losses = storeLosses
        return try await savingThrough {
            let saved = try await self.performCancellably { try self.saveStep() }
            let outcome = try await self.parent?.saveThrough()
            try self.requireNoStoreLosses(since: losses)
            return saved ? .store : outcome ?? .nothingToSave
        }
    }

    /// Saves this context and its parents even in a cancelled task: the child's changes are here already.
    private func saveThrough() async throws -> MagicalRecord.SaveOutcome {
        try await savingThrough {
            let saved = try await self.perform { try self.saveStep() }
            guard let parent = self.parent else { return saved ? .store : .nothingToSave }
            let outcome = try await parent.saveThrough()
            return saved ? .store : outcome
        }
    }

    private func savingThrough(
        _ body: () async throws -> MagicalRecord.SaveOutcome
    ) async throws -> MagicalRecord.SaveOutcome {
        guard let merging = beginSavingThrough() else { return try await body() }
        do {
            let outcome = try await body()
            await perform { merging.endSavingThrough(self) }
            return outcome
        } catch {
            await perform { merging.endSavingThrough(self) }
            throw error
        }
    }

    /// Announces a save through the parents to the store, which reports its outcome.
    func beginSavingThrough() -> StackMerging? {
        guard parent != nil, let merging = MagicalRecord.Stack.open(on: persistentStoreCoordinator)?.merging else {
            return nil
        }
        merging.beginSavingThrough(self)
        return merging
    }

    /// Saves this context alone, on its queue. Returns false if there was nothing to save.
    ///
    /// - Throws: Core Data's error, or ``MagicalRecordError/Code/noStore``, where Core Data itself stops the program.
    func saveStep() throws -> Bool {
        try throwReadError()
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
}
