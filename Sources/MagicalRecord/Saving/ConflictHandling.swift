import CoreData

extension MagicalRecord {
    /// The handling of conflicts between a save and the writes of other contexts or processes: a row that was changed or deleted
    /// since the save read it, or a row with the same unique values.
    ///
    /// A save without one follows the ``Stack/mergePolicy`` of its stack.
    public enum ConflictHandling: @unchecked Sendable {
        /// Fails with Core Data's error, `NSManagedObjectMergeError` or `NSManagedObjectConstraintMergeError`, whatever the
        /// stack's policy.
        case `throw`
        /// Runs the closure again, up to `times` times, with a new context that reads the current rows. The last conflict is
        /// thrown after the last try.
        case retry(times: Int)
        /// Follows this policy, for this save alone.
        case merge(NSMergePolicy)

        var policy: NSMergePolicy {
            switch self {
            case .throw, .retry: .error
            case .merge(let policy): policy
            }
        }

        var retries: Int {
            switch self {
            case .throw, .merge: 0
            case .retry(let times): max(times, 0)
            }
        }
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
            objects = Self.objects(of: error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [Any] ?? [])
        case NSValidationMultipleErrorsError:
            let errors = error.userInfo[NSDetailedErrorsKey] as? [any Error] ?? []
            let conflicts = errors.compactMap { SaveConflict($0) }
            guard !errors.isEmpty, conflicts.count == errors.count else { return nil }
            objects = conflicts.flatMap(\.objects)
        default: return nil
        }
    }

    private static func objects(of conflicts: [Any]) -> [NSManagedObjectID] {
        conflicts.flatMap { conflict -> [NSManagedObjectID] in
            switch conflict {
            case let conflict as NSMergeConflict: [conflict.sourceObject.objectID]
            case let conflict as NSConstraintConflict: [conflict.databaseObject].compactMap { $0?.objectID }
            default: []
            }
        }
    }

    /// Runs `attempt` until it meets no conflict, at most as often as asked for.
    ///
    /// - Throws: its error; after tries that met nothing but conflicts, the last conflict; `CancellationError`.
    static func retrying<Value: Sendable>(
        _ handling: MagicalRecord.ConflictHandling?, _ isolation: MagicalRecord.SaveIsolation,
        _ attempt: () async throws -> Value
    ) async throws -> Value {
        for _ in 0..<retries(handling, isolation) {
            do {
                return try await attempt()
            } catch  where SaveConflict(error) != nil {
                try Task.checkCancellation()
            }
        }
        return try await attempt()
    }

    /// Runs `attempt` as ``retrying(_:_:_:)``, on this thread.
    static func retryingAndWait<Value>(
        _ handling: MagicalRecord.ConflictHandling?, _ isolation: MagicalRecord.SaveIsolation,
        _ attempt: () throws -> Value
    ) throws -> Value {
        for _ in 0..<retries(handling, isolation) {
            do {
                return try attempt()
            } catch  where SaveConflict(error) != nil {
                try Task.checkCancellation()
            }
        }
        return try attempt()
    }

    private static func retries(
        _ handling: MagicalRecord.ConflictHandling?, _ isolation: MagicalRecord.SaveIsolation
    ) -> Int {
        max(handling?.retries ?? 0, isolation == .exclusive ? ExclusiveSaving.retries : 0)
    }

    /// Makes faults of the objects in `parent`, so that they are read again. Runs on its queue, after the refused changes were
    /// undone.
    func forget(in parent: NSManagedObjectContext) {
        for id in objects {
            guard let object = parent.registeredObject(for: id), !object.hasChanges else { continue }
            parent.refresh(object, mergeChanges: false)
        }
    }
}
