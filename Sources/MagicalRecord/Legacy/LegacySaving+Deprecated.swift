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
        save([.parentContexts, .synchronously], errorCallback)
    }

    /// Saves this context alone, asynchronously; calls `completion` on the main queue after a successful save.
    #if canImport(ObjectiveC)
    @objc(MR_saveInBackgroundCompletion:)
    #endif
    @available(*, deprecated, renamed: "mr_saveOnlySelf(completion:)")
    @preconcurrency
    public func mr_save(inBackgroundCompletion completion: (@Sendable () -> Void)?) { save([], nil, completion) }

    /// Saves this context alone, asynchronously; calls `errorCallback` on the main queue after an error, else `completion` if
    /// there was anything to save.
    #if canImport(ObjectiveC)
    @objc(MR_saveInBackgroundErrorHandler:completion:)
    #endif
    @available(*, deprecated, renamed: "mr_saveOnlySelf(completion:)")
    @preconcurrency
    public func mr_save(
        inBackgroundErrorHandler errorCallback: (@Sendable ((any Error)?) -> Void)?,
        completion: (@Sendable () -> Void)? = nil
    ) { save([], errorCallback, completion) }

    /// Saves the context and all its parents, asynchronously.
    #if canImport(ObjectiveC)
    @objc(MR_saveNestedContexts)
    #endif
    @available(*, deprecated, renamed: "mr_saveToPersistentStore(completion:)")
    public func mr_saveNestedContexts() { save(.parentContexts, nil) }

    /// Saves the context and all its parents, asynchronously; calls one of the functions as
    /// ``mr_save(inBackgroundErrorHandler:completion:)``.
    #if canImport(ObjectiveC)
    @objc(MR_saveNestedContextsErrorHandler:completion:)
    #endif
    @available(*, deprecated, renamed: "mr_saveToPersistentStore(completion:)")
    @preconcurrency
    public func mr_saveNestedContextsErrorHandler(
        _ errorCallback: (@Sendable ((any Error)?) -> Void)?, completion: (@Sendable () -> Void)? = nil
    ) { save(.parentContexts, errorCallback, completion) }

    private func save(
        _ options: MRSaveOptions, _ errorCallback: (@Sendable ((any Error)?) -> Void)?,
        _ completion: (@Sendable () -> Void)? = nil
    ) {
        LegacySaving.save(self, options) { saved, error in
            if let error { errorCallback?(error) } else if saved { completion?() }
        }
    }
}
