import CoreData

extension NSManagedObjectContext {
    /// Saves this context and its parents to the store as ``mr_saveToPersistentStoreAndWait()``, under an older name.
    #if canImport(ObjectiveC)
    @objc(MR_save)
    #endif
    @available(*, deprecated, renamed: "mr_saveToPersistentStoreAndWait()")
    public func mr_save() { mr_saveToPersistentStoreAndWait() }

    /// Saves this context and its parents to the store, blocking the thread; calls `errorCallback` on the main queue after an
    /// error. (The original also called it without an error if there was nothing to save, as did its other deprecated
    /// callbacks.)
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

    /// Saves this context alone, asynchronously; calls `completion` on the main queue after a successful save.
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

    /// Saves this context alone, asynchronously; calls `errorCallback` on the main queue after an error.
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

    /// Saves this context alone, asynchronously; calls `completion` or `errorCallback` on the main queue.
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

    /// Saves the context and all its parents, asynchronously.
    #if canImport(ObjectiveC)
    @objc(MR_saveNestedContexts)
    #endif
    @available(*, deprecated, renamed: "mr_saveToPersistentStore(completion:)")
    public func mr_saveNestedContexts() {
        LegacySaving.save(self, .parentContexts, nil)
    }

    /// Saves the context and all its parents, asynchronously; calls `errorCallback` on the main queue after an error.
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

    /// Saves the context and all its parents, asynchronously; calls `completion` or `errorCallback` on the main queue.
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
