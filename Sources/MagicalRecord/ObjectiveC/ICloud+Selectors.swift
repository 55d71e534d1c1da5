#if canImport(ObjectiveC)
import CoreData

// The names by which Objective-C knows these functions; Swift sees the ones they call.

extension MagicalRecord {
    @available(swift, obsoleted: 1.0)
    @available(
        tvOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        watchOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        visionOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:localStoreNamed:)
    public class func objc_setupCoreDataStackWithiCloudContainer_localStoreNamed(_ container: String, store: String) {
        setupCoreDataStackWithiCloudContainer(container, localStoreNamed: store)
    }

    @available(swift, obsoleted: 1.0)
    @available(
        tvOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        watchOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        visionOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreNamed:cloudStorePathComponent:)
    public class func objc_setupCoreDataStackWithiCloudContainer_contentNameKey_localStoreNamed_cloudStorePathComponent(
        _ container: String, contentName: String?, store: String, path: String?
    ) {
        setupCoreDataStackWithiCloudContainer(
            container, contentNameKey: contentName, localStoreNamed: store, cloudStorePathComponent: path)
    }

    @available(swift, obsoleted: 1.0)
    @available(
        tvOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        watchOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        visionOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:)
    public class func
        objc_setupCoreDataStackWithiCloudContainer_contentNameKey_localStoreNamed_cloudStorePathComponent_completion(
            _ container: String, contentName: String?, store: String, path: String?, completion: (@Sendable () -> Void)?
        )
    {
        setupCoreDataStackWithiCloudContainer(
            container, contentNameKey: contentName, localStoreNamed: store, cloudStorePathComponent: path,
            completion: completion)
    }

    @available(swift, obsoleted: 1.0)
    @available(
        tvOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        watchOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        visionOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:localStoreAtURL:)
    public class func objc_setupCoreDataStackWithiCloudContainer_localStoreAtURL(_ container: String, store: URL) {
        setupCoreDataStackWithiCloudContainer(container, localStoreAt: store)
    }

    @available(swift, obsoleted: 1.0)
    @available(
        tvOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        watchOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        visionOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreAtURL:cloudStorePathComponent:)
    public class func objc_setupCoreDataStackWithiCloudContainer_contentNameKey_localStoreAtURL_cloudStorePathComponent(
        _ container: String, contentName: String?, store: URL, path: String?
    ) {
        setupCoreDataStackWithiCloudContainer(
            container, contentNameKey: contentName, localStoreAt: store, cloudStorePathComponent: path)
    }

    @available(swift, obsoleted: 1.0)
    @available(
        tvOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        watchOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        visionOS, unavailable,
        message: "There is no document storage in iCloud here; use setupCoreDataStackWithAutoMigratingSqliteStoreNamed:"
    )
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreAtURL:cloudStorePathComponent:completion:)
    public class func
        objc_setupCoreDataStackWithiCloudContainer_contentNameKey_localStoreAtURL_cloudStorePathComponent_completion(
            _ container: String, contentName: String?, store: URL, path: String?, completion: (@Sendable () -> Void)?
        )
    {
        setupCoreDataStackWithiCloudContainer(
            container, contentNameKey: contentName, localStoreAt: store, cloudStorePathComponent: path,
            completion: completion)
    }
}

extension NSPersistentStoreCoordinator {
    @available(swift, obsoleted: 1.0)
    @available(
        tvOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_coordinatorWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        watchOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_coordinatorWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        visionOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_coordinatorWithAutoMigratingSqliteStoreNamed:"
    )
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @discardableResult
    @objc(MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:)
    public class func objc_MR_coordinatorWithiCloudContainerID_contentNameKey_localStoreNamed_cloudStorePathComponent(
        _ container: String, contentName: String?, store: String, path: String?
    ) -> NSPersistentStoreCoordinator {
        mr_coordinatorWithiCloudContainerID(
            container, contentNameKey: contentName, localStoreNamed: store, cloudStorePathComponent: path)
    }

