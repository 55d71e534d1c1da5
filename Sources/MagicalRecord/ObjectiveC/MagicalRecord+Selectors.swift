#if canImport(ObjectiveC)
import CoreData

/// The Objective-C selectors of functions that both languages call. The functions that satisfy these requirements get them.
@objc protocol MagicalRecordSelectors {
    @objc(currentStack) static func currentStack() -> String
    @objc(cleanUp) static func cleanUp()
    @objc(setDefaultModelFromClass:) static func setDefaultModelFrom(_ modelClass: AnyClass)
    @objc(setDefaultModelNamed:) static func setDefaultModelNamed(_ modelName: String)
    @objc(defaultStoreName) static func defaultStoreName() -> String
    @objc(enableShorthandMethods) static func enableShorthandMethods()
    @objc(setupCoreDataStack) static func setupCoreDataStack()
    @objc(setupAutoMigratingCoreDataStack) static func setupAutoMigratingCoreDataStack()
    @objc(setupCoreDataStackWithStoreNamed:) static func setupCoreDataStack(withStoreNamed storeName: String)
    @objc(setupCoreDataStackWithAutoMigratingSqliteStoreNamed:)
    static func setupCoreDataStack(withAutoMigratingSqliteStoreNamed storeName: String)
    @objc(setupCoreDataStackWithStoreAtURL:) static func setupCoreDataStackWithStore(at storeURL: URL)
    @objc(setupCoreDataStackWithAutoMigratingSqliteStoreAtURL:)
    static func setupCoreDataStackWithAutoMigratingSqliteStore(at storeURL: URL)
    @objc(setupCoreDataStackWithInMemoryStore) static func setupCoreDataStackWithInMemoryStore()
    @objc(errorHandlerTarget) static func errorHandlerTarget() -> Any?
    @objc(errorHandlerAction) static func errorHandlerAction() -> Selector?
    @objc(shouldAutoCreateManagedObjectModel) static func shouldAutoCreateManagedObjectModel() -> Bool
    @objc(setShouldAutoCreateManagedObjectModel:) static func setShouldAutoCreateManagedObjectModel(_ autoCreate: Bool)
    @objc(shouldAutoCreateDefaultPersistentStoreCoordinator)
    static func shouldAutoCreateDefaultPersistentStoreCoordinator() -> Bool
    @objc(setShouldAutoCreateDefaultPersistentStoreCoordinator:)
    static func setShouldAutoCreateDefaultPersistentStoreCoordinator(_ autoCreate: Bool)
    @objc(shouldDeleteStoreOnModelMismatch) static func shouldDeleteStoreOnModelMismatch() -> Bool
    @objc(setShouldDeleteStoreOnModelMismatch:) static func setShouldDeleteStoreOnModelMismatch(_ shouldDelete: Bool)
    @objc(loggingLevel) static func loggingLevel() -> MagicalRecordLoggingLevel
    @objc(setLoggingLevel:) static func setLoggingLevel(_ level: MagicalRecordLoggingLevel)
    @objc(isICloudEnabled) static func isICloudEnabled() -> Bool
}

extension MagicalRecord: MagicalRecordSelectors {}

// Objective-C selectors for functions that Swift calls by other names.

@available(swift, obsoleted: 1.0)
extension MagicalRecord {
    @objc(saveWithBlock:)
    public class func _save(_ block: (@Sendable (NSManagedObjectContext) -> Void)?) { save(block ?? { _ in }) }

    @objc(saveWithBlock:completion:)
    public class func _save(
        _ block: (@Sendable (NSManagedObjectContext) -> Void)?, _ completion: MRSaveCompletionHandler?
    ) { save(block ?? { _ in }, completion: completion) }

    @objc(saveWithBlockAndWait:)
    public class func _saveAndWait(_ block: CoreDataBlock?) { save(blockAndWait: block ?? { _ in }) }

    @objc(handleErrors:)
    public class func _handleErrors(_ error: NSError?) {
        if let error { handleErrors(error) }
    }

