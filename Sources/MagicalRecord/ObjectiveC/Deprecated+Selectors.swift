#if canImport(ObjectiveC)
import CoreData

// Objective-C selectors for functions that Swift calls by other names.

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

#endif
