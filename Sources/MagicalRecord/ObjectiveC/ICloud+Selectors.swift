#if canImport(ObjectiveC) && (os(macOS) || os(iOS))
import CoreData

// The original's set-up functions for iCloud document storage, which Apple supported until iOS 10; for Objective-C only.

@available(swift, obsoleted: 1.0)
extension MagicalRecord {
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:localStoreNamed:)
    public class func _setUpICloud(_ container: String, _ store: String) {
        setUpICloud(ICloudRequest(container, nil, .legacy(named: store)))
    }

    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreNamed:cloudStorePathComponent:)
    public class func _setUpICloud(_ container: String, _ name: String?, _ store: String, _ path: String?) {
        setUpICloud(ICloudRequest(container, name, .legacy(named: store), path))
    }

    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:)
    public class func _setUpICloud(
        _ container: String, _ name: String?, _ store: String, _ path: String?, _ completion: (@Sendable () -> Void)?
    ) { setUpICloud(ICloudRequest(container, name, .legacy(named: store), path, completion)) }

    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:localStoreAtURL:)
    public class func _setUpICloud(_ container: String, _ url: URL) {
        // The original failed for the periods of a bundle identifier.
        let name = Bundle.main.bundleIdentifier?.replacingOccurrences(of: ".", with: "~")
        setUpICloud(ICloudRequest(container, name, .sqlite(at: url)))
    }

    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreAtURL:cloudStorePathComponent:)
    public class func _setUpICloud(_ container: String, _ name: String?, _ url: URL, _ path: String?) {
        setUpICloud(ICloudRequest(container, name, .sqlite(at: url), path))
    }

    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(setupCoreDataStackWithiCloudContainer:contentNameKey:localStoreAtURL:cloudStorePathComponent:completion:)
    public class func _setUpICloud(
        _ container: String, _ name: String?, _ url: URL, _ path: String?, _ completion: (@Sendable () -> Void)?
    ) { setUpICloud(ICloudRequest(container, name, .sqlite(at: url), path, completion)) }
}

@available(swift, obsoleted: 1.0)
extension NSPersistentStoreCoordinator {
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @discardableResult
    @objc(MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:)
    public class func _iCloudCoordinator(
        _ container: String, _ name: String?, _ store: String, _ path: String?
    ) -> NSPersistentStoreCoordinator { makeICloud(ICloudRequest(container, name, .legacy(named: store), path)) }

    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_addiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:)
    public func _addICloudContainer(_ container: String, _ name: String?, _ store: String, _ path: String?) {
        addICloudStore(ICloudRequest(container, name, .legacy(named: store), path))
    }

    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @discardableResult
    @objc(MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:)
    public class func _iCloudCoordinator(
        _ container: String, _ name: String?, _ store: String, _ path: String?, _ completion: (@Sendable () -> Void)?
    ) -> NSPersistentStoreCoordinator {
        makeICloud(ICloudRequest(container, name, .legacy(named: store), path, completion))
    }

    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_addiCloudContainerID:contentNameKey:localStoreNamed:cloudStorePathComponent:completion:)
    public func _addICloudContainer(
        _ container: String, _ name: String?, _ store: String, _ path: String?, _ completion: (@Sendable () -> Void)?
    ) { addICloudStore(ICloudRequest(container, name, .legacy(named: store), path, completion)) }

    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @discardableResult
    @objc(MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:)
    public class func _iCloudCoordinator(
        _ container: String, _ name: String?, _ url: URL, _ path: String?
    ) -> NSPersistentStoreCoordinator { makeICloud(ICloudRequest(container, name, .sqlite(at: url), path)) }

    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_addiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:)
    public func _addICloudContainer(_ container: String, _ name: String?, _ url: URL, _ path: String?) {
        addICloudStore(ICloudRequest(container, name, .sqlite(at: url), path))
    }

    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @discardableResult
    @objc(MR_coordinatorWithiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:completion:)
    public class func _iCloudCoordinator(
        _ container: String, _ name: String?, _ url: URL, _ path: String?, _ completion: (@Sendable () -> Void)?
    ) -> NSPersistentStoreCoordinator { makeICloud(ICloudRequest(container, name, .sqlite(at: url), path, completion)) }

    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_addiCloudContainerID:contentNameKey:localStoreAtURL:cloudStorePathComponent:completion:)
    public func _addICloudContainer(
        _ container: String, _ name: String?, _ url: URL, _ path: String?, _ completion: (@Sendable () -> Void)?
    ) { addICloudStore(ICloudRequest(container, name, .sqlite(at: url), path, completion)) }
}

/// The tokens of observations of changes that iCloud has written to a store, by context and coordinator.
private let iCloudObservations = Locked<[[ObjectIdentifier]: any NSObjectProtocol]>([:])

@available(swift, obsoleted: 1.0)
extension NSManagedObjectContext {
    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_observeiCloudChangesInCoordinator:)
    public func _observeICloud(_ coordinator: NSPersistentStoreCoordinator) {
        guard MagicalRecord.isICloudEnabled() else { return }
        let name = Notification.Name("com.apple.coredata.ubiquity.importer.didfinishimport")
        let token = NotificationCenter.default.addObserver(forName: name, object: coordinator, queue: nil) {
            [weak self] notification in
            // Contains object IDs only, which may cross threads.
            let changes = Unchecked(notification)
            self?.perform { [weak self] in
                guard let self else { return }
                mergeChanges(fromContextDidSave: changes.value)
                NotificationCenter.default.post(
                    name: .magicalRecordDidMergeChangesFromiCloud, object: self, userInfo: changes.value.userInfo)
            }
        }
        iCloudObservations.withLock { $0[[ObjectIdentifier(self), ObjectIdentifier(coordinator)]] = token }
    }

    @available(*, deprecated, message: "Apple has ended document storage in iCloud for Core Data")
    @objc(MR_stopObservingiCloudChangesInCoordinator:)
    public func _stopObservingICloud(_ coordinator: NSPersistentStoreCoordinator) {
        guard MagicalRecord.isICloudEnabled() else { return }
        let pair = [ObjectIdentifier(self), ObjectIdentifier(coordinator)]
        let token = iCloudObservations.withLock { $0.removeValue(forKey: pair) }
        if let token { NotificationCenter.default.removeObserver(token) }
    }
}
#endif
