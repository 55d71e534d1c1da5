import CoreData

extension MagicalRecord.Stack {
    /// Runs `body` with a fresh context and saves what it changed, and keeps all others from writing to the stack's stores
    /// between its first read and the end of the save, other processes included: reading a value and writing what follows from
    /// it cannot lose what others write.
    ///
    /// ```swift
    /// try await stack.write(exclusive: true) { context in
    ///     try User.findFirst(where: \.userID == 7, in: context)?.balance += 5
    /// }
    /// ```
    /// The transaction is begun before `body` runs, which others that want to write wait for: do there what needs it, and
    /// nothing that takes long. Reads do not wait, except behind a context that waits to save, such as another process's root.
    ///
    /// - The context is on the store, whatever the stack's shape: what contexts have not saved is not seen.
    /// - What `body` saves itself, and a batch request, is written at once and ends the transaction; it comes last.
    /// - Stores that are read and written as a whole, and those in memory, keep out the others of this process. A stack with a store
    ///   of your own class is an error.
    /// - On Apple's platforms Core Data gives no access to the transaction. There the save fails when a row it changes is not as
    ///   it was read, and `body` runs again, up to fifty times: changes are not lost either, but `body` may run several times,
    ///   and rows it has only read may have changed meanwhile.
    ///
    /// - Parameters:
    ///   - exclusive: false for a save as ``save(_:)->_``.
    ///   - body: the work, on the context's queue. It must not wait for the main queue, nor for a save in another context.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, or Core Data's error; then nothing has been saved. An error, too, when another process has
    ///   kept the file for longer than `NSPersistentStoreTimeoutOption` says.
    @discardableResult
    public func write<Value: Sendable>(
        exclusive: Bool, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        guard exclusive else { return try await save(body) }
        return try await writeExclusively(in: nil, body)
    }

    /// An exclusive write in a lasting context, or in a fresh one for each try. `body` discards what a lasting context holds.
    func writeExclusively<Value: Sendable>(
        in lasting: NSManagedObjectContext?, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        for _ in 0..<ExclusiveWriting.retries {
            do {
                return try await writeOnce(in: lasting, body)
            } catch  where SaveConflict(error) != nil {
                try Task.checkCancellation()
            }
        }
        return try await writeOnce(in: lasting, body)
    }

    /// As ``write(exclusive:_:)->_``, blocking the thread until the store is written. Not for the main thread where the closure of
    /// another save may wait for the main queue.
    ///
    /// Inside another exclusive write of this stack `body` runs at once, on its context, and is saved with it. Inside any other
    /// save it is a save of its own, written when it returns.
    @discardableResult
    public func writeAndWait<Value>(
        exclusive: Bool, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        guard exclusive else { return try saveAndWait(body) }
        if WriteScope.contains(coordinator), let outer = ContextScope.exclusiveContext(on: coordinator) {
            return try ContextScope.with(outer, as: .exclusiveSave) { try body(outer) }
        }
        return try writeExclusivelyAndWait(in: nil, body)
    }

    /// As ``writeExclusively(in:_:)``, blocking the thread.
    func writeExclusivelyAndWait<Value>(
        in lasting: NSManagedObjectContext?, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        for _ in 0..<ExclusiveWriting.retries {
            do {
                return try writeOnceAndWait(in: lasting, body)
            } catch  where SaveConflict(error) != nil {
                try Task.checkCancellation()
            }
        }
        return try writeOnceAndWait(in: lasting, body)
    }

    /// The policy that a lasting context has during an exclusive write; nil for its own.
    static var policyOfExclusiveWrites: NSMergePolicy? { ExclusiveWriting.isRetried ? .error : nil }

    private func writeOnce<Value: Sendable>(
        in lasting: NSManagedObjectContext?, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try checkOpen()
        let context = lasting ?? exclusiveContext()
        return try await schedule(in: context) {
        } writing: {
            // It begins only now.
            try Task.checkCancellation()
            return try self.runExclusively(in: context, body)
        }
    }

    private func writeOnceAndWait<Value>(
        in lasting: NSManagedObjectContext?, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        try beginActivity()
        defer { activity.end() }
        return try withTurnToWrite {
            let context = lasting ?? exclusiveContext()
            return try context.runAndWait { try runExclusively(in: context, body) }
        }
    }

    private func exclusiveContext() -> NSManagedObjectContext {
        let context = MagicalRecord.Shape.attached(
            .privateQueueConcurrencyType, to: coordinator, named: "exclusive write",
            ExclusiveWriting.isRetried ? .error : mergePolicy)
        #if canImport(ObjectiveC)
        // What is refreshed is read from the file.
        context.stalenessInterval = 0
        #endif
        return context
    }

    /// On the context's queue.
    private func runExclusively<Value>(
        in context: NSManagedObjectContext, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        try WriteScope.with(coordinator) {
            try coordinator.writingExclusively {
                let losses = context.storeLosses
                let value = try ContextScope.with(context, as: .exclusiveWrite) { try body(context) }
                try context.requireNoStoreLosses(since: losses)
                _ = try context.push()
                return value
            }
        }
    }
}

extension MagicalRecord {
    /// Runs `body` with a fresh context of the default stack, and keeps all others from writing between its first read and the end of
    /// the save. See ``Stack/write(exclusive:_:)->_``.
    @discardableResult
    public static func write<Value: Sendable>(
        exclusive: Bool, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try await requireStack().write(exclusive: exclusive, body)
    }

    /// As ``write(exclusive:_:)->_``, blocking the thread until the store is written. See ``Stack/writeAndWait(exclusive:_:)``.
    @discardableResult
    public static func writeAndWait<Value>(
        exclusive: Bool, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        try requireStack().writeAndWait(exclusive: exclusive, body)
    }
}

private enum ExclusiveWriting {
    #if canImport(ObjectiveC)
    static let isRetried = true
    #else
    static let isRetried = false
    #endif

    static let retries = isRetried ? 50 : 0
}

#if canImport(ObjectiveC)
extension NSPersistentStoreCoordinator {
    /// Apple's Core Data has no transaction that a program could hold open.
    fileprivate func writingExclusively<Value>(_ body: () throws -> Value) rethrows -> Value { try body() }
}
#endif
