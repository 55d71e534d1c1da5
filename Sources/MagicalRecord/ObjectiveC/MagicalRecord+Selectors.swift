#if canImport(ObjectiveC)
import CoreData

// The names by which Objective-C knows these functions; Swift sees the ones they call.

extension MagicalRecord {
    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(currentStack)
    public class func objc_currentStack() -> String { currentStack() }

    @available(swift, obsoleted: 1.0)
    @objc(cleanUp)
    public class func objc_cleanUp() { cleanUp() }

    @available(swift, obsoleted: 1.0)
    @objc(setDefaultModelFromClass:)
    public class func objc_setDefaultModelFromClass(_ modelClass: AnyClass) { setDefaultModelFrom(modelClass) }

    @available(swift, obsoleted: 1.0)
    @objc(setDefaultModelNamed:)
    public class func objc_setDefaultModelNamed(_ name: String) { setDefaultModelNamed(name) }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(defaultStoreName)
    public class func objc_defaultStoreName() -> String { defaultStoreName() }

    @available(swift, obsoleted: 1.0)
    @objc(setupCoreDataStack)
    public class func objc_setupCoreDataStack() { setupCoreDataStack() }

    @available(swift, obsoleted: 1.0)
    @objc(setupAutoMigratingCoreDataStack)
    public class func objc_setupAutoMigratingCoreDataStack() { setupAutoMigratingCoreDataStack() }

    @available(swift, obsoleted: 1.0)
    @objc(setupCoreDataStackWithStoreNamed:)
    public class func objc_setupCoreDataStackWithStoreNamed(_ name: String) { setupCoreDataStack(withStoreNamed: name) }

    @available(swift, obsoleted: 1.0)
    @objc(setupCoreDataStackWithAutoMigratingSqliteStoreNamed:)
    public class func objc_setupCoreDataStackWithAutoMigratingSqliteStoreNamed(_ name: String) {
        setupCoreDataStack(withAutoMigratingSqliteStoreNamed: name)
    }

    @available(swift, obsoleted: 1.0)
    @objc(setupCoreDataStackWithStoreAtURL:)
    public class func objc_setupCoreDataStackWithStoreAtURL(_ url: URL) { setupCoreDataStackWithStore(at: url) }

    @available(swift, obsoleted: 1.0)
    @objc(setupCoreDataStackWithAutoMigratingSqliteStoreAtURL:)
    public class func objc_setupCoreDataStackWithAutoMigratingSqliteStoreAtURL(_ url: URL) {
        setupCoreDataStackWithAutoMigratingSqliteStore(at: url)
    }

    @available(swift, obsoleted: 1.0)
    @objc(setupCoreDataStackWithInMemoryStore)
    public class func objc_setupCoreDataStackWithInMemoryStore() { setupCoreDataStackWithInMemoryStore() }

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

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(errorHandlerTarget)
    public class func objc_errorHandlerTarget() -> Any? { errorHandlerTarget() }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(errorHandlerAction)
    public class func objc_errorHandlerAction() -> Selector? { errorHandlerAction() }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(shouldAutoCreateManagedObjectModel)
    public class func objc_shouldAutoCreateManagedObjectModel() -> Bool { shouldAutoCreateManagedObjectModel() }

    @available(swift, obsoleted: 1.0)
    @objc(setShouldAutoCreateManagedObjectModel:)
    public class func objc_setShouldAutoCreateManagedObjectModel(_ flag: Bool) {
        setShouldAutoCreateManagedObjectModel(flag)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(shouldAutoCreateDefaultPersistentStoreCoordinator)
    public class func objc_shouldAutoCreateDefaultPersistentStoreCoordinator() -> Bool {
        shouldAutoCreateDefaultPersistentStoreCoordinator()
    }

    @available(swift, obsoleted: 1.0)
    @objc(setShouldAutoCreateDefaultPersistentStoreCoordinator:)
    public class func objc_setShouldAutoCreateDefaultPersistentStoreCoordinator(_ flag: Bool) {
        setShouldAutoCreateDefaultPersistentStoreCoordinator(flag)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(shouldDeleteStoreOnModelMismatch)
    public class func objc_shouldDeleteStoreOnModelMismatch() -> Bool { shouldDeleteStoreOnModelMismatch() }

    @available(swift, obsoleted: 1.0)
    @objc(setShouldDeleteStoreOnModelMismatch:)
    public class func objc_setShouldDeleteStoreOnModelMismatch(_ flag: Bool) {
        setShouldDeleteStoreOnModelMismatch(flag)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(loggingLevel)
    public class func objc_loggingLevel() -> MagicalRecordLoggingLevel { loggingLevel() }

    @available(swift, obsoleted: 1.0)
    @objc(setLoggingLevel:)
    public class func objc_setLoggingLevel(_ level: MagicalRecordLoggingLevel) { setLoggingLevel(level) }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(isICloudEnabled)
    public class func objc_isICloudEnabled() -> Bool { isICloudEnabled() }

    @available(swift, obsoleted: 1.0)
    @objc(enableShorthandMethods)
    public class func objc_enableShorthandMethods() { enableShorthandMethods() }
}
#endif
