#if canImport(ObjectiveC)
import CoreData

// The names by which Objective-C knows these functions; Swift sees the ones they call.

extension NSManagedObjectContext {
    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_rootSavingContext)
    public class func objc_MR_rootSavingContext() -> NSManagedObjectContext { mr_rootSaving() }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_defaultContext)
    public class func objc_MR_defaultContext() -> NSManagedObjectContext { mr_default() }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_context)
    public class func objc_MR_context() -> NSManagedObjectContext { mr_() }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_newMainQueueContext)
    public class func objc_MR_newMainQueueContext() -> NSManagedObjectContext { mr_newMainQueue() }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_newPrivateQueueContext)
    public class func objc_MR_newPrivateQueueContext() -> NSManagedObjectContext { mr_newPrivateQueue() }

    @available(swift, obsoleted: 1.0)
    @objc(MR_initializeDefaultContextWithCoordinator:)
    public class func objc_MR_initializeDefaultContextWithCoordinator(_ coordinator: NSPersistentStoreCoordinator) {
        mr_initializeDefaultContext(with: coordinator)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_contextWithParent:)
    public class func objc_MR_contextWithParent(_ parent: NSManagedObjectContext) -> NSManagedObjectContext {
        mr_context(withParent: parent)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_contextWithStoreCoordinator:)
    public class func objc_MR_contextWithStoreCoordinator(_ coordinator: NSPersistentStoreCoordinator)
        -> NSManagedObjectContext
    { mr_context(with: coordinator) }

    @available(swift, obsoleted: 1.0)
    @objc(MR_resetDefaultContext)
    public class func objc_MR_resetDefaultContext() { mr_resetDefaultContext() }

    @available(swift, obsoleted: 1.0)
    @objc(MR_setWorkingName:)
    public func objc_MR_setWorkingName(_ name: String) { mr_setWorkingName(name) }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_workingName)
    public func objc_MR_workingName() -> String { mr_workingName() }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_description)
    public func objc_MR_description() -> String { mr_description() }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_parentChain)
    public func objc_MR_parentChain() -> String { mr_parentChain() }

    @available(swift, obsoleted: 1.0)
    @objc(MR_deleteObjects:)
    public func objc_MR_deleteObjects(_ objects: any NSFastEnumeration) {
        mr_deleteObjects(IteratorSequence(NSFastEnumerationIterator(objects)).compactMap { $0 as? NSManagedObject })
    }

    @available(swift, obsoleted: 1.0)
    @objc(MR_saveOnlySelfWithCompletion:)
    public func objc_MR_saveOnlySelfWithCompletion(_ completion: (@Sendable (Bool, (any Error)?) -> Void)?) {
        mr_saveOnlySelf(completion: completion)
    }

    @available(swift, obsoleted: 1.0)
    @objc(MR_saveOnlySelfAndWait)
    public func objc_MR_saveOnlySelfAndWait() { mr_saveOnlySelfAndWait() }

    @available(swift, obsoleted: 1.0)
    @objc(MR_saveToPersistentStoreWithCompletion:)
    public func objc_MR_saveToPersistentStoreWithCompletion(_ completion: (@Sendable (Bool, (any Error)?) -> Void)?) {
        mr_saveToPersistentStore(completion: completion)
    }

    @available(swift, obsoleted: 1.0)
    @objc(MR_saveToPersistentStoreAndWait)
    public func objc_MR_saveToPersistentStoreAndWait() { mr_saveToPersistentStoreAndWait() }

    /// Declared by hand, since the type of the options cannot be exported.
    @objc(MR_saveWithOptions:completion:)
    func objc_MR_saveWithOptions_completion(
        _ options: UInt, completion: (@Sendable (Bool, (any Error)?) -> Void)?
    ) { mr_save(options: MRSaveOptions(rawValue: options), completion: completion) }

    @available(swift, obsoleted: 1.0)
    @objc(MR_saveWithBlock:)
    public func objc_MR_saveWithBlock(_ block: (@Sendable (NSManagedObjectContext) -> Void)?) {
        mr_save(block ?? { _ in })
    }

    @available(swift, obsoleted: 1.0)
    @objc(MR_saveWithBlock:completion:)
    public func objc_MR_saveWithBlock_completion(
        _ block: (@Sendable (NSManagedObjectContext) -> Void)?,
        completion: (@Sendable (Bool, (any Error)?) -> Void)?
    ) { mr_save(block ?? { _ in }, completion: completion) }

    @available(swift, obsoleted: 1.0)
    @objc(MR_saveWithBlockAndWait:)
    public func objc_MR_saveWithBlockAndWait(_ block: ((NSManagedObjectContext) -> Void)?) {
        mr_save(blockAndWait: block ?? { _ in })
    }

    @available(swift, obsoleted: 1.0)
    @objc(MR_observeContext:)
    public func objc_MR_observeContext(_ other: NSManagedObjectContext) { mr_observe(other) }

    @available(swift, obsoleted: 1.0)
    @objc(MR_observeContextOnMainThread:)
    public func objc_MR_observeContextOnMainThread(_ other: NSManagedObjectContext) { mr_observe(onMainThread: other) }

    @available(swift, obsoleted: 1.0)
    @objc(MR_stopObservingContext:)
    public func objc_MR_stopObservingContext(_ other: NSManagedObjectContext) { mr_stopObserving(other) }
}
#endif
