#if canImport(ObjectiveC)
import CoreData

// Objective-C selectors for functions that Swift calls by other names.

extension MagicalRecord {
    @available(swift, obsoleted: 1.0)
    @objc(saveWithBlock:)
    public class func objc_saveWithBlock(_ block: (@Sendable (NSManagedObjectContext) -> Void)?) {
        save(block ?? { _ in })
    }

    @available(swift, obsoleted: 1.0)
    @objc(saveWithBlock:completion:)
    public class func objc_saveWithBlock_completion(
        _ block: (@Sendable (NSManagedObjectContext) -> Void)?,
        completion: (@Sendable (Bool, (any Error)?) -> Void)?
    ) { save(block ?? { _ in }, completion: completion) }

    @available(swift, obsoleted: 1.0)
    @objc(saveWithBlockAndWait:)
    public class func objc_saveWithBlockAndWait(_ block: ((NSManagedObjectContext) -> Void)?) {
        save(blockAndWait: block ?? { _ in })
    }

    @available(swift, obsoleted: 1.0)
    @objc(handleErrors:)
    public class func objc_handleErrors(_ error: NSError?) {
        if let error { handleErrors(error) }
    }

    @available(swift, obsoleted: 1.0)
    @objc(setErrorHandlerTarget:action:)
    public class func objc_setErrorHandlerTarget_action(_ target: Any?, action: Selector?) {
        ErrorHandling.set(target: action == nil ? nil : target.map { $0 as AnyObject }, action)
    }
}
#endif
