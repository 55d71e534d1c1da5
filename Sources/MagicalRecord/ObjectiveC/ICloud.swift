#if canImport(ObjectiveC) && (os(macOS) || os(iOS))
import CoreData

/// The arguments of an iCloud set-up.
struct ICloudRequest: Sendable {
    let container: String
    let contentName: String?
    let store: MagicalRecord.Store
    let subpath: String?
    let completion: (@Sendable () -> Void)?

    /// True if the last request found its container.
    static let isActive = Locked(false)

    init(
        _ container: String, _ contentName: String?, _ store: MagicalRecord.Store, _ subpath: String? = nil,
        _ completion: (@Sendable () -> Void)? = nil
    ) {
        self.container = container
        self.contentName = contentName
        self.store = store
        self.subpath = subpath
        self.completion = completion
    }
}

extension MagicalRecord {
    static func setUpICloud(_ request: ICloudRequest) {
        setUpLock.lock()
        defer { setUpLock.unlock() }
        guard let coordinator = coordinatorForSetUp() else {
            return DispatchQueue.main.async { request.completion?() }
        }
        setDefaultStack(.legacy(on: coordinator))
        coordinator.addICloudStore(request)
    }
}

extension NSPersistentStoreCoordinator {
    /// Returns a coordinator for the default model. Its iCloud store is opened asynchronously.
    class func makeICloud(_ request: ICloudRequest) -> NSPersistentStoreCoordinator {
        let coordinator = onDefaultModel()
        coordinator.addICloudStore(request)
        return coordinator
    }

    /// Opens the store on a background queue. In any case calls the completion and posts the notification on the main queue; an
    /// error also goes to the error handler.
    func addICloudStore(_ request: ICloudRequest) {
        DispatchQueue.global(qos: .userInitiated).async {
            let container = FileManager.default.url(forUbiquityContainerIdentifier: request.container)
            ICloudRequest.isActive.withLock { $0 = container != nil }
            var store = request.store
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
            DispatchQueue.main.async {
                if NSPersistentStore.mr_default() == nil {
                    NSPersistentStore.mr_setDefaultPersistentStore(self.persistentStores.first)
                }
                request.completion?()
                NotificationCenter.default.post(name: .magicalRecordPSCDidCompleteiCloudSetup, object: nil)
            }
        }
    }
}
#endif
