import CoreData

// Writes that say what becomes of conflicts. Named contexts last, so what they hold is read again before another try.

extension MagicalRecord.Database {
    /// As `write(_:waitingForMerges:_:)`, saying what happens when others have written what the write is about.
    ///
    /// ```swift
    /// try await database.write("users", onConflict: .retry(times: 3)) { context in
    ///     try User.findFirst(where: \.userID == 7, in: context)?.balance += 5
    /// }
    /// ```
    /// - Parameters:
    ///   - name: the context to write in.
    ///   - handling: fails, runs `body` again, or decides by a merge policy.
    ///   - waitingForMerges: whether to return only when the main context, and the other named ones, show the change.
    ///   - body: the work, on the context's queue. With ``MagicalRecord/ConflictHandling/retry(times:)`` it may run several
    ///     times; before another try, every object of the context becomes a fault, which is read from the store again.
    /// - Throws: what `body` throws, or Core Data's error; then the changes are discarded. After tries that met nothing but
    ///   conflicts, the last conflict. `CancellationError` when the task was cancelled before another try.
    @discardableResult
    public func write<Value: Sendable>(
        _ name: String, onConflict handling: MagicalRecord.ConflictHandling, waitingForMerges: Bool = false,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        let context = try context(named: name)
        let stack = try stack()
        return try await stack.following(waitingForMerges) {
            for _ in 0..<handling.retries {
                do {
                    return try await stack.write(in: context, deciding: handling.policy, body)
                } catch  where SaveConflict(error) != nil {
                    try Task.checkCancellation()
                }
            }
            return try await stack.write(in: context, deciding: handling.policy, body)
        }
    }

    /// As ``write(_:onConflict:waitingForMerges:_:)``, blocking the thread until the named context's queue is free and the store
    /// is written. Not for the main thread where other work in that context waits for the main queue.
    @discardableResult
    public func writeAndWait<Value>(
        _ name: String, onConflict handling: MagicalRecord.ConflictHandling,
        _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        let context = try context(named: name)
        let stack = try stack()
        for _ in 0..<handling.retries {
            do {
                return try stack.writeAndWait(in: context, deciding: handling.policy, body)
            } catch  where SaveConflict(error) != nil {
                try Task.checkCancellation()
            }
        }
        return try stack.writeAndWait(in: context, deciding: handling.policy, body)
    }

    /// As `write(_:waitingForMerges:_:)`, and keeps all others from writing to the stack's SQLite stores between the first read
    /// and the end of the save, other processes included. What the named context holds is read again first.
    ///
    /// See `write(exclusive:_:)` of stacks for what `body` must not do, and for Apple's platforms, where it may run
    /// several times.
    ///
    /// - Parameters:
    ///   - name: the context to write in.
    ///   - exclusive: false for a write as `write(_:waitingForMerges:_:)`.
    ///   - waitingForMerges: whether to return only when the main context, and the other named ones, show the change.
    ///   - body: the work, on the context's queue.
    /// - Throws: what `body` throws, or Core Data's error; then the changes are discarded.
    @discardableResult
    public func write<Value: Sendable>(
        _ name: String, exclusive: Bool, waitingForMerges: Bool = false,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        guard exclusive else { return try await write(name, waitingForMerges: waitingForMerges, body) }
        let context = try context(named: name)
        let stack = try stack()
        return try await stack.following(waitingForMerges) {
            try await stack.writeExclusively(in: context) { try $0.savingWithFreshRows(body) }
        }
    }

    /// As ``write(_:exclusive:waitingForMerges:_:)``, blocking the thread until the named context's queue is free and the store is
    /// written. Not for the main thread where other work in that context waits for the main queue.
    @discardableResult
    public func writeAndWait<Value>(
        _ name: String, exclusive: Bool, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        guard exclusive else { return try writeAndWait(name, body) }
        let context = try context(named: name)
        return try stack().writeExclusivelyAndWait(in: context) { try $0.savingWithFreshRows(body) }
    }
}

extension MagicalRecord.Stack {
    /// Runs `body`, and waits for the merges that follow it if they are wanted.
    fileprivate func following<Value: Sendable>(
        _ waits: Bool, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await body()
            if waits { await mergesHaveEnded() }
            return value
        } catch {
            if waits { await mergesHaveEnded() }
            throw error
        }
    }

    fileprivate func write<Value: Sendable>(
        in context: NSManagedObjectContext, deciding policy: NSMergePolicy,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        let policy = Unchecked(policy)
        return try await schedule(in: context) {
            try context.saving(deciding: policy.value, body)
        } writing: {
            $0
        }
    }

    fileprivate func writeAndWait<Value>(
        in context: NSManagedObjectContext, deciding policy: NSMergePolicy,
        _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        try scheduleAndWait(in: context, isExclusive: true) {
            try context.saving(deciding: policy, body)
        } writing: {
            $0
        }
    }
}

extension NSManagedObjectContext {
    /// On the queue: runs `body` and saves under a policy of its own. After a conflict everything is read again when it is used.
    fileprivate func saving<Value>(
        deciding policy: NSMergePolicy?, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        let usual = mergePolicy
        if let policy { mergePolicy = policy }
        defer { mergePolicy = usual }
        do {
            return try saving(body)
        } catch {
            if SaveConflict(error) != nil { readAgain() }
            throw error
        }
    }

    /// On the queue, in an exclusive write: runs `body`, which finds every row as it is in the store, and saves.
    fileprivate func savingWithFreshRows<Value>(
        _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        readAgain()
        return try saving(deciding: MagicalRecord.Stack.policyOfExclusiveWrites, body)
    }

    private func readAgain() {
        #if canImport(ObjectiveC)
        // The coordinator would give out the rows it has cached.
        stalenessInterval = 0
        #endif
        refreshAllObjects()
    }
}
