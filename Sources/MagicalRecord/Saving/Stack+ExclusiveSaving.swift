import CoreData

extension MagicalRecord {
    /// The isolation of a save from the writes of others while it runs.
    public enum SaveIsolation: Hashable, Sendable {
        /// The saves of the stack run one after the other. Other processes, and contexts that programs save themselves, may write
        /// between the save's reads and its end; see ``ConflictHandling``.
        case serial
        /// No other context or process writes to the stack's stores between the first read and the end of the save: reading a
        /// value and writing what follows from it cannot lose what others write.
        ///
        /// ```swift
        /// try await stack.save(isolation: .exclusive) { context in
        ///     try User.findFirst(where: \.userID == 7, in: context)?.balance += 5
        /// }
        /// ```
        /// The transaction begins before the closure runs, and others that want to write wait for it: the closure should take
        /// little time. Reads do not wait, except behind a context that waits to save, such as another process's root.
        ///
        /// - The context is on the store, whatever the stack's shape: what contexts have not saved is not seen.
        /// - What the closure saves itself, and a batch request, is written at once and ends the transaction; it comes last.
        /// - Stores that are read and written as a whole, and those in memory, keep out the others of this process. A stack with
        ///   a store of a program's own class is an error.
        /// - On Apple's platforms Core Data gives no access to the transaction. There the save fails when a row it changes is not
        ///   as it was read, and the closure runs again, up to fifty times: changes are not lost either, but rows that were only
        ///   read may have changed meanwhile, and a merge policy given to the save does not count.
        case exclusive
    }
}

extension MagicalRecord.Stack {
    /// Runs `body` on the context's queue as the only writer of the stack's stores, when the saves before it have ended.
    func scheduleExclusively<Value: Sendable>(
        in context: NSManagedObjectContext, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try checkOpen()
        return try await schedule(in: context) {
        } writing: {
            // It begins only now.
            try Task.checkCancellation()
            return try self.runExclusively(in: context, body)
        }
    }

    /// Runs `body` as ``scheduleExclusively(in:_:)``, blocking the thread.
    func runExclusivelyAndWait<Value>(
        in context: NSManagedObjectContext, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        try beginActivity()
        defer { activity.end() }
        return try withTurnToWrite {
            try context.runAndWait { try runExclusively(in: context, body) }
        }
    }

    /// Returns a context on the store for one exclusive save.
    func contextForExclusiveSave(deciding policy: NSMergePolicy?) -> NSManagedObjectContext {
        let context = MagicalRecord.Shape.attached(
            .privateQueueConcurrencyType, to: coordinator, named: "exclusive save",
            ExclusiveSaving.policy ?? policy ?? mergePolicy)
        #if canImport(ObjectiveC)
        // What is refreshed is read from the file.
        context.stalenessInterval = 0
        #endif
        return context
    }

    /// Runs `body` on the context's queue, and its save in the same transaction.
    private func runExclusively<Value>(
        in context: NSManagedObjectContext, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        try WriteScope.with(coordinator) {
            try coordinator.writingExclusively { try body(context) }
        }
    }
}

extension NSManagedObjectContext {
    /// Runs the closure of an exclusive save on the queue, before what it changed is saved.
    func runAsExclusiveSave<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        let losses = storeLosses
        let value = try ContextScope.with(self, as: .exclusiveWrite) { try body(self) }
        try requireNoStoreLosses(since: losses)
        return value
    }
}

/// The means of exclusive saves that differ between platforms.
enum ExclusiveSaving {
    #if canImport(ObjectiveC)
    static let policy: NSMergePolicy? = .error
    static let retries = 50
    #else
    static let policy: NSMergePolicy? = nil
    static let retries = 0
    #endif
}

#if canImport(ObjectiveC)
extension NSPersistentStoreCoordinator {
    /// Runs `body`. Apple's Core Data has no transaction that a program could hold open.
    fileprivate func writingExclusively<Value>(_ body: () throws -> Value) rethrows -> Value { try body() }
}
#endif
