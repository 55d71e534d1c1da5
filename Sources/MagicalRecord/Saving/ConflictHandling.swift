import CoreData

extension MagicalRecord {
    /// The handling of conflicts between a save and the writes of other contexts or processes: a row that was changed or deleted
    /// since the save read it, or a row with the same unique values. A save without one follows its stack's
    /// ``Stack/mergePolicy``, in a named context of a ``Database`` that context's.
    public enum ConflictHandling: @unchecked Sendable {
        /// Fails with Core Data's error, `NSManagedObjectMergeError` or `NSManagedObjectConstraintMergeError`, whatever the
        /// stack's policy.
        case `throw`
        /// Runs the closure again, up to `times` times, on the current rows: with a new context, or with a named one that reads
        /// its objects again. The last conflict is thrown after the last try.
        case retry(times: Int)
        /// Follows this policy, for this save alone.
        case merge(NSMergePolicy)

        var policy: NSMergePolicy {
            if case .merge(let policy) = self { policy } else { .error }
        }

        var retries: Int {
            if case .retry(let times) = self { max(times, 0) } else { 0 }
        }
    }

    /// The isolation of a save from the writes of others while it runs.
    public enum SaveIsolation: Hashable, Sendable {
        /// The saves of the stack run one after the other, unless all its stores are in PostgreSQL databases. Other processes, and
        /// contexts that programs save themselves, may write between the save's reads and its end; see ``ConflictHandling``.
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
        /// - Core Data on Apple's platforms gives no access to the transaction. There the save fails when a row it changes is
        ///   not as it was read, and the closure runs again, up to fifty times: changes are not lost either, but rows that were
        ///   only read may have changed meanwhile, and a merge policy given to the save does not count.
        case exclusive

        #if canImport(ObjectiveC)
        /// The merge policy that replaces all others.
        var policy: NSMergePolicy? { self == .exclusive ? .error : nil }
        private var leastRetries: Int { self == .exclusive ? 50 : 0 }
        #else
        var policy: NSMergePolicy? { nil }
        private var leastRetries: Int { 0 }
        #endif

        /// Returns the number of further tries after conflicts.
        func retries(_ handling: ConflictHandling?) -> Int { max(handling?.retries ?? 0, leastRetries) }
    }
}

extension NSManagedObjectContext {
    /// Runs the closure of a save on the queue, before what it changed is saved.
    func runSave<Value>(
        _ isolation: MagicalRecord.SaveIsolation, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        guard isolation == .exclusive else { return try body(self) }
        let losses = storeLosses
        let value = try ContextScope.with(self, as: .exclusiveWrite) { try body(self) }
        try requireNoStoreLosses(since: losses)
        return value
    }
}

/// A conflict between a save and the writes of others.
struct SaveConflict {
    /// The objects of the rows that others have changed.
    let objects: [NSManagedObjectID]

    /// Returns nil for errors that are not conflicts alone.
    init?(_ error: any Error) {
        let error = error as NSError
        guard error.domain == NSCocoaErrorDomain else { return nil }
        switch error.code {
        case NSManagedObjectMergeError, NSManagedObjectConstraintMergeError, NSPersistentStoreSaveConflictsError:
            let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [Any] ?? []
            objects = conflicts.compactMap {
                (($0 as? NSMergeConflict)?.sourceObject ?? ($0 as? NSConstraintConflict)?.databaseObject)?.objectID
            }
        case NSValidationMultipleErrorsError:
            let errors = error.userInfo[NSDetailedErrorsKey] as? [any Error] ?? []
            let conflicts = errors.compactMap { SaveConflict($0) }
            guard !errors.isEmpty, conflicts.count == errors.count else { return nil }
            objects = conflicts.flatMap(\.objects)
        default: return nil
        }
    }

    /// Runs `attempt` until it meets no conflict, at most as often as asked for.
    ///
    /// - Throws: its error; after tries that met nothing but conflicts, the last conflict; `CancellationError`.
    static func retrying<Value: Sendable>(_ retries: Int, _ attempt: () async throws -> Value) async throws -> Value {
        for _ in 0..<retries {
            do { return try await attempt() } catch  where SaveConflict(error) != nil { try Task.checkCancellation() }
        }
        return try await attempt()
    }

    /// Runs `attempt` as ``retrying(_:_:)``, on this thread.
    static func retryingAndWait<Value>(_ retries: Int, _ attempt: () throws -> Value) throws -> Value {
        for _ in 0..<retries {
            do { return try attempt() } catch  where SaveConflict(error) != nil { try Task.checkCancellation() }
        }
        return try attempt()
    }

    /// Makes faults of the objects in `parent`, so that they are read again. Runs on its queue, after the refused changes were
    /// undone.
    func forget(in parent: NSManagedObjectContext) {
        for object in objects.compactMap(parent.registeredObject) where !object.hasChanges {
            parent.refresh(object, mergeChanges: false)
        }
    }
}
