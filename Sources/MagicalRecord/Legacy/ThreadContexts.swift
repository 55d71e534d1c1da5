import CoreData

/// The contexts of legacy functions called without one.
///
/// Inside a save's closure this is the save's context (the original used a hidden one, and the save did not see its objects).
/// On the main thread it is the default context; on other threads, as in the original, a private-queue child of the default
/// context, kept in the thread's dictionary until the stack changes.
enum ThreadContexts {
    private static let contextKey = "MagicalRecord_NSManagedObjectContextForThreadKey"
    private static let versionKey = "MagicalRecord_NSManagedObjectContextCacheVersionForThreadKey"
    private static let version = Locked(0)

    static func current() -> NSManagedObjectContext {
        if let current = ContextScope.current { return current }
        let main = NSManagedObjectContext.mr_default()
        if MainQueue.isCurrent || main.concurrencyType != .mainQueueConcurrencyType { return main }
        let dictionary = Thread.current.threadDictionary
        let present = version.withLock { $0 }
        if let context = dictionary[contextKey] as? NSManagedObjectContext,
            dictionary[versionKey] as? Int == present, context.parent === main
        {
            return context
        }
        let context = NSManagedObjectContext.mr_context(withParent: main)
        dictionary[contextKey] = context
        dictionary[versionKey] = present
        return context
    }

    /// Makes every thread create a new context on its next use.
    static func invalidate() {
        version.withLock { $0 += 1 }
    }

    static func forgetCurrent() {
        let dictionary = Thread.current.threadDictionary
        dictionary.removeObject(forKey: contextKey)
        dictionary.removeObject(forKey: versionKey)
    }
}

extension NSManagedObjectContext {
    /// The context of the current thread: the default argument of the original's functions.
    @usableFromInline
    static var currentThread: NSManagedObjectContext { ThreadContexts.current() }

    /// Returns the context of the current thread. The porting guide explains why it should not be used.
    #if canImport(ObjectiveC)
    @objc(MR_contextForCurrentThread)
    #endif
    @available(*, deprecated, message: "Pass a context, or work inside MagicalRecord.save { context in … }")
    @discardableResult
    public class func mr_contextForCurrentThread() -> NSManagedObjectContext { .currentThread }

    /// Discards the contexts of all threads but the main one.
    #if canImport(ObjectiveC)
    @objc(MR_clearNonMainThreadContextsCache)
    #endif
    @available(*, deprecated, message: "Pass contexts instead of using one per thread")
    public class func mr_clearNonMainThreadContextsCache() { ThreadContexts.invalidate() }

    /// Resets the context of the current thread, on its queue: on the main thread, the default context.
    #if canImport(ObjectiveC)
    @objc(MR_resetContextForCurrentThread)
    #endif
    @available(*, deprecated, message: "Call reset() on the context you mean")
    public class func mr_resetContextForCurrentThread() {
        let context = ThreadContexts.current()
        context.runAndWait { context.reset() }
    }

    /// Discards the context of the current thread.
    #if canImport(ObjectiveC)
    @objc(MR_clearContextForCurrentThread)
    #endif
    @available(*, deprecated, message: "Pass contexts instead of using one per thread")
    public class func mr_clearForCurrentThread() { ThreadContexts.forgetCurrent() }
}
