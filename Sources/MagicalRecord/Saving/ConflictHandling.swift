import CoreData

extension MagicalRecord {
    /// What a save does that meets what another context or process has written: a row changed or deleted since the save has
    /// read it, or a row with the same unique values.
    ///
    /// A save that is given none follows the ``Stack/mergePolicy`` of its stack.
    public enum ConflictHandling: @unchecked Sendable {
        /// Fails with Core Data's error, `NSManagedObjectMergeError` or `NSManagedObjectConstraintMergeError`, whatever the
        /// stack's policy.
        case `throw`
        /// Runs the closure again, at most so many times, with a fresh context that finds the rows as they are then. The
        /// last conflict is thrown when the tries are used up.
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

/// What a save met that others have written.
struct SaveConflict {
    /// The objects of rows that are not what the save took them for.
    let objects: [NSManagedObjectID]

    /// nil for errors that are something else, or something else too.
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

    /// On the queue of `parent`, once the refused changes are taken back: sees to it that the objects are read again.
    func forget(in parent: NSManagedObjectContext) {
        for id in objects {
            guard let object = parent.registeredObject(for: id), !object.hasChanges else { continue }
            parent.refresh(object, mergeChanges: false)
        }
    }
}
