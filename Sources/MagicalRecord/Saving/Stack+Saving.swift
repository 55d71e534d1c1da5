import CoreData

extension MagicalRecord.Stack {
    /// Runs `body` with a fresh context for work and saves what it changed through to the store.
    ///
    /// ```swift
    /// let id = try await stack.save { context in
    ///     let user = try User.create(in: context)
    ///     user.displayName = "Ann"
    ///     return try user.permanentID()
    /// }
    /// ```
    /// Inside `body`, functions that are given no context use this one. The saves of a stack run one after the other:
    /// `body` begins when every save asked for before has ended, so what it reads is what it writes upon, and
    /// look-up-or-create cannot create twice. (The legacy functions' saves are no part of that order. Where the stores are of
    /// a registered kind that lets several save at once, saves run side by side: constraints,
    /// ``MagicalRecord/ConflictHandling/retry(times:)`` or an exclusive write keep them from creating twice there.)
    ///
    /// When the call returns on the main actor, the main context has merged the changes.
    ///
    /// A save whose task is cancelled before `body` begins does not begin. `body` sees `Task.isCancelled` (on Apple's platforms from
    /// macOS 14 and iOS 17 on); what it has done when it returns is saved all the same.
    ///
    /// - Parameter body: the work, on the context's queue. It may read any context, save by the functions that block,
    ///   and clean up, but must not wait for another thread's save by this function or ``saveAndWait(_:)``.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, or Core Data's error, that of a read that could not throw it included (see
    ///   `NSManagedObjectContext.readError`). Then nothing has been saved, and nothing is left in the contexts above.
    ///   `CancellationError` when the task was cancelled before.
    @discardableResult
    public func save<Value: Sendable>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try await saveReportingOutcome(body).value
    }

    /// As ``save(_:)->_``, saying what happens when others have written what the save is about.
    ///
    /// ```swift
    /// try await stack.save(onConflict: .retry(times: 3)) { context in
    ///     try User.findFirst(where: \.userID == 7, in: context)?.balance += 5
    /// }
    /// ```
    /// The context is on the store, whatever the stack's shape, so that it is this save that meets what others have written.
    /// What other contexts have not saved to the store is not seen, and they follow in a moment
    /// (``mergesHaveEnded()``).
    ///
    /// - Parameters:
    ///   - handling: fails, runs `body` again, or decides by a merge policy.
    ///   - body: the work. With ``MagicalRecord/ConflictHandling/retry(times:)`` it may run several times, each time with
    ///     another context, so what else it does it must be able to do again.
    /// - Throws: what `body` throws, or Core Data's error; after tries that met nothing but conflicts, the last conflict.
    ///   `CancellationError` when the task was cancelled before another try.
    @discardableResult
    public func save<Value: Sendable>(
        onConflict handling: MagicalRecord.ConflictHandling,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try await saveReportingOutcome(onConflict: handling, body).value
    }

    /// As ``save(_:)->_``, and also says how far the changes got: to the store, or nowhere because
    /// there were none.
    public func saveReportingOutcome<Value: Sendable>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> (value: Value, outcome: MagicalRecord.SaveOutcome) {
        try await saveOnce(deciding: nil, body)
    }

    /// As ``save(onConflict:_:)->_``, and also says how far the changes got.
    public func saveReportingOutcome<Value: Sendable>(
        onConflict handling: MagicalRecord.ConflictHandling,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> (value: Value, outcome: MagicalRecord.SaveOutcome) {
        for _ in 0..<handling.retries {
            do {
                return try await saveOnce(deciding: handling.policy, body)
            } catch  where SaveConflict(error) != nil {
                try Task.checkCancellation()
            }
        }
        return try await saveOnce(deciding: handling.policy, body)
    }

    private func saveOnce<Value: Sendable>(
        deciding policy: NSMergePolicy?, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> (value: Value, outcome: MagicalRecord.SaveOutcome) {
        try checkOpen()
        let context = contextForSaving(named: "save", deciding: policy)
        return try await schedule(in: context) {
            try body(context)
        } writing: {
            ($0, try context.push())
        }
    }

    /// As ``save(_:)->_``, blocking the thread until the store is written.
    ///
    /// - Inside the closure of another modern save of this stack `body` runs at once, on that save's context, and is
    ///   saved with it.
    /// - Inside a block of a legacy save, or a read, it is a save of its own, written when it returns.
    /// - On the main thread, where `body` may run itself, and inside a save of another stack it does not wait for the work
    ///   of other saves, since they may be waiting for the main queue. Should one be at work, both run at the same time;
    ///   use ``save(_:)->_`` there to look up and create.
    ///
    /// Runs in a cancelled task too.
    @discardableResult
    public func saveAndWait<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        try saveAndWait(retries: 0, deciding: nil, body)
    }

    /// As ``save(onConflict:_:)->_``, blocking the thread until the store is written.
    ///
    /// Where ``saveAndWait(_:)`` would run `body` on an outer save's context, so does this; what becomes of conflicts is then
    /// what the outer save says. A cancelled task makes no further try.
    @discardableResult
    public func saveAndWait<Value>(
        onConflict handling: MagicalRecord.ConflictHandling, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        try saveAndWait(retries: handling.retries, deciding: handling.policy, body)
    }

    private func saveAndWait<Value>(
        retries: Int, deciding policy: NSMergePolicy?, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        try checkOpen()
        if let outer = ContextScope.exclusiveContext(on: coordinator) {
            return try ContextScope.with(outer, as: .exclusiveSave) { try body(outer) }
        }
        for _ in 0..<retries {
            do {
                return try saveOnceAndWait(deciding: policy, body)
            } catch  where SaveConflict(error) != nil {
                try Task.checkCancellation()
            }
        }
        return try saveOnceAndWait(deciding: policy, body)
    }

    private func saveOnceAndWait<Value>(
        deciding policy: NSMergePolicy?, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        let context = contextForSaving(named: "saveAndWait", deciding: policy)
        return try scheduleAndWait(in: context, isExclusive: true) {
            try body(context)
        } writing: {
            _ = try context.push()
            return $0
        }
    }

    /// A context for one save. With a policy of its own the save is decided at the store, which a parent would stand between.
    func contextForSaving(named name: String, deciding policy: NSMergePolicy?) -> NSManagedObjectContext {
        guard let policy else { return newContext(named: name) }
        return MagicalRecord.Shape.attached(.privateQueueConcurrencyType, to: coordinator, named: name, policy)
    }
}
