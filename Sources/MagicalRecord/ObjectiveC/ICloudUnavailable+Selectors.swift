#if canImport(ObjectiveC) && !(os(macOS) || os(iOS))
import CoreData

// The same names where there is no iCloud: the compiler says what to use instead.

extension MagicalRecord {
    @available(swift, obsoleted: 1.0)
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @objc(setupCoreDataStackWithiCloudContainer:localStoreNamed:)
    public class func objc_setupCoreDataStackWithiCloudContainer_localStoreNamed(_ container: String, store: String) {
        noICloud()
    }

    @available(swift, obsoleted: 1.0)
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @objc(setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreNamed:cloudStorePathComponent:)
    public class func objc_setupCoreDataStackWithiCloudContainer_contentNameKey_localStoreNamed_cloudStorePathComponent(
        _ container: String, contentName: String?, store: String, path: String?
    ) {
        noICloud()
    }

    @available(swift, obsoleted: 1.0)
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @objc(setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:)
    public class func
        objc_setupCoreDataStackWithiCloudContainer_contentNameKey_localStoreNamed_cloudStorePathComponent_completion(
            _ container: String, contentName: String?, store: String, path: String?, completion: (@Sendable () -> Void)?
        )
    {
        noICloud()
    }

    @available(swift, obsoleted: 1.0)
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @objc(setupCoreDataStackWithiCloudContainer:localStoreAtURL:)
    public class func objc_setupCoreDataStackWithiCloudContainer_localStoreAtURL(_ container: String, store: URL) {
        noICloud()
    }

    @available(swift, obsoleted: 1.0)
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @objc(setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreAtURL:cloudStorePathComponent:)
    public class func objc_setupCoreDataStackWithiCloudContainer_contentNameKey_localStoreAtURL_cloudStorePathComponent(
        _ container: String, contentName: String?, store: URL, path: String?
    ) {
        noICloud()
    }

    @available(swift, obsoleted: 1.0)
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @objc(setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreAtURL:cloudStorePathComponent:completion:)
    public class func
        objc_setupCoreDataStackWithiCloudContainer_contentNameKey_localStoreAtURL_cloudStorePathComponent_completion(
            _ container: String, contentName: String?, store: URL, path: String?, completion: (@Sendable () -> Void)?
        )
    {
        noICloud()
    }
}

extension NSPersistentStoreCoordinator {
    @available(swift, obsoleted: 1.0)
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use MR_coordinatorWithAutoMigratingSqliteStoreNamed:"
    )
    @discardableResult
    @objc(MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:)
    public class func objc_MR_coordinatorWithiCloudContainerID_contentNameKey_localStoreNamed_cloudStorePathComponent(
        _ container: String, contentName: String?, store: String, path: String?
    ) -> NSPersistentStoreCoordinator {
        noICloud()
    }

    @available(swift, obsoleted: 1.0)
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use MR_addAutoMigratingSqliteStoreNamed:"
    )
    @objc(MR_addiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:)
    public func objc_MR_addiCloudContainerID_contentNameKey_localStoreNamed_cloudStorePathComponent(
        _ container: String, contentName: String?, store: String, path: String?
    ) {
        noICloud()
    }

    @available(swift, obsoleted: 1.0)
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use MR_coordinatorWithAutoMigratingSqliteStoreNamed:"
    )
    @discardableResult
    @objc(MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:)
    public class func
        objc_MR_coordinatorWithiCloudContainerID_contentNameKey_localStoreNamed_cloudStorePathComponent_completion(
            _ container: String, contentName: String?, store: String, path: String?, completion: (@Sendable () -> Void)?
        ) -> NSPersistentStoreCoordinator
    {
        noICloud()
    }

    @available(swift, obsoleted: 1.0)
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use MR_addAutoMigratingSqliteStoreNamed:"
    )
    @objc(MR_addiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:)
    public func objc_MR_addiCloudContainerID_contentNameKey_localStoreNamed_cloudStorePathComponent_completion(
        _ container: String, contentName: String?, store: String, path: String?, completion: (@Sendable () -> Void)?
    ) {
        noICloud()
    }

    @available(swift, obsoleted: 1.0)
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use MR_coordinatorWithAutoMigratingSqliteStoreNamed:"
    )
    @discardableResult
    @objc(MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:)
    public class func objc_MR_coordinatorWithiCloudContainerID_contentNameKey_localStoreAtURL_cloudStorePathComponent(
        _ container: String, contentName: String?, store: URL, path: String?
    ) -> NSPersistentStoreCoordinator {
        noICloud()
    }

    @available(swift, obsoleted: 1.0)
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use MR_addAutoMigratingSqliteStoreNamed:"
    )
    @objc(MR_addiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:)
    public func objc_MR_addiCloudContainerID_contentNameKey_localStoreAtURL_cloudStorePathComponent(
        _ container: String, contentName: String?, store: URL, path: String?
    ) {
        noICloud()
    }

    @available(swift, obsoleted: 1.0)
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use MR_coordinatorWithAutoMigratingSqliteStoreNamed:"
    )
    @discardableResult
    @objc(MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:completion:)
    public class func
        objc_MR_coordinatorWithiCloudContainerID_contentNameKey_localStoreAtURL_cloudStorePathComponent_completion(
            _ container: String, contentName: String?, store: URL, path: String?, completion: (@Sendable () -> Void)?
        ) -> NSPersistentStoreCoordinator
    {
        noICloud()
    }

    @available(swift, obsoleted: 1.0)
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use MR_addAutoMigratingSqliteStoreNamed:"
    )
    @objc(MR_addiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:completion:)
    public func objc_MR_addiCloudContainerID_contentNameKey_localStoreAtURL_cloudStorePathComponent_completion(
        _ container: String, contentName: String?, store: URL, path: String?, completion: (@Sendable () -> Void)?
    ) {
        noICloud()
    }
}

extension NSManagedObjectContext {
    @available(swift, obsoleted: 1.0)
    @available(
        *, unavailable, message: "There is no document storage in iCloud here; use MR_observeContext:"
    )
    @available(watchOS, unavailable, message: "There is no document storage in iCloud here; use MR_observeContext:")
    @objc(MR_observeiCloudChangesInCoordinator:)
    public func objc_MR_observeiCloudChangesInCoordinator(_ coordinator: NSPersistentStoreCoordinator) {
        noICloud()
    }

    @available(swift, obsoleted: 1.0)
    @available(
        *, unavailable, message: "There is no document storage in iCloud here; use MR_observeContext:"
    )
    @available(watchOS, unavailable, message: "There is no document storage in iCloud here; use MR_observeContext:")
    @objc(MR_stopObservingiCloudChangesInCoordinator:)
    public func objc_MR_stopObservingiCloudChangesInCoordinator(_ coordinator: NSPersistentStoreCoordinator) {
        noICloud()
    }
}
#endif