    @available(swift, obsoleted: 1.0)
    @available(
        tvOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_addAutoMigratingSqliteStoreNamed:"
    )
    @available(
        watchOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_addAutoMigratingSqliteStoreNamed:"
    )
    @available(
        visionOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_addAutoMigratingSqliteStoreNamed:"
    )
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_addiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:)
    public func objc_MR_addiCloudContainerID_contentNameKey_localStoreNamed_cloudStorePathComponent(
        _ container: String, contentName: String?, store: String, path: String?
    ) {
        mr_addiCloudContainerID(
            container, contentNameKey: contentName, localStoreNamed: store, cloudStorePathComponent: path)
    }

    @available(swift, obsoleted: 1.0)
    @available(
        tvOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_coordinatorWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        watchOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_coordinatorWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        visionOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_coordinatorWithAutoMigratingSqliteStoreNamed:"
    )
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @discardableResult
    @objc(MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:)
    public class func
        objc_MR_coordinatorWithiCloudContainerID_contentNameKey_localStoreNamed_cloudStorePathComponent_completion(
            _ container: String, contentName: String?, store: String, path: String?, completion: (@Sendable () -> Void)?
        ) -> NSPersistentStoreCoordinator
    {
        mr_coordinatorWithiCloudContainerID(
            container, contentNameKey: contentName, localStoreNamed: store, cloudStorePathComponent: path,
            completion: completion)
    }

    @available(swift, obsoleted: 1.0)
    @available(
        tvOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_addAutoMigratingSqliteStoreNamed:"
    )
    @available(
        watchOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_addAutoMigratingSqliteStoreNamed:"
    )
    @available(
        visionOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_addAutoMigratingSqliteStoreNamed:"
    )
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_addiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:)
    public func objc_MR_addiCloudContainerID_contentNameKey_localStoreNamed_cloudStorePathComponent_completion(
        _ container: String, contentName: String?, store: String, path: String?, completion: (@Sendable () -> Void)?
    ) {
        mr_addiCloudContainerID(
            container, contentNameKey: contentName, localStoreNamed: store, cloudStorePathComponent: path,
            completion: completion)
    }

    @available(swift, obsoleted: 1.0)
    @available(
        tvOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_coordinatorWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        watchOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_coordinatorWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        visionOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_coordinatorWithAutoMigratingSqliteStoreNamed:"
    )
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @discardableResult
    @objc(MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:)
    public class func objc_MR_coordinatorWithiCloudContainerID_contentNameKey_localStoreAtURL_cloudStorePathComponent(
        _ container: String, contentName: String?, store: URL, path: String?
    ) -> NSPersistentStoreCoordinator {
        mr_coordinatorWithiCloudContainerID(
            container, contentNameKey: contentName, localStoreAt: store, cloudStorePathComponent: path)
    }

    @available(swift, obsoleted: 1.0)
    @available(
        tvOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_addAutoMigratingSqliteStoreNamed:"
    )
    @available(
        watchOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_addAutoMigratingSqliteStoreNamed:"
    )
    @available(
        visionOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_addAutoMigratingSqliteStoreNamed:"
    )
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_addiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:)
    public func objc_MR_addiCloudContainerID_contentNameKey_localStoreAtURL_cloudStorePathComponent(
        _ container: String, contentName: String?, store: URL, path: String?
    ) {
        mr_addiCloudContainerID(
            container, contentNameKey: contentName, localStoreAt: store, cloudStorePathComponent: path)
    }

    @available(swift, obsoleted: 1.0)
    @available(
        tvOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_coordinatorWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        watchOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_coordinatorWithAutoMigratingSqliteStoreNamed:"
    )
    @available(
        visionOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_coordinatorWithAutoMigratingSqliteStoreNamed:"
    )
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @discardableResult
    @objc(MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:completion:)
    public class func
        objc_MR_coordinatorWithiCloudContainerID_contentNameKey_localStoreAtURL_cloudStorePathComponent_completion(
            _ container: String, contentName: String?, store: URL, path: String?, completion: (@Sendable () -> Void)?
        ) -> NSPersistentStoreCoordinator
    {
        mr_coordinatorWithiCloudContainerID(
            container, contentNameKey: contentName, localStoreAt: store, cloudStorePathComponent: path,
            completion: completion)
    }

    @available(swift, obsoleted: 1.0)
    @available(
        tvOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_addAutoMigratingSqliteStoreNamed:"
    )
    @available(
        watchOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_addAutoMigratingSqliteStoreNamed:"
    )
    @available(
        visionOS, unavailable,
        message: "There is no document storage in iCloud here; use MR_addAutoMigratingSqliteStoreNamed:"
    )
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_addiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:completion:)
    public func objc_MR_addiCloudContainerID_contentNameKey_localStoreAtURL_cloudStorePathComponent_completion(
        _ container: String, contentName: String?, store: URL, path: String?, completion: (@Sendable () -> Void)?
    ) {
        mr_addiCloudContainerID(
            container, contentNameKey: contentName, localStoreAt: store, cloudStorePathComponent: path,
            completion: completion)
    }
}

extension NSManagedObjectContext {
    @available(swift, obsoleted: 1.0)
    @available(tvOS, unavailable, message: "There is no document storage in iCloud here; use MR_observeContext:")
    @available(watchOS, unavailable, message: "There is no document storage in iCloud here; use MR_observeContext:")
    @available(visionOS, unavailable, message: "There is no document storage in iCloud here; use MR_observeContext:")
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_observeiCloudChangesInCoordinator:)
    public func objc_MR_observeiCloudChangesInCoordinator(_ coordinator: NSPersistentStoreCoordinator) {
        mr_observeiCloudChanges(in: coordinator)
    }

    @available(swift, obsoleted: 1.0)
    @available(tvOS, unavailable, message: "There is no document storage in iCloud here; use MR_observeContext:")
    @available(watchOS, unavailable, message: "There is no document storage in iCloud here; use MR_observeContext:")
    @available(visionOS, unavailable, message: "There is no document storage in iCloud here; use MR_observeContext:")
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_stopObservingiCloudChangesInCoordinator:)
    public func objc_MR_stopObservingiCloudChangesInCoordinator(_ coordinator: NSPersistentStoreCoordinator) {
        mr_stopObservingiCloudChanges(in: coordinator)
    }
}
#endif
