import CoreData

// Spellings of Swift 2: the compiler says what they are called since Swift 3.

extension NSPersistentStoreCoordinator {
    @discardableResult
    @available(*, unavailable, renamed: "mr_default()")
    public static func MR_defaultStoreCoordinator() -> NSPersistentStoreCoordinator? { formerName() }

    @available(*, unavailable, renamed: "mr_setDefaultStoreCoordinator(_:)")
    public static func MR_setDefaultStoreCoordinator(_: Any?) { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_coordinatorWithInMemoryStore()")
    public static func MR_coordinatorWithInMemoryStore() -> NSPersistentStoreCoordinator { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_new()")
    public static func MR_newPersistentStoreCoordinator() -> NSPersistentStoreCoordinator { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_coordinator(withSqliteStoreNamed:)")
    public static func MR_coordinatorWithSqliteStoreNamed(_: Any?) -> NSPersistentStoreCoordinator { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_coordinator(withSqliteStoreNamed:withOptions:)")
    public static func MR_coordinatorWithSqliteStoreNamed(_: Any?, withOptions: Any?) -> NSPersistentStoreCoordinator {
        formerName()
    }

    @discardableResult
    @available(*, unavailable, renamed: "mr_coordinator(withAutoMigratingSqliteStoreNamed:)")
    public static func MR_coordinatorWithAutoMigratingSqliteStoreNamed(_: Any?) -> NSPersistentStoreCoordinator {
        formerName()
    }

    @discardableResult
    @available(*, unavailable, renamed: "mr_coordinator(withAutoMigratingSqliteStoreNamed:withOptions:)")
    public static func MR_coordinatorWithAutoMigratingSqliteStoreNamed(_: Any?, withOptions: Any?)
        -> NSPersistentStoreCoordinator
    { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_coordinatorWithSqliteStore(at:)")
    public static func MR_coordinatorWithSqliteStoreAtURL(_: Any?) -> NSPersistentStoreCoordinator { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_coordinatorWithAutoMigratingSqliteStore(at:)")
    public static func MR_coordinatorWithAutoMigratingSqliteStoreAtURL(_: Any?) -> NSPersistentStoreCoordinator {
        formerName()
    }

    @discardableResult
    @available(*, unavailable, renamed: "mr_coordinator(with:)")
    public static func MR_coordinatorWithPersistentStore(_: Any?) -> NSPersistentStoreCoordinator { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_addInMemoryStore()")
    public func MR_addInMemoryStore() -> NSPersistentStore? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_addAutoMigratingSqliteStoreNamed(_:)")
    public func MR_addAutoMigratingSqliteStoreNamed(_: Any?) -> NSPersistentStore? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_addAutoMigratingSqliteStore(at:)")
    public func MR_addAutoMigratingSqliteStoreAtURL(_: Any?) -> NSPersistentStore? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_addSqliteStoreNamed(_:withOptions:)")
    public func MR_addSqliteStoreNamed(_: Any?, withOptions: Any?) -> NSPersistentStore? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_addSqliteStoreNamed(_:configuration:withOptions:)")
    public func MR_addSqliteStoreNamed(_: Any?, configuration: Any?, withOptions: Any?) -> NSPersistentStore? {
        formerName()
    }
}

extension NSPersistentStore {
    @discardableResult
    @available(*, unavailable, renamed: "mr_default()")
    public static func MR_defaultPersistentStore() -> NSPersistentStore? { formerName() }

    @available(*, unavailable, renamed: "mr_setDefaultPersistentStore(_:)")
    public static func MR_setDefaultPersistentStore(_: Any?) { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_defaultLocalStoreUrl()")
    public static func MR_defaultLocalStoreUrl() -> URL { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_url(forStoreName:)")
    public static func MR_urlForStoreName(_: Any?) -> URL? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_cloudURL(forUbiquitousContainer:)")
    public static func MR_cloudURLForUbiquitousContainer(_: Any?) -> URL? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_cloudURL(forUbiqutiousContainer:)")
    public static func MR_cloudURLForUbiqutiousContainer(_: Any?) -> URL? { formerName() }
}

extension NSManagedObjectModel {
    @discardableResult
    @available(*, unavailable, renamed: "mr_default()")
    public static func MR_defaultManagedObjectModel() -> NSManagedObjectModel? { formerName() }

    @available(*, unavailable, renamed: "mr_setDefaultManagedObjectModel(_:)")
    public static func MR_setDefaultManagedObjectModel(_: Any?) { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_mergedObjectModelFromMainBundle()")
    public static func MR_mergedObjectModelFromMainBundle() -> NSManagedObjectModel? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_newManagedObjectModelNamed(_:)")
    public static func MR_newManagedObjectModelNamed(_: Any?) -> NSManagedObjectModel? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_managedObjectModelNamed(_:)")
    public static func MR_managedObjectModelNamed(_: Any?) -> NSManagedObjectModel? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_newModelNamed(_:inBundleNamed:)")
    public static func MR_newModelNamed(_: Any?, inBundleNamed: Any?) -> NSManagedObjectModel? { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_newModelNamed(_:in:)")
    public static func MR_newModelNamed(_: Any?, inBundle: Any?) -> NSManagedObjectModel? { formerName() }
}
