#if canImport(ObjectiveC) && (os(macOS) || os(iOS))
import CoreData

// The original's set-up functions for iCloud document storage, which Apple supported until iOS 10; for Objective-C only.

extension MagicalRecord {
    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:localStoreNamed:)
    public class func objc_setUpICloud(_ container: String, store: String) {
        setUpICloud(ICloudRequest(container, named: store))
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreNamed:cloudStorePathComponent:)
    public class func objc_setUpICloud(_ container: String, contentName: String?, store: String, path: String?) {
        setUpICloud(ICloudRequest(container, contentName, named: store, path))
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:)
    public class func objc_setUpICloud(
        _ container: String, contentName: String?, store: String, path: String?, completion: (@Sendable () -> Void)?
    ) {
        setUpICloud(ICloudRequest(container, contentName, named: store, path, completion))
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:localStoreAtURL:)
    public class func objc_setUpICloud(_ container: String, storeURL: URL) {
        // The original failed for the periods of a bundle identifier.
        let contentName = Bundle.main.bundleIdentifier?.replacingOccurrences(of: ".", with: "~")
        setUpICloud(ICloudRequest(container, contentName, storeURL))
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreAtURL:cloudStorePathComponent:)
    public class func objc_setUpICloud(_ container: String, contentName: String?, storeURL: URL, path: String?) {
        setUpICloud(ICloudRequest(container, contentName, storeURL, path))
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreAtURL:cloudStorePathComponent:completion:)
    public class func objc_setUpICloud(
        _ container: String, contentName: String?, storeURL: URL, path: String?, completion: (@Sendable () -> Void)?
    ) {
        setUpICloud(ICloudRequest(container, contentName, storeURL, path, completion))
    }
}

extension NSPersistentStoreCoordinator {
    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @discardableResult
    @objc(MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:)
    public class func objc_iCloudCoordinator(
        _ container: String, contentName: String?, store: String, path: String?
    ) -> NSPersistentStoreCoordinator {
        makeICloud(ICloudRequest(container, contentName, named: store, path))
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_addiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:)
    public func objc_addICloudContainer(
        _ container: String, contentName: String?, store: String, path: String?
    ) {
        addICloudStore(ICloudRequest(container, contentName, named: store, path))
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @discardableResult
    @objc(MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:)
    public class func objc_iCloudCoordinator(
        _ container: String, contentName: String?, store: String, path: String?, completion: (@Sendable () -> Void)?
    ) -> NSPersistentStoreCoordinator {
        makeICloud(ICloudRequest(container, contentName, named: store, path, completion))
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_addiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:)
    public func objc_addICloudContainer(
        _ container: String, contentName: String?, store: String, path: String?, completion: (@Sendable () -> Void)?
    ) {
        addICloudStore(ICloudRequest(container, contentName, named: store, path, completion))
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @discardableResult
    @objc(MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:)
    public class func objc_iCloudCoordinator(
        _ container: String, contentName: String?, storeURL: URL, path: String?
    ) -> NSPersistentStoreCoordinator {
        makeICloud(ICloudRequest(container, contentName, storeURL, path))
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_addiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:)
    public func objc_addICloudContainer(
        _ container: String, contentName: String?, storeURL: URL, path: String?
    ) {
        addICloudStore(ICloudRequest(container, contentName, storeURL, path))
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @discardableResult
    @objc(MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:completion:)
    public class func objc_iCloudCoordinator(
        _ container: String, contentName: String?, storeURL: URL, path: String?, completion: (@Sendable () -> Void)?
    ) -> NSPersistentStoreCoordinator {
        makeICloud(ICloudRequest(container, contentName, storeURL, path, completion))
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_addiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:completion:)
    public func objc_addICloudContainer(
        _ container: String, contentName: String?, storeURL: URL, path: String?, completion: (@Sendable () -> Void)?
    ) {
        addICloudStore(ICloudRequest(container, contentName, storeURL, path, completion))
    }
}

extension NSManagedObjectContext {
    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_observeiCloudChangesInCoordinator:)
    public func objc_observeICloudChanges(in coordinator: NSPersistentStoreCoordinator) {
        if MagicalRecord.isICloudEnabled() { ICloudObservation.start(self, coordinator) }
    }

    @available(swift, obsoleted: 1.0)
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_stopObservingiCloudChangesInCoordinator:)
    public func objc_stopObservingICloudChanges(in coordinator: NSPersistentStoreCoordinator) {
        if MagicalRecord.isICloudEnabled() { ICloudObservation.stop(self, coordinator) }
    }
}
#endif
