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
    public func save(to destination: SaveDestination) throws -> SaveOutcome {
        let saved = try performAndWait { try self.saveStep() }
        guard destination == .store, let parent else {
            return saved ? (parent == nil ? .store : .parent) : .nothingToSave
        }
        return try parent.save(to: .store)
    }

    /// As the other, without blocking a thread.
    @discardableResult
    public func save(to destination: SaveDestination) async throws -> SaveOutcome {
        let saved = try await perform { try self.saveStep() }
        guard destination == .store, let parent else {
            return saved ? (parent == nil ? .store : .parent) : .nothingToSave
        }
        return try await parent.save(to: .store)
    }

    /// On the queue: saves this context alone. False when there was nothing to save.
    private func saveStep() throws -> Bool {
        guard hasChanges else { return false }
        Log.info("Saving \(magicalName)")
        try save()
        return true
    }
}
