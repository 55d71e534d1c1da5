#if canImport(ObjectiveC)
import CoreData

// The names by which Objective-C knows these functions; Swift sees the ones they call.

extension NSPersistentStoreCoordinator {
    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_defaultStoreCoordinator)
    public class func objc_MR_defaultStoreCoordinator() -> NSPersistentStoreCoordinator? { mr_default() }

    @available(swift, obsoleted: 1.0)
    @objc(MR_setDefaultStoreCoordinator:)
    public class func objc_MR_setDefaultStoreCoordinator(_ coordinator: NSPersistentStoreCoordinator?) {
        mr_setDefaultStoreCoordinator(coordinator)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_coordinatorWithInMemoryStore)
    public class func objc_MR_coordinatorWithInMemoryStore() -> NSPersistentStoreCoordinator {
        mr_coordinatorWithInMemoryStore()
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_newPersistentStoreCoordinator)
    public class func objc_MR_newPersistentStoreCoordinator() -> NSPersistentStoreCoordinator { mr_new() }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_coordinatorWithSqliteStoreNamed:)
    public class func objc_MR_coordinatorWithSqliteStoreNamed(_ name: String) -> NSPersistentStoreCoordinator {
        mr_coordinator(withSqliteStoreNamed: name)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_coordinatorWithSqliteStoreNamed:withOptions:)
    public class func objc_MR_coordinatorWithSqliteStoreNamed_withOptions(
        _ name: String, withOptions options: [AnyHashable: Any]?
    ) -> NSPersistentStoreCoordinator { mr_coordinator(withSqliteStoreNamed: name, withOptions: options) }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_coordinatorWithSqliteStoreAtURL:)
    public class func objc_MR_coordinatorWithSqliteStoreAtURL(_ url: URL) -> NSPersistentStoreCoordinator {
        mr_coordinatorWithSqliteStore(at: url)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_coordinatorWithAutoMigratingSqliteStoreNamed:)
    public class func objc_MR_coordinatorWithAutoMigratingSqliteStoreNamed(_ name: String)
        -> NSPersistentStoreCoordinator
    { mr_coordinator(withAutoMigratingSqliteStoreNamed: name) }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_coordinatorWithAutoMigratingSqliteStoreNamed:withOptions:)
    public class func objc_MR_coordinatorWithAutoMigratingSqliteStoreNamed_withOptions(
        _ name: String, withOptions options: [AnyHashable: Any]?
    ) -> NSPersistentStoreCoordinator { mr_coordinator(withAutoMigratingSqliteStoreNamed: name, withOptions: options) }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_coordinatorWithAutoMigratingSqliteStoreAtURL:)
    public class func objc_MR_coordinatorWithAutoMigratingSqliteStoreAtURL(_ url: URL) -> NSPersistentStoreCoordinator {
        mr_coordinatorWithAutoMigratingSqliteStore(at: url)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_coordinatorWithPersistentStore:)
    public class func objc_MR_coordinatorWithPersistentStore(_ store: NSPersistentStore) -> NSPersistentStoreCoordinator
    { mr_coordinator(with: store) }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_addInMemoryStore)
    public func objc_MR_addInMemoryStore() -> NSPersistentStore? { mr_addInMemoryStore() }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_addAutoMigratingSqliteStoreNamed:)
    public func objc_MR_addAutoMigratingSqliteStoreNamed(_ name: String) -> NSPersistentStore? {
        mr_addAutoMigratingSqliteStoreNamed(name)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_addAutoMigratingSqliteStoreAtURL:)
    public func objc_MR_addAutoMigratingSqliteStoreAtURL(_ url: URL) -> NSPersistentStore? {
        mr_addAutoMigratingSqliteStore(at: url)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_addSqliteStoreNamed:withOptions:)
    public func objc_MR_addSqliteStoreNamed_withOptions(_ name: Any, withOptions options: [AnyHashable: Any]?)
        -> NSPersistentStore?
    { mr_addSqliteStoreNamed(name, withOptions: options) }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_addSqliteStoreNamed:configuration:withOptions:)
    public func objc_MR_addSqliteStoreNamed_configuration_withOptions(
        _ name: Any, configuration: String?, withOptions options: [AnyHashable: Any]?
    ) -> NSPersistentStore? { mr_addSqliteStoreNamed(name, configuration: configuration, withOptions: options) }
}
#endif