    @objc(setErrorHandlerTarget:action:)
    public class func _setErrorHandler(_ target: Any?, _ action: Selector?) {
        ErrorHandling.set(target: action == nil ? nil : target.map { $0 as AnyObject }, action)
    }

    @available(*, deprecated, message: "Use saveWithBlock:completion: and the context it passes")
    @objc(saveUsingCurrentThreadContextWithBlock:completion:)
    public class func _saveThreadContext(
        _ block: (@Sendable (NSManagedObjectContext) -> Void)?, _ completion: MRSaveCompletionHandler?
    ) { saveUsingCurrentThreadContext(block ?? { _ in }, completion: completion) }

    @available(*, deprecated, message: "Use saveWithBlockAndWait: and the context it passes")
    @objc(saveUsingCurrentThreadContextWithBlockAndWait:)
    public class func _saveThreadContextAndWait(_ block: CoreDataBlock?) {
        saveUsingCurrentThreadContext(blockAndWait: block ?? { _ in })
    }

    @available(*, deprecated, message: "Use saveWithBlock:")
    @objc(saveInBackgroundWithBlock:)
    public class func _saveInBackground(_ block: (@Sendable (NSManagedObjectContext) -> Void)?) {
        saveInBackground(block ?? { _ in })
    }

    @available(*, deprecated, message: "Use saveWithBlock:completion:")
    @objc(saveInBackgroundWithBlock:completion:)
    public class func _saveInBackground(
        _ block: (@Sendable (NSManagedObjectContext) -> Void)?, _ completion: (@Sendable () -> Void)?
    ) { saveInBackground(block ?? { _ in }, completion: completion) }

    @available(*, deprecated, message: "Use saveWithBlock:completion: and the context it passes")
    @objc(saveInBackgroundUsingCurrentContextWithBlock:completion:errorHandler:)
    public class func _saveInBackground(
        _ block: (@Sendable (NSManagedObjectContext) -> Void)?, _ completion: (@Sendable () -> Void)?,
        _ errorHandler: (@Sendable ((any Error)?) -> Void)?
    ) { saveInBackgroundUsingCurrentContext(block ?? { _ in }, completion: completion, errorHandler: errorHandler) }
}

// MARK: Functions, macros and constants of MagicalRecordObjC, which declares these selectors for itself

extension MagicalRecord {
    @objc(MR_versionFollowed)
    class func objc_versionFollowed() -> UInt { version().rawValue }

    @objc(MR_logKind:message:)
    class func objc_log(_ kind: UInt, _ message: String) {
        MagicalRecordLoggingMask(rawValue: kind).map { Log.write($0) { message } }
    }

    @objc(MR_dateFromText:pattern:)
    class func objc_date(_ text: String, _ pattern: String) -> Date? { MR_dateFromString(text, pattern) }

    @objc(MR_dateFromSeconds:milliseconds:)
    class func objc_date(_ number: NSNumber, _ milliseconds: Bool) -> Date { MR_dateFromNumber(number, milliseconds) }

    @objc(MR_dateWithDaylightSaving:)
    class func objc_date(_ date: Date) -> Date { MR_adjustDateForDST(date) }

    @objc(MR_numberFromText:)
    class func objc_number(_ text: String) -> NSNumber { MR_numberFromString(text) }

    @objc(MR_attributeNameFromText:)
    class func objc_attributeName(_ text: String) -> String { MR_attributeNameFromString(text) }

    @objc(MR_primaryKeyNameFromText:)
    class func objc_primaryKeyName(_ text: String) -> String { MR_primaryKeyNameFromString(text) }

    @objc(MR_colorFromText:)
    class func objc_color(_ text: String) -> Any? { MR_colorFromString(text) }

    @objc(MR_colorComponentsFromText:)
    class func objc_colorComponents(_ text: String) -> UnsafeMutablePointer<Int>? {
        MR_newColorComponentsFromString(text)
    }
}
#endif
