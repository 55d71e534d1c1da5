import CoreData

extension NSManagedObjectContext {
    /// An older name for ``mr_saveToPersistentStoreAndWait()``.
    #if canImport(ObjectiveC)
    @objc(MR_save)
    #endif
    @available(*, deprecated, renamed: "mr_saveToPersistentStoreAndWait()")
    public func mr_save() { mr_saveToPersistentStoreAndWait() }

    /// The callback comes when something failed (the original also called it, without error, when there was nothing
    /// to save; so do the other deprecated callbacks).
    #if canImport(ObjectiveC)
    @objc(MR_saveWithErrorCallback:)
    #endif
    @available(*, deprecated, message: "Use mr_saveToPersistentStoreAndWait(), or save(to:), which throws")
    @preconcurrency
    public func mr_saveWithErrorCallback(_ errorCallback: (@Sendable ((any Error)?) -> Void)?) {
        LegacySaving.save(self, [.parentContexts, .synchronously]) { _, error in
            if let error { errorCallback?(error) }
        }
    }

    /// Saves this context alone, without waiting; `completion` is called when that worked.
    #if canImport(ObjectiveC)
    @objc(MR_saveInBackgroundCompletion:)
    #endif
    @available(*, deprecated, renamed: "mr_saveOnlySelf(completion:)")
    @preconcurrency
    public func mr_save(inBackgroundCompletion completion: (@Sendable () -> Void)?) {
        LegacySaving.save(self, []) { saved, _ in
            if saved { completion?() }
        }
    }

    /// Saves this context alone, without waiting; an error goes to the callback.
    #if canImport(ObjectiveC)
    @objc(MR_saveInBackgroundErrorHandler:)
    #endif
    @available(*, deprecated, renamed: "mr_saveOnlySelf(completion:)")
    @preconcurrency
    public func mr_save(inBackgroundErrorHandler errorCallback: (@Sendable ((any Error)?) -> Void)?) {
        LegacySaving.save(self, []) { _, error in
            if let error { errorCallback?(error) }
        }
    }

    /// Saves this context alone, without waiting, and calls whichever of the two fits the outcome.
    #if canImport(ObjectiveC)
    @objc(MR_saveInBackgroundErrorHandler:completion:)
    #endif
    @available(*, deprecated, renamed: "mr_saveOnlySelf(completion:)")
    @preconcurrency
    public func mr_save(
        inBackgroundErrorHandler errorCallback: (@Sendable ((any Error)?) -> Void)?,
        completion: (@Sendable () -> Void)?
    ) {
        LegacySaving.save(self, []) { saved, error in
            if let error { errorCallback?(error) } else if saved { completion?() }
        }
    }

    /// Saves the context and all its parents, without waiting.
    #if canImport(ObjectiveC)
    @objc(MR_saveNestedContexts)
    #endif
    @available(*, deprecated, renamed: "mr_saveToPersistentStore(completion:)")
    public func mr_saveNestedContexts() {
        LegacySaving.save(self, .parentContexts, nil)
    }

    /// Saves the context and all its parents, without waiting; an error goes to the callback.
    #if canImport(ObjectiveC)
    @objc(MR_saveNestedContextsErrorHandler:)
    #endif
    @available(*, deprecated, renamed: "mr_saveToPersistentStore(completion:)")
    @preconcurrency
    public func mr_saveNestedContextsErrorHandler(_ errorCallback: (@Sendable ((any Error)?) -> Void)?) {
        LegacySaving.save(self, .parentContexts) { _, error in
            if let error { errorCallback?(error) }
        }
    }

    /// Saves the context and all its parents, without waiting, and calls whichever of the two fits the outcome.
    #if canImport(ObjectiveC)
    @objc(MR_saveNestedContextsErrorHandler:completion:)
    #endif
    @available(*, deprecated, renamed: "mr_saveToPersistentStore(completion:)")
    @preconcurrency
    public func mr_saveNestedContextsErrorHandler(
        _ errorCallback: (@Sendable ((any Error)?) -> Void)?, completion: (@Sendable () -> Void)?
    ) {
        LegacySaving.save(self, .parentContexts) { saved, error in
            if let error { errorCallback?(error) } else if saved { completion?() }
        }
    }
}
