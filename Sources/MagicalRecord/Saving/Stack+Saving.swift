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
    /// look-up-or-create cannot create twice. (The legacy functions' saves are no part of that order.)
    ///
    /// When the call returns on the main actor, the main context has merged the changes.
    ///
    /// - Parameter body: the work, on the context's queue. It may read any context, save by the functions that block,
    ///   and clean up, but must not wait for another thread's save by this function or ``saveAndWait(_:)``.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, or Core Data's error. Then nothing has been saved, and nothing is left in the
    ///   contexts above.
    @discardableResult
    public func save<Value: Sendable>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try await saveReportingOutcome(body).value
    }

    /// As ``save(_:)-swift.method``, and also says how far the changes got: to the store, or nowhere because
    /// there were none.
    public func saveReportingOutcome<Value: Sendable>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> (value: Value, outcome: SaveOutcome) {
        try checkOpen()
        let context = newContext(named: "save")
        return try await schedule(in: context, isExclusive: true) {
            try body(context)
        } writing: {
            ($0, try context.push())
        }
    }

    /// As ``save(_:)-swift.method``, blocking the thread until the store is written.
    ///
    /// - Inside the closure of another modern save of this stack `body` runs at once, on that save's context, and is
    ///   saved with it.
    /// - Inside a block of a legacy save, or a read, it is a save of its own, written when it returns.
    /// - On the main thread, where `body` may run itself, and inside a save of another stack it does not wait for the work
    ///   of other saves, since they may be waiting for the main queue. Should one be at work, both run at the same time;
    ///   use ``save(_:)-swift.method`` there to look up and create.
    @discardableResult
    public func saveAndWait<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        try checkOpen()
        if let outer = ContextScope.exclusiveContext(on: coordinator) {
            return try ContextScope.with(outer, as: .exclusiveSave) { try body(outer) }
        }
        let context = newContext(named: "saveAndWait")
        return try scheduleAndWait(in: context, isExclusive: true) {
            try body(context)
        } writing: {
            _ = try context.push()
            return $0
        }
    }
}
