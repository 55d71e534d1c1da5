import CoreData

extension NSPersistentStore {
    /// The default stack's first store.
    #if canImport(ObjectiveC)
    @objc(MR_defaultPersistentStore)
    #endif
    @discardableResult
    public class func mr_default() -> NSPersistentStore? { MagicalRecord.defaults.withLock { $0.store } }

    /// Sets what ``mr_default()`` gives.
    #if canImport(ObjectiveC)
    @objc(MR_setDefaultPersistentStore:)
    #endif
    public class func mr_setDefaultPersistentStore(_ store: NSPersistentStore?) {
        MagicalRecord.defaults.withLock { $0.store = store }
    }

    /// Where a store named `CoreDataStore.sqlite` lies. The set-up functions use ``MagicalRecord/defaultStoreName()``,
    /// which is another name; that is kept as it was.
    #if canImport(ObjectiveC)
    @objc(MR_defaultLocalStoreUrl)
    #endif
    @discardableResult
    public class func mr_defaultLocalStoreUrl() -> URL {
        MagicalRecord.storeDirectory().appendingPathComponent(kMagicalRecordDefaultStoreFileName)
    }

    /// Where a store of that name lies. Creates nothing.
    #if canImport(ObjectiveC)
    @objc(MR_urlForStoreName:)
    #endif
    @discardableResult
    public class func mr_url(forStoreName storeFileName: String) -> URL? {
        MagicalRecord.storeDirectory().appendingPathComponent(storeFileName)
    }

    /// The folder of an iCloud container, or `nil` when there is none; always `nil` but on macOS and iOS.
    #if canImport(ObjectiveC)
    @objc(MR_cloudURLForUbiquitousContainer:)
    #endif
    @discardableResult
    public class func mr_cloudURL(forUbiquitousContainer bucketName: String) -> URL? {
        #if os(macOS) || os(iOS)
        return FileManager.default.url(forUbiquityContainerIdentifier: bucketName)
        #else
        return nil
        #endif
    }

    /// ``mr_cloudURL(forUbiquitousContainer:)`` as the original misspelt it.
    #if canImport(ObjectiveC)
    @objc(MR_cloudURLForUbiqutiousContainer:)
    #endif
    @available(*, deprecated, renamed: "mr_cloudURL(forUbiquitousContainer:)")
    @discardableResult
    public class func mr_cloudURL(forUbiqutiousContainer bucketName: String) -> URL? {
        mr_cloudURL(forUbiquitousContainer: bucketName)
    }
}

extension NSManagedObjectModel {
    /// The default model. When none is set, and ``MagicalRecord/shouldAutoCreateManagedObjectModel()`` says so, all
    /// models of the main bundle, merged.
    #if canImport(ObjectiveC)
    @objc(MR_defaultManagedObjectModel)
    #endif
    @discardableResult
    public class func mr_default() -> NSManagedObjectModel? {
        MagicalRecord.defaultModel()
    }

    /// Sets the default model; `nil` lets it be made again.
    #if canImport(ObjectiveC)
    @objc(MR_setDefaultManagedObjectModel:)
    #endif
    public class func mr_setDefaultManagedObjectModel(_ newDefaultModel: NSManagedObjectModel?) {
        MagicalRecord.defaults.withLock { $0.model = newDefaultModel }
    }

    /// All models of the main bundle, merged, or `nil` when it has none.
    #if canImport(ObjectiveC)
    @objc(MR_mergedObjectModelFromMainBundle)
    #endif
    @discardableResult
    public class func mr_mergedObjectModelFromMainBundle() -> NSManagedObjectModel? {
        mergedMainModel()
    }

    /// The named model of the main bundle, or `nil`. The extension may be left out. (The original raised an exception
    /// when there was none.)
    #if canImport(ObjectiveC)
    @objc(MR_newManagedObjectModelNamed:)
    #endif
    @discardableResult
    public class func mr_newManagedObjectModelNamed(_ modelFileName: String) -> NSManagedObjectModel? {
        magicalModel(named: modelFileName, in: .main)
    }

    /// An older name for ``mr_newManagedObjectModelNamed(_:)``.
    #if canImport(ObjectiveC)
    @objc(MR_managedObjectModelNamed:)
    #endif
    @discardableResult
    public class func mr_managedObjectModelNamed(_ modelFileName: String) -> NSManagedObjectModel? {
        mr_newManagedObjectModelNamed(modelFileName)
    }

    /// The named model in a sub-directory of the main bundle.
    #if canImport(ObjectiveC)
    @objc(MR_newModelNamed:inBundleNamed:)
    #endif
    @discardableResult
    public class func mr_newModelNamed(_ modelName: String, inBundleNamed bundleName: String) -> NSManagedObjectModel? {
        let base = (modelName as NSString).deletingPathExtension
        let given = (modelName as NSString).pathExtension
        let url = Bundle.main.url(
            forResource: base, withExtension: given.isEmpty ? "momd" : given, subdirectory: bundleName)
        return url.flatMap(NSManagedObjectModel.init(contentsOf:))
    }

    /// The named model of a bundle, or `nil`.
    #if canImport(ObjectiveC)
    @objc(MR_newModelNamed:inBundle:)
    #endif
    @discardableResult
    public class func mr_newModelNamed(_ modelName: String, in bundle: Bundle) -> NSManagedObjectModel? {
        magicalModel(named: modelName, in: bundle)
    }
}
