import CoreData

extension MagicalRecord.Stack {
    /// Runs `body` with a fresh context and saves what it changed through to the store. Returns what `body` returns.
    ///
    /// ```swift
    /// try await stack.save(onConflict: .retry(times: 3)) { context in
    ///     try User.findFirst(where: \.userID == 7, in: context)?.balance += 5
    /// }
    /// ```
    /// Inside `body`, functions that are given no context use this one. The saves of a stack run one after the other:
    /// `body` begins when every save asked for before has ended, so what it reads is what it writes upon, and
    /// look-up-or-create cannot create twice. (The legacy functions' saves are no part of that order. Where the stores let
    /// several save at once, as PostgreSQL's do, saves on the store run side by side: all of the shapes
    /// ``MagicalRecord/Shape/server`` and ``MagicalRecord/Shape/siblings``, and elsewhere those with a way to handle conflicts.
    /// Constraints, ``MagicalRecord/ConflictHandling/retry(times:)`` or ``MagicalRecord/SaveIsolation/exclusive`` keep these, and
    /// those of other processes, from creating twice.)
    ///
    /// When the call returns on the main actor, the main context has merged the changes. A save with a way to handle conflicts
    /// or with exclusive isolation is on the store, whatever the stack's shape: changes that other contexts have not saved to
    /// the store are not seen, and these contexts follow in a moment (``mergesHaveEnded()``).
    ///
    /// A save does not begin if its task is cancelled before `body` runs. `body` sees `Task.isCancelled` (on Apple's platforms from
    /// macOS 14 and iOS 17 on); what it has done when it returns is saved all the same.
    ///
    /// - Parameters:
    ///   - handling: what happens when rows that the save is about were written by others.
    ///   - isolation: what others may write while the save runs.
    ///   - body: the work, on the context's queue. It may read any context, save by the functions that block, and clean up, but
    ///     must not wait for another thread's save by this function or ``saveAndWait(onConflict:isolation:_:)``. With
    ///     ``MagicalRecord/ConflictHandling/retry(times:)`` it may run several times, so all else that it does must be repeatable.
    /// - Throws: what `body` throws, or Core Data's error, that of a read that could not throw it included (see
    ///   `NSManagedObjectContext.readError`); after the last try, the last conflict. Then nothing has been saved, and nothing is
    ///   left in the contexts above. `CancellationError` when the task was cancelled before a try. An exclusive save fails, too,
    ///   when another process keeps the file for longer than `NSPersistentStoreTimeoutOption` says.
    @discardableResult
    public func save<Value: Sendable>(
        onConflict handling: MagicalRecord.ConflictHandling? = nil, isolation: MagicalRecord.SaveIsolation = .serial,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try await saveReportingOutcome(onConflict: handling, isolation: isolation, body).value
    }

    /// Runs `body` and saves, as the other `save`, and discards what `body` returns: objects cannot leave the closure.
    // A closure of one expression has that expression's type, and objects are not Sendable: without this function
    // `save { try User.create(in: $0) }` would not compile. The compiler prefers the other wherever the value is Sendable, since
    // it is more specialized.
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
        try await SaveConflict.retrying(isolation.retries(handling)) {
            try self.checkOpen()
            let context = self.contextForSaving(named: "save", deciding: handling?.policy, isolation)
            return try await self.schedule(in: context, isolation: isolation) {
                try context.runSave(isolation, body)
            } writing: {
                ($0, try context.push())
            }
        }
    }

    /// Runs `body` and saves, as ``save(onConflict:isolation:_:)->_``, blocking the thread until the store is written.
    ///
    /// - Inside the closure of another modern save of this stack `body` runs at once, on that save's context, and is
    ///   saved with it; conflicts are handled as the outer save says. (An exclusive save does so inside exclusive saves only.)
    ///   Inside any other closure it is a separate save, written when it returns.
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
        return try SaveConflict.retryingAndWait(isolation.retries(handling)) {
            let context = contextForSaving(named: "saveAndWait", deciding: handling?.policy, isolation)
            return try scheduleAndWait(in: context, isolation: isolation) {
                try context.runSave(isolation, body)
            } writing: {
                _ = try context.push()
                return $0
            }
        }
    }

    /// Returns a context for one save. With a policy, or for an exclusive save, it is on the store, so that conflicts are found
    /// by this save and not by that of a parent.
    func contextForSaving(
        named name: String, deciding policy: NSMergePolicy?, _ isolation: MagicalRecord.SaveIsolation = .serial
    ) -> NSManagedObjectContext {
        if isolation == .exclusive {
            let context = newContextOnStore(named: "exclusive save", isolation.policy ?? policy)
            #if canImport(ObjectiveC)
            // What is refreshed is read from the file.
            context.stalenessInterval = 0
            #endif
            return context
        }
        return policy == nil ? newContext(named: name) : newContextOnStore(named: name, policy)
    }
}

extension MagicalRecord {
    /// Runs `body` with a fresh context and saves what it changed through to the store of the default stack. See
    /// ``Stack/save(onConflict:isolation:_:)->_``.
    @discardableResult
    public static func save<Value: Sendable>(
        onConflict handling: ConflictHandling? = nil, isolation: SaveIsolation = .serial,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try await requireStack().save(onConflict: handling, isolation: isolation, body)
    }

    /// Runs `body` and saves, as the other `save`, and discards what `body` returns: objects cannot leave the closure.
    public static func save<Value>(
        onConflict handling: ConflictHandling? = nil, isolation: SaveIsolation = .serial,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws {
        try await requireStack().save(onConflict: handling, isolation: isolation, body)
    }

    /// Runs `body` and saves, blocking the thread until the store is written. See ``Stack/saveAndWait(onConflict:isolation:_:)``.
    @discardableResult
    public static func saveAndWait<Value>(
        onConflict handling: ConflictHandling? = nil, isolation: SaveIsolation = .serial,
        _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        try requireStack().saveAndWait(onConflict: handling, isolation: isolation, body)
    }
}
