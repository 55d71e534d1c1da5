#if canImport(ObjectiveC)
import CoreData

// Objective-C selectors for functions that Swift calls by other names.

extension NSManagedObjectContext {
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
    @objc(MR_saveToPersistentStoreWithCompletion:)
    public func objc_MR_saveToPersistentStoreWithCompletion(_ completion: (@Sendable (Bool, (any Error)?) -> Void)?) {
        mr_saveToPersistentStore(completion: completion)
    }

    /// Saves with options. Internal, since Swift cannot export the type of the options; MagicalRecordObjC declares it.
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
}
#endif
