#if canImport(ObjectiveC)
import CoreData

// The names by which Objective-C knows these functions; Swift sees the ones they call.

extension MagicalRecord {
    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use saveWithBlock:completion: and the context it passes")
    @objc(saveUsingCurrentThreadContextWithBlock:completion:)
    public class func objc_saveUsingCurrentThreadContextWithBlock_completion(
        _ block: (@Sendable (NSManagedObjectContext) -> Void)?,
        completion: (@Sendable (Bool, (any Error)?) -> Void)?
    ) {
        saveUsingCurrentThreadContext(block ?? { _ in }, completion: completion)
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use saveWithBlockAndWait: and the context it passes")
    @objc(saveUsingCurrentThreadContextWithBlockAndWait:)
    public class func objc_saveUsingCurrentThreadContextWithBlockAndWait(_ block: ((NSManagedObjectContext) -> Void)?) {
        saveUsingCurrentThreadContext(blockAndWait: block ?? { _ in })
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use saveWithBlock:")
    @objc(saveInBackgroundWithBlock:)
    public class func objc_saveInBackgroundWithBlock(_ block: (@Sendable (NSManagedObjectContext) -> Void)?) {
        saveInBackground(block ?? { _ in })
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use saveWithBlock:completion:")
    @objc(saveInBackgroundWithBlock:completion:)
    public class func objc_saveInBackgroundWithBlock_completion(
        _ block: (@Sendable (NSManagedObjectContext) -> Void)?, completion: (@Sendable () -> Void)?
    ) {
        saveInBackground(block ?? { _ in }, completion: completion)
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use saveWithBlock:completion: and the context it passes")
    @objc(saveInBackgroundUsingCurrentContextWithBlock:completion:errorHandler:)
    public class func objc_saveInBackgroundUsingCurrentContextWithBlock_completion_errorHandler(
        _ block: (@Sendable (NSManagedObjectContext) -> Void)?, completion: (@Sendable () -> Void)?,
        errorHandler: (@Sendable ((any Error)?) -> Void)?
    ) {
        saveInBackgroundUsingCurrentContext(block ?? { _ in }, completion: completion, errorHandler: errorHandler)
    }
}

extension NSManagedObject {
    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use MR_createEntityInContext:")
    @discardableResult
    @objc(MR_createInContext:)
    public class func objc_MR_createInContext(_ context: NSManagedObjectContext) -> Self? {
        mr_create(in: context)
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use MR_deleteEntityInContext:")
    @discardableResult
    @objc(MR_deleteInContext:)
    public func objc_MR_deleteInContext(_ context: NSManagedObjectContext) -> Bool {
        mr_delete(in: context)
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use MR_inContext: and say which context")
    @discardableResult
    @objc(MR_inThreadContext)
    public func objc_MR_inThreadContext() -> Self? {
        mr_inThreadContext()
    }
}

extension NSManagedObjectContext {
    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use MR_newPrivateQueueContext")
    @discardableResult
    @objc(MR_contextWithoutParent)
    public class func objc_MR_contextWithoutParent() -> NSManagedObjectContext {
        mr_contextWithoutParent()
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use MR_context")
    @discardableResult
    @objc(MR_newContext)
    public class func objc_MR_newContext() -> NSManagedObjectContext {
        mr_new()
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use MR_contextWithParent:")
    @discardableResult
    @objc(MR_newContextWithParent:)
    public class func objc_MR_newContextWithParent(_ parent: NSManagedObjectContext) -> NSManagedObjectContext {
        mr_newContext(withParent: parent)
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use MR_contextWithStoreCoordinator:")
    @discardableResult
    @objc(MR_newContextWithStoreCoordinator:)
    public class func objc_MR_newContextWithStoreCoordinator(_ coordinator: NSPersistentStoreCoordinator)
        -> NSManagedObjectContext
    {
        mr_newContext(with: coordinator)
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Pass a context, or work inside saveWithBlock:")
    @discardableResult
    @objc(MR_contextForCurrentThread)
    public class func objc_MR_contextForCurrentThread() -> NSManagedObjectContext {
        mr_contextForCurrentThread()
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Pass contexts instead of using one per thread")
    @objc(MR_clearNonMainThreadContextsCache)
    public class func objc_MR_clearNonMainThreadContextsCache() {
        mr_clearNonMainThreadContextsCache()
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Send reset to the context you mean")
    @objc(MR_resetContextForCurrentThread)
    public class func objc_MR_resetContextForCurrentThread() {
        mr_resetContextForCurrentThread()
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Pass contexts instead of using one per thread")
    @objc(MR_clearContextForCurrentThread)
    public class func objc_MR_clearContextForCurrentThread() {
        mr_clearForCurrentThread()
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use MR_saveToPersistentStoreAndWait")
    @objc(MR_save)
    public func objc_MR_save() {
        mr_save()
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use MR_saveToPersistentStoreAndWait")
    @objc(MR_saveWithErrorCallback:)
    public func objc_MR_saveWithErrorCallback(_ errorCallback: (@Sendable ((any Error)?) -> Void)?) {
        mr_saveWithErrorCallback(errorCallback)
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use MR_saveOnlySelfWithCompletion:")
    @objc(MR_saveInBackgroundCompletion:)
    public func objc_MR_saveInBackgroundCompletion(_ completion: (@Sendable () -> Void)?) {
        mr_save(inBackgroundCompletion: completion)
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use MR_saveOnlySelfWithCompletion:")
    @objc(MR_saveInBackgroundErrorHandler:)
    public func objc_MR_saveInBackgroundErrorHandler(_ errorCallback: (@Sendable ((any Error)?) -> Void)?) {
        mr_save(inBackgroundErrorHandler: errorCallback)
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use MR_saveOnlySelfWithCompletion:")
    @objc(MR_saveInBackgroundErrorHandler:completion:)
    public func objc_MR_saveInBackgroundErrorHandler_completion(
        _ errorCallback: (@Sendable ((any Error)?) -> Void)?, completion: (@Sendable () -> Void)?
    ) {
        mr_save(inBackgroundErrorHandler: errorCallback, completion: completion)
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use MR_saveToPersistentStoreWithCompletion:")
    @objc(MR_saveNestedContexts)
    public func objc_MR_saveNestedContexts() {
        mr_saveNestedContexts()
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use MR_saveToPersistentStoreWithCompletion:")
    @objc(MR_saveNestedContextsErrorHandler:)
    public func objc_MR_saveNestedContextsErrorHandler(_ errorCallback: (@Sendable ((any Error)?) -> Void)?) {
        mr_saveNestedContextsErrorHandler(errorCallback)
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use MR_saveToPersistentStoreWithCompletion:")
    @objc(MR_saveNestedContextsErrorHandler:completion:)
    public func objc_MR_saveNestedContextsErrorHandler_completion(
        _ errorCallback: (@Sendable ((any Error)?) -> Void)?, completion: (@Sendable () -> Void)?
    ) {
        mr_saveNestedContextsErrorHandler(errorCallback, completion: completion)
    }
}

extension NSPersistentStore {
    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Use MR_cloudURLForUbiquitousContainer:")
    @discardableResult
    @objc(MR_cloudURLForUbiqutiousContainer:)
    public class func objc_MR_cloudURLForUbiqutiousContainer(_ name: String) -> URL? {
        mr_cloudURL(forUbiqutiousContainer: name)
    }
}
#endif
