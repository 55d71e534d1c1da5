import CoreData

// Saves in named contexts. These last, so what they hold is read again before another try.

extension MagicalRecord.Database {
    /// Runs `body` on the named context's queue and saves what it changed to the store. These saves and the stack's run one after
    /// the other.
    ///
    /// ```swift
    /// try await database.save("users", onConflict: .retry(times: 3)) { context in
    ///     try User.findFirst(where: \.userID == 7, in: context)?.balance += 5
    /// }
    /// ```
    /// - Parameters:
    ///   - name: the context to save in.
    ///   - handling: what happens when rows that the save is about were written by others: the save fails, `body` runs again, or
    ///     a merge policy decides. Without it, the context's policy does.
    ///   - isolation: what others may write while the save runs. An exclusive save reads again what the context holds.
    ///   - waitingForMerges: whether to return only when the main context, and the other named ones, show the change.
    ///     Otherwise they follow in a moment, each on its own queue.
    ///   - body: the work, on the context's queue. With ``MagicalRecord/ConflictHandling/retry(times:)`` it may run several
    ///     times; before another try, every object of the context becomes a fault, which is read from the store again.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, or Core Data's error; then the changes are discarded. After tries that met nothing but
    ///   conflicts, the last conflict. `CancellationError` when the task was cancelled before a try.
    @discardableResult
    public func save<Value: Sendable>(
        _ name: String, onConflict handling: MagicalRecord.ConflictHandling? = nil,
        isolation: MagicalRecord.SaveIsolation = .serial, waitingForMerges: Bool = false,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        let (context, stack) = (try context(named: name), try stack())
        let result: Result<Value, any Error>
        do {
            let value = try await SaveConflict.retrying(handling, isolation) {
                try await stack.save(in: context, deciding: handling?.policy, isolation, body)
            }
            result = .success(value)
        } catch {
            result = .failure(error)
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
        return try SaveConflict.retryingAndWait(handling, isolation) {
            try stack.saveAndWait(in: context, deciding: handling?.policy, isolation, body)
        }
    }
}

extension MagicalRecord.Stack {
    fileprivate func save<Value: Sendable>(
        in context: NSManagedObjectContext, deciding policy: NSMergePolicy?, _ isolation: MagicalRecord.SaveIsolation,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        let policy = Unchecked(policy)
        if isolation == .exclusive {
            return try await scheduleExclusively(in: context) {
                try $0.savingExclusively(deciding: policy.value, body)
            }
        }
        return try await schedule(in: context) {
            try context.saving(deciding: policy.value, body)
        } writing: {
            $0
        }
    }

    fileprivate func saveAndWait<Value>(
        in context: NSManagedObjectContext, deciding policy: NSMergePolicy?, _ isolation: MagicalRecord.SaveIsolation,
        _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        if isolation == .exclusive {
            return try runExclusivelyAndWait(in: context) { try $0.savingExclusively(deciding: policy, body) }
        }
        return try scheduleAndWait(in: context, isExclusive: true) {
            try context.saving(deciding: policy, body)
        } writing: {
            $0
        }
    }
}

extension NSManagedObjectContext {
    /// Runs `body` on the queue, in one block, since the context lasts and others read in it, and saves. A failure takes all
    /// unsaved changes back; after a conflict everything is read again when it is used.
    fileprivate func saving<Value>(
        deciding policy: NSMergePolicy?, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        let usual = mergePolicy
        if let policy { mergePolicy = policy }
        defer { if policy != nil { mergePolicy = usual } }
        do {
            let value = try throwingReadErrors { try body(self) }
            if hasChanges { try save() }
            return value
        } catch {
            rollback()
            if SaveConflict(error) != nil { readAgain() }
            throw error
        }
    }

    /// Runs `body` and saves, as ``saving(deciding:_:)``, in an exclusive save: `body` finds every row as it is in the store.
    fileprivate func savingExclusively<Value>(
        deciding policy: NSMergePolicy?, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        readAgain()
        return try saving(deciding: ExclusiveSaving.policy ?? policy) { _ in try runAsExclusiveSave(body) }
    }

    private func readAgain() {
        #if canImport(ObjectiveC)
        // The coordinator would give out the rows it has cached.
        stalenessInterval = 0
        #endif
        refreshAllObjects()
    }
}
