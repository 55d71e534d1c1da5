import CoreData

// Spellings of Swift 2: the compiler says what they are called since Swift 3.

extension NSManagedObjectContext {
    @available(*, unavailable, renamed: "mr_initializeDefaultContext(with:)")
    public static func MR_initializeDefaultContextWithCoordinator(_: Any?) { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_rootSaving()")
    public static func MR_rootSavingContext() -> NSManagedObjectContext { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_default()")
    public static func MR_defaultContext() -> NSManagedObjectContext { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_()")
    public static func MR_context() -> NSManagedObjectContext { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_context(withParent:)")
    public static func MR_contextWithParent(_: Any?) -> NSManagedObjectContext { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_context(with:)")
    public static func MR_contextWithStoreCoordinator(_: Any?) -> NSManagedObjectContext { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_newMainQueue()")
    public static func MR_newMainQueueContext() -> NSManagedObjectContext { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_newPrivateQueue()")
    public static func MR_newPrivateQueueContext() -> NSManagedObjectContext { formerName() }

    @available(*, unavailable, renamed: "mr_setWorkingName(_:)")
    public func MR_setWorkingName(_: Any?) { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_workingName()")
    public func MR_workingName() -> String { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_description()")
    public func MR_description() -> String { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_parentChain()")
    public func MR_parentChain() -> String { formerName() }

    @available(*, unavailable, renamed: "mr_resetDefaultContext()")
    public static func MR_resetDefaultContext() { formerName() }

    @available(*, unavailable, renamed: "mr_deleteObjects(_:)")
    public func MR_deleteObjects(_: Any?) { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_contextWithoutParent()")
    public static func MR_contextWithoutParent() -> NSManagedObjectContext { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_new()")
    public static func MR_newContext() -> NSManagedObjectContext { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_newContext(withParent:)")
    public static func MR_newContextWithParent(_: Any?) -> NSManagedObjectContext { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_newContext(with:)")
    public static func MR_newContextWithStoreCoordinator(_: Any?) -> NSManagedObjectContext { formerName() }

    @available(*, unavailable, renamed: "mr_saveOnlySelf(completion:)")
    public func MR_saveOnlySelfWithCompletion(_: MRSaveCompletionHandler?) { formerName() }

    @available(*, unavailable, renamed: "mr_saveOnlySelfAndWait()")
    public func MR_saveOnlySelfAndWait() { formerName() }

    @available(*, unavailable, renamed: "mr_saveToPersistentStore(completion:)")
    public func MR_saveToPersistentStoreWithCompletion(_: MRSaveCompletionHandler?) { formerName() }

    @available(*, unavailable, renamed: "mr_saveToPersistentStoreAndWait()")
    public func MR_saveToPersistentStoreAndWait() { formerName() }

    @available(*, unavailable, renamed: "mr_save(options:completion:)")
    public func MR_saveWithOptions(_: Any?, completion: MRSaveCompletionHandler?) { formerName() }

    @available(*, unavailable, renamed: "mr_save()")
    public func MR_save() { formerName() }

    @available(*, unavailable, renamed: "mr_saveWithErrorCallback(_:)")
    public func MR_saveWithErrorCallback(_: Any?) { formerName() }

    @available(*, unavailable, renamed: "mr_save(inBackgroundCompletion:)")
    public func MR_saveInBackgroundCompletion(_: Any?) { formerName() }

    @available(*, unavailable, renamed: "mr_save(inBackgroundErrorHandler:)")
    public func MR_saveInBackgroundErrorHandler(_: Any?) { formerName() }

    @available(*, unavailable, renamed: "mr_save(inBackgroundErrorHandler:completion:)")
    public func MR_saveInBackgroundErrorHandler(_: Any?, completion: Any?) { formerName() }

    @available(*, unavailable, renamed: "mr_saveNestedContexts()")
    public func MR_saveNestedContexts() { formerName() }

    @available(*, unavailable, renamed: "mr_saveNestedContextsErrorHandler(_:)")
    public func MR_saveNestedContextsErrorHandler(_: Any?) { formerName() }

    @available(*, unavailable, renamed: "mr_saveNestedContextsErrorHandler(_:completion:)")
    public func MR_saveNestedContextsErrorHandler(_: Any?, completion: Any?) { formerName() }

    @available(*, unavailable, renamed: "mr_save(_:)")
    public func MR_saveWithBlock(_: (NSManagedObjectContext) -> Void) { formerName() }

    @available(*, unavailable, renamed: "mr_save(_:completion:)")
    public func MR_saveWithBlock(_: (NSManagedObjectContext) -> Void, completion: MRSaveCompletionHandler?) {
        formerName()
    }

    @available(*, unavailable, renamed: "mr_save(blockAndWait:)")
    public func MR_saveWithBlockAndWait(_: (NSManagedObjectContext) -> Void) { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_contextForCurrentThread()")
    public static func MR_contextForCurrentThread() -> NSManagedObjectContext { formerName() }

    @available(*, unavailable, renamed: "mr_clearNonMainThreadContextsCache()")
    public static func MR_clearNonMainThreadContextsCache() { formerName() }

    @available(*, unavailable, renamed: "mr_resetContextForCurrentThread()")
    public static func MR_resetContextForCurrentThread() { formerName() }

    @available(*, unavailable, renamed: "mr_clearForCurrentThread()")
    public static func MR_clearContextForCurrentThread() { formerName() }

    @available(*, unavailable, renamed: "mr_observe(_:)")
    public func MR_observeContext(_: Any?) { formerName() }

    @available(*, unavailable, renamed: "mr_observe(onMainThread:)")
    public func MR_observeContextOnMainThread(_: Any?) { formerName() }

    @available(*, unavailable, renamed: "mr_stopObserving(_:)")
    public func MR_stopObservingContext(_: Any?) { formerName() }
}
