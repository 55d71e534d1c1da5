import CoreData

/// Implements the original's saves through a chain of contexts, with a completion on the main queue.
///
/// Differs from the original in two points: parents with changes are saved even if the context itself has none, and an
/// asynchronous save never blocks the caller on a busy queue.
enum LegacySaving {
    static func save(
        _ context: NSManagedObjectContext, _ options: MRSaveOptions, _ completion: MRSaveCompletionHandler?
    ) {
        let stack = MagicalRecord.Stack.latest(on: context.persistentStoreCoordinator)
        guard stack?.activity.begin(within: true) ?? true else {
            return LegacyActions.fail(MagicalRecordError.tornDown, completion)
        }
        do {
            if !options.isDisjoint(with: [.synchronously, .synchronouslyExceptRootContext]) {
                try context.checkMayBeWaitedFor()
            }
        } catch {
            stack?.activity.end()
            return LegacyActions.fail(error, completion)
        }
        step(context, options, savedBelow: false) { saved, error in
            stack?.activity.end()
            guard let completion else { return }
            DispatchQueue.main.async { completion(saved, error) }
        }
    }

    private static func step(
        _ context: NSManagedObjectContext, _ options: MRSaveOptions, savedBelow: Bool,
        _ finish: @escaping MRSaveCompletionHandler
    ) {
        let exceptRoot = options.contains(.synchronouslyExceptRootContext)
        let waits = exceptRoot ? context.parent != nil : options.contains(.synchronously)
        let body: @Sendable () -> Void = {
            var saved = savedBelow
            let merging = waits && options.contains(.parentContexts) ? context.beginSavingThrough() : nil
            defer { merging?.endSavingThrough(context) }
            do {
                if try context.saveStep() { saved = true }
            } catch {
                MagicalRecord.handleErrors(error)
                return finish(false, error)
            }
            if options.contains(.parentContexts), let parent = context.parent {
                step(parent, options, savedBelow: saved, finish)
            } else {
                finish(saved, nil)
            }
        }
        if waits { context.runAndWait(body) } else { context.perform(body) }
    }
}

extension NSManagedObjectContext {
    /// Saves this context to its parent, asynchronously on its queue. See ``mr_save(options:completion:)``.
    #if canImport(ObjectiveC)
    @objc(MR_saveOnlySelfWithCompletion:)
    #endif
    @preconcurrency
    public func mr_saveOnlySelf(completion: MRSaveCompletionHandler? = nil) {
        mr_save(options: [], completion: completion)
    }

    /// Saves this context to its parent, blocking the thread.
    #if canImport(ObjectiveC)
    @objc(MR_saveOnlySelfAndWait)
    #endif
    public func mr_saveOnlySelfAndWait() { mr_save(options: .synchronously) }

    /// Saves this context and its parents to the store, asynchronously. See ``mr_save(options:completion:)``.
    #if canImport(ObjectiveC)
    @objc(MR_saveToPersistentStoreWithCompletion:)
    #endif
    @preconcurrency
    public func mr_saveToPersistentStore(completion: MRSaveCompletionHandler? = nil) {
        mr_save(options: .parentContexts, completion: completion)
    }

    /// Saves this context and its parents to the store, blocking the thread.
    #if canImport(ObjectiveC)
    @objc(MR_saveToPersistentStoreAndWait)
    #endif
    public func mr_saveToPersistentStoreAndWait() { mr_save(options: [.parentContexts, .synchronously]) }

    /// Saves with options. The completion is called once, on the main queue, never before this function returns.
    ///
    /// Errors also go to the error handler.
    @preconcurrency
    public func mr_save(options saveOptions: MRSaveOptions = [], completion: MRSaveCompletionHandler? = nil) {
        LegacySaving.save(self, saveOptions, completion)
    }

    /// Saves this context to its parent; returns false if there was nothing to save.
    @discardableResult
    public func mr_saveOnlySelf() async throws -> Bool { try await mr_save(options: []) }

    /// Saves this context and its parents to the store; returns false if there was nothing to save.
    @discardableResult
    public func mr_saveToPersistentStore() async throws -> Bool { try await mr_save(options: .parentContexts) }

    /// Saves with options; returns false if there was nothing to save.
    @discardableResult
    public func mr_save(options saveOptions: MRSaveOptions) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            LegacySaving.save(self, saveOptions) { saved, error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: saved) }
            }
        }
    }
}
