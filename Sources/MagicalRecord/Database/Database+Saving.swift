import CoreData

// Saves in named contexts. These last, so what they hold is read again before another try.

extension MagicalRecord.Database {
    /// Runs `body` on the named context's queue and saves what it changed to the store, as
    /// ``MagicalRecord/Stack/save(onConflict:isolation:_:)->_``, but in a context that lasts. These saves and the stack's run one
    /// after the other.
    ///
    /// Before another try after a conflict, and in an exclusive save, every object of the context becomes a fault, which is read
    /// from the store again. After an error the context's changes are discarded.
    ///
    /// With `waitingForMerges` it returns when the main context, and the other named ones, show the change. Otherwise they follow
    /// in a moment, each on its own queue.
    @discardableResult
    public func save<Value: Sendable>(
        _ name: String, onConflict handling: MagicalRecord.ConflictHandling? = nil,
        isolation: MagicalRecord.SaveIsolation = .serial, waitingForMerges: Bool = false,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        let (context, stack) = (try context(named: name), try stack())
        let result = await Result {
            try await SaveConflict.retrying(isolation.retries(handling)) {
                try await stack.schedule(in: context, isolation: isolation) {
                    try context.saving(handling, isolation, body)
                } writing: {
                    $0
                }
            }
        }
        if waitingForMerges { await stack.mergesHaveEnded() }
        return try result.get()
    }

    /// Runs `body` and saves, as the other `save`, and discards what `body` returns: objects cannot leave the closure.
    public func save<Value>(
        _ name: String, onConflict handling: MagicalRecord.ConflictHandling? = nil,
        isolation: MagicalRecord.SaveIsolation = .serial, waitingForMerges: Bool = false,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws {
        let discarding: @Sendable (NSManagedObjectContext) throws -> Void = { _ = try body($0) }
        return try await save(
            name, onConflict: handling, isolation: isolation, waitingForMerges: waitingForMerges, discarding)
    }

    /// Runs `body` and saves, as ``save(_:onConflict:isolation:waitingForMerges:_:)->_``, blocking the thread until the named
    /// context's queue is free and the store is written. Not for the main thread where other work in that context waits for the
    /// main queue.
    @discardableResult
    public func saveAndWait<Value>(
        _ name: String, onConflict handling: MagicalRecord.ConflictHandling? = nil,
        isolation: MagicalRecord.SaveIsolation = .serial, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        let (context, stack) = (try context(named: name), try stack())
        return try SaveConflict.retryingAndWait(isolation.retries(handling)) {
            try stack.scheduleAndWait(in: context, isolation: isolation) {
                try context.saving(handling, isolation, body)
            } writing: {
                $0
            }
        }
    }
}

extension NSManagedObjectContext {
    /// Runs `body` on the queue, in one block, since the context lasts and others read in it, and saves. A failure takes all
    /// unsaved changes back; after a conflict everything is read again when it is used. In an exclusive save `body` finds every
    /// row as it is in the store.
    fileprivate func saving<Value>(
        _ handling: MagicalRecord.ConflictHandling?, _ isolation: MagicalRecord.SaveIsolation,
        _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        if isolation == .exclusive { readAgain() }
        let usual = mergePolicy
        let policy = isolation.policy ?? handling?.policy
        if let policy { mergePolicy = policy }
        defer { if policy != nil { mergePolicy = usual } }
        do {
            let value = try throwingReadErrors { try runSave(isolation, body) }
            if hasChanges { try save() }
            return value
        } catch {
            rollback()
            if SaveConflict(error) != nil { readAgain() }
            throw error
        }
    }

    private func readAgain() {
        #if canImport(ObjectiveC)
        // The coordinator would give out the rows it has cached.
        stalenessInterval = 0
        #endif
        refreshAllObjects()
    }
}
