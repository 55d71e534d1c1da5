import CoreData

extension MagicalRecord.Stack {
    /// Runs `body` with a fresh context and saves what it changed through to the store.
    ///
    /// ```swift
    /// let id = try await stack.save { context in
    ///     let user = try User.create(in: context)
    ///     user.displayName = "Ann"
    ///     return try user.permanentID()
    /// }
    /// try await stack.save(onConflict: .retry(times: 3)) { context in
    ///     try User.findFirst(where: \.userID == 7, in: context)?.balance += 5
    /// }
    /// ```
    /// Inside `body`, functions that are given no context use this one. The saves of a stack run one after the other:
    /// `body` begins when every save asked for before has ended, so what it reads is what it writes upon, and
    /// look-up-or-create cannot create twice. (The legacy functions' saves are no part of that order. Where the stores are of
    /// a registered kind that lets several save at once, saves run side by side: constraints,
    /// ``MagicalRecord/ConflictHandling/retry(times:)`` or ``MagicalRecord/SaveIsolation/exclusive`` keep them from creating
    /// twice there.)
    ///
    /// When the call returns on the main actor, the main context has merged the changes. A save with a way to handle conflicts
    /// or with exclusive isolation is on the store, whatever the stack's shape: changes that other contexts have not saved to
    /// the store are not seen, and these contexts follow in a moment (``mergesHaveEnded()``).
    ///
    /// A save does not begin if its task is cancelled before `body` runs. `body` sees `Task.isCancelled` (on Apple's platforms from
    /// macOS 14 and iOS 17 on); what it has done when it returns is saved all the same.
    ///
    /// - Parameters:
    ///   - handling: what happens when rows that the save is about were written by others: the save fails, `body` runs again with
    ///     another context, or a merge policy decides. Without it, the stack's ``mergePolicy`` does.
    ///   - isolation: what others may write while the save runs.
    ///   - body: the work, on the context's queue. It may read any context, save by the functions that block,
    ///     and clean up, but must not wait for another thread's save by this function or ``saveAndWait(onConflict:isolation:_:)``.
    ///     With ``MagicalRecord/ConflictHandling/retry(times:)`` it may run several times, so all else that it does must be
    ///     repeatable.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, or Core Data's error, that of a read that could not throw it included (see
    ///   `NSManagedObjectContext.readError`); after tries that met nothing but conflicts, the last conflict. Then nothing has been
    ///   saved, and nothing is left in the contexts above. `CancellationError` when the task was cancelled before a try. An
    ///   exclusive save fails, too, when another process keeps the file for longer than `NSPersistentStoreTimeoutOption` says.
    @discardableResult
    public func save<Value: Sendable>(
        onConflict handling: MagicalRecord.ConflictHandling? = nil, isolation: MagicalRecord.SaveIsolation = .serial,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try await saveReportingOutcome(onConflict: handling, isolation: isolation, body).value
    }

    /// Runs `body` and saves, as the other `save`, and discards what `body` returns: objects cannot leave the closure.
    ///
    /// ```swift
    /// try await stack.save { context in try User.create(in: context) }
    /// ```
    // A closure of one expression has that expression's type, and objects are not Sendable: without this function the example
    // would not compile. The compiler prefers the other wherever the value is Sendable, since it is more specialized.
    public func save<Value>(
        onConflict handling: MagicalRecord.ConflictHandling? = nil, isolation: MagicalRecord.SaveIsolation = .serial,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws {
        _ = try await saveReportingOutcome(onConflict: handling, isolation: isolation) { _ = try body($0) }
    }

    /// Runs `body` and saves, as ``save(onConflict:isolation:_:)->_``, and also returns how far the changes got: to the store,
    /// or nowhere because there were none.
    public func saveReportingOutcome<Value: Sendable>(
        onConflict handling: MagicalRecord.ConflictHandling? = nil, isolation: MagicalRecord.SaveIsolation = .serial,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> (value: Value, outcome: MagicalRecord.SaveOutcome) {
        try await SaveConflict.retrying(handling, isolation) {
            try await self.saveOnce(deciding: handling?.policy, isolation, body)
        }
    }

    private func saveOnce<Value: Sendable>(
        deciding policy: NSMergePolicy?, _ isolation: MagicalRecord.SaveIsolation,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> (value: Value, outcome: MagicalRecord.SaveOutcome) {
        try checkOpen()
        if isolation == .exclusive {
            let context = contextForExclusiveSave(deciding: policy)
            return try await scheduleExclusively(in: context) {
                (try $0.runAsExclusiveSave(body), try $0.push())
            }
        }
        let context = contextForSaving(named: "save", deciding: policy)
        return try await schedule(in: context) {
            try body(context)
        } writing: {
            ($0, try context.push())
        }
    }

    /// Runs `body` and saves, as ``save(onConflict:isolation:_:)->_``, blocking the thread until the store is written.
    ///
    /// - Inside the closure of another modern save of this stack `body` runs at once, on that save's context, and is
    ///   saved with it; conflicts are handled as the outer save says. An exclusive save does so inside exclusive saves only;
    ///   inside any other save it is a separate save, written when it returns.
    /// - Inside a block of a legacy save, or a read, it is a separate save, written when it returns.
    /// - On the main thread, where `body` may run itself, and inside a save of another stack it does not wait for the work
    ///   of other saves, since they may be waiting for the main queue. Should one be at work, both run at the same time;
    ///   use ``save(onConflict:isolation:_:)->_`` there to look up and create. An exclusive save is not for the main thread where
    ///   the closure of another save may wait for the main queue.
    ///
    /// Runs in a cancelled task too, which makes no further try after a conflict.
    @discardableResult
    public func saveAndWait<Value>(
        onConflict handling: MagicalRecord.ConflictHandling? = nil, isolation: MagicalRecord.SaveIsolation = .serial,
        _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        try checkOpen()
        if isolation == .serial || WriteScope.contains(coordinator),
            let outer = ContextScope.exclusiveContext(on: coordinator)
        {
            return try ContextScope.with(outer, as: .exclusiveSave) { try body(outer) }
        }
        return try SaveConflict.retryingAndWait(handling, isolation) {
            try saveOnceAndWait(deciding: handling?.policy, isolation, body)
        }
    }

    private func saveOnceAndWait<Value>(
        deciding policy: NSMergePolicy?, _ isolation: MagicalRecord.SaveIsolation,
        _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        if isolation == .exclusive {
            return try runExclusivelyAndWait(in: contextForExclusiveSave(deciding: policy)) { context in
                let value = try context.runAsExclusiveSave(body)
                _ = try context.push()
                return value
            }
        }
        let context = contextForSaving(named: "saveAndWait", deciding: policy)
        return try scheduleAndWait(in: context, isExclusive: true) {
            try body(context)
        } writing: {
            _ = try context.push()
            return $0
        }
    }

    /// Returns a context for one save. With a policy the context is on the store, so that conflicts are found by this save and not
    /// by that of a parent.
    func contextForSaving(named name: String, deciding policy: NSMergePolicy?) -> NSManagedObjectContext {
        guard let policy else { return newContext(named: name) }
        return MagicalRecord.Shape.attached(.privateQueueConcurrencyType, to: coordinator, named: name, policy)
    }
}
