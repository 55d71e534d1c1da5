#if canImport(ObjectiveC) && (os(macOS) || os(iOS))
import CoreData

/// The arguments of an iCloud set-up.
struct ICloudRequest: Sendable {
    let container: String
    let contentName: String?
    let store: URL
    let subpath: String?
    let completion: (@Sendable () -> Void)?

    /// True if the last request found its container.
    static let isActive = Locked(false)
}

extension MagicalRecord {
    static func setUpICloud(_ request: ICloudRequest) {
        setUpLock.lock()
        defer { setUpLock.unlock() }
        let finish: @Sendable () -> Void = { request.completion?() }
        guard defaults.withLock({ $0.stack == nil && $0.coordinator == nil }) else {
            Log.warn("iCloud set-up was called while a default stack exists, and did nothing.")
            return DispatchQueue.main.async(execute: finish)
        }
        guard let model = NSManagedObjectModel.mr_default() else {
            handleErrors(MagicalRecordError.noDefaultModel)
            return DispatchQueue.main.async(execute: finish)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        setDefaultStack(.legacy(on: coordinator))
        coordinator.addICloudStore(request)
    }
}

extension ICloudRequest {
    init(
        _ container: String, _ contentName: String? = nil, _ store: URL?, _ subpath: String? = nil,
        _ completion: (@Sendable () -> Void)? = nil
    ) {
        self.container = container
        self.contentName = contentName
        self.store = store ?? NSPersistentStore.mr_defaultLocalStoreUrl()
        self.subpath = subpath
        self.completion = completion
    }

    init(
        _ container: String, _ contentName: String? = nil, named store: String, _ subpath: String? = nil,
        _ completion: (@Sendable () -> Void)? = nil
    ) {
        self.init(container, contentName, MagicalRecord.Store.legacy(named: store).url, subpath, completion)
    }
}

extension NSPersistentStoreCoordinator {
    /// Returns a coordinator for the default model. Its iCloud store is opened asynchronously.
    class func makeICloud(_ request: ICloudRequest) -> NSPersistentStoreCoordinator {
        guard let model = NSManagedObjectModel.mr_default() else {
            preconditionFailure(
                "A coordinator needs a model. Call MagicalRecord.setDefaultModelNamed or setDefaultModelFrom first.")
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        coordinator.addICloudStore(request)
        return coordinator
    }

    /// Opens the store on a background queue. In any case calls the completion and posts the notification on the main queue; an
    /// error also goes to the error handler.
    func addICloudStore(_ request: ICloudRequest) {
        DispatchQueue.global(qos: .userInitiated).async {
            let container = FileManager.default.url(forUbiquityContainerIdentifier: request.container)
            ICloudRequest.isActive.withLock { $0 = container != nil }
            var store = MagicalRecord.Store.sqlite(at: request.store)
            if let container {
                let content = request.subpath.map(container.appendingPathComponent) ?? container
                store.options["NSPersistentStoreUbiquitousContentURLKey"] = content
                if let name = request.contentName, !name.isEmpty {
                    store.options["NSPersistentStoreUbiquitousContentNameKey"] = name
                }
            } else {
                Log.warn("The iCloud container \(request.container) was not found; the store is local.")
            }
            let opened = store
            self.runAndWait { _ = self.addReporting(opened, .automatic) }
            Self.finishICloudSetUp(self, request)
        }
    }

    private static func finishICloudSetUp(_ coordinator: NSPersistentStoreCoordinator, _ request: ICloudRequest) {
        DispatchQueue.main.async {
            if NSPersistentStore.mr_default() == nil {
                NSPersistentStore.mr_setDefaultPersistentStore(coordinator.persistentStores.first)
            }
            request.completion?()
            NotificationCenter.default.post(name: .magicalRecordPSCDidCompleteiCloudSetup, object: nil)
        }
    }
}

/// Observations of changes that iCloud has written to a coordinator's store.
enum ICloudObservation {
    private static let name = Notification.Name(
        "com.apple.coredata.ubiquity.importer.didfinishimport")
    private static let tokens = Locked<[[ObjectIdentifier]: any NSObjectProtocol]>([:])

    static func start(_ context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator) {
        let token = NotificationCenter.default.addObserver(forName: name, object: coordinator, queue: nil) {
            [weak context] notification in
            // Contains object IDs only, which may cross threads.
            let changes = Unchecked(notification)
            context?.perform { [weak context] in
                guard let context else { return }
                context.mergeChanges(fromContextDidSave: changes.value)
                NotificationCenter.default.post(
                    name: .magicalRecordDidMergeChangesFromiCloud, object: context, userInfo: changes.value.userInfo)
            }
        }
        tokens.withLock { $0[[ObjectIdentifier(context), ObjectIdentifier(coordinator)]] = token }
    }

    static func stop(_ context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator) {
        let token = tokens.withLock {
            $0.removeValue(forKey: [ObjectIdentifier(context), ObjectIdentifier(coordinator)])
        }
        if let token { NotificationCenter.default.removeObserver(token) }
    }
}
#endif
