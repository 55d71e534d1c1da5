import CoreData

extension NSManagedObjectContext {
    @available(*, deprecated, renamed: "mr_saveToPersistentStoreAndWait()")
    public func mr_save() { mr_saveToPersistentStoreAndWait() }

    /// The callback comes when something failed (the original also called it, without error, when there was nothing
    /// to save; so do the other deprecated callbacks).
    @available(*, deprecated, message: "Use mr_saveToPersistentStoreAndWait(), or save(to:), which throws")
    @preconcurrency
    public func mr_saveWithErrorCallback(_ errorCallback: (@Sendable ((any Error)?) -> Void)?) {
        LegacySaving.save(self, [.parentContexts, .synchronously]) { _, error in
            if let error { errorCallback?(error) }
        }
    }

    @available(*, deprecated, renamed: "mr_saveOnlySelf(completion:)")
    @preconcurrency
    public func mr_save(inBackgroundCompletion completion: (@Sendable () -> Void)?) {
        LegacySaving.save(self, []) { saved, _ in
            if saved { completion?() }
        }
    }

    @available(*, deprecated, renamed: "mr_saveOnlySelf(completion:)")
    @preconcurrency
    public func mr_save(inBackgroundErrorHandler errorCallback: (@Sendable ((any Error)?) -> Void)?) {
        LegacySaving.save(self, []) { _, error in
            if let error { errorCallback?(error) }
        }
    }

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

    @available(*, deprecated, renamed: "mr_saveToPersistentStore(completion:)")
    public func mr_saveNestedContexts() {
        LegacySaving.save(self, .parentContexts, nil)
    }

    @available(*, deprecated, renamed: "mr_saveToPersistentStore(completion:)")
    @preconcurrency
    public func mr_saveNestedContextsErrorHandler(_ errorCallback: (@Sendable ((any Error)?) -> Void)?) {
        LegacySaving.save(self, .parentContexts) { _, error in
            if let error { errorCallback?(error) }
        }
    }

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
