import CoreData

extension NSPersistentStore {
    /// Returns the default store: the default stack's first, unless another was set; nil if there is none.
    #if canImport(ObjectiveC)
    @objc(MR_defaultPersistentStore)
    #endif
    @discardableResult
    public class func mr_default() -> NSPersistentStore? { MagicalRecord.defaults.withLock { $0.store } }

    /// Sets the default store, ``mr_default()``.
    #if canImport(ObjectiveC)
    @objc(MR_setDefaultPersistentStore:)
    #endif
    public class func mr_setDefaultPersistentStore(_ store: NSPersistentStore?) {
        MagicalRecord.defaults.withLock { $0.store = store }
    }

    /// Returns the URL of a store named `CoreDataStore.sqlite`. As in the original, the set-up functions use another name,
    /// ``MagicalRecord/defaultStoreName()``.
    #if canImport(ObjectiveC)
    @objc(MR_defaultLocalStoreUrl)
    #endif
    @discardableResult
    public class func mr_defaultLocalStoreUrl() -> URL {
        MagicalRecord.storeDirectory().appendingPathComponent(kMagicalRecordDefaultStoreFileName)
    }

    /// Returns the URL of a store with a name. Creates nothing.
    #if canImport(ObjectiveC)
    @objc(MR_urlForStoreName:)
    #endif
    @discardableResult
    public class func mr_url(forStoreName storeFileName: String) -> URL? {
        MagicalRecord.storeDirectory().appendingPathComponent(storeFileName)
    }

    /// Returns the folder of an iCloud container, or nil if there is none; always nil except on macOS and iOS.
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

    /// Returns the result of ``mr_cloudURL(forUbiquitousContainer:)``, under the original's misspelled name.
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
    /// Returns the default model. If none is set, merges all models of the main bundle, provided that
    /// ``MagicalRecord/shouldAutoCreateManagedObjectModel()`` is true; nil if there are none.
    #if canImport(ObjectiveC)
    @objc(MR_defaultManagedObjectModel)
    #endif
    @discardableResult
    public class func mr_default() -> NSManagedObjectModel? { MagicalRecord.defaultModel() }

    /// Sets the default model; with nil it is created again on next use.
    #if canImport(ObjectiveC)
    @objc(MR_setDefaultManagedObjectModel:)
    #endif
    public class func mr_setDefaultManagedObjectModel(_ newDefaultModel: NSManagedObjectModel?) {
        MagicalRecord.defaults.withLock { $0.model = newDefaultModel }
    }

    /// Returns all models of the main bundle, merged, or nil if it has none.
    #if canImport(ObjectiveC)
    @objc(MR_mergedObjectModelFromMainBundle)
    #endif
    @discardableResult
    public class func mr_mergedObjectModelFromMainBundle() -> NSManagedObjectModel? { mergedMainModel() }

    /// Returns the model of the main bundle with a name, with or without an extension, or nil (the original raised an
    /// exception).
    #if canImport(ObjectiveC)
    @objc(MR_newManagedObjectModelNamed:)
    #endif
    @discardableResult
    public class func mr_newManagedObjectModelNamed(_ modelFileName: String) -> NSManagedObjectModel? {
        magicalModel(named: modelFileName, in: .main)
    }

    /// Returns the result of ``mr_newManagedObjectModelNamed(_:)``, under an older name.
    #if canImport(ObjectiveC)
    @objc(MR_managedObjectModelNamed:)
    #endif
    @discardableResult
    public class func mr_managedObjectModelNamed(_ modelFileName: String) -> NSManagedObjectModel? {
        mr_newManagedObjectModelNamed(modelFileName)
    }

    /// Returns the model with a name in a subdirectory of the main bundle, or nil.
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

    /// Returns the model of a bundle with a name, or nil.
    #if canImport(ObjectiveC)
    @objc(MR_newModelNamed:inBundle:)
    #endif
    @discardableResult
    public class func mr_newModelNamed(_ modelName: String, in bundle: Bundle) -> NSManagedObjectModel? {
        magicalModel(named: modelName, in: bundle)
    }
}

/// Finds the bundles that may hold the resources of a class's module.
enum ClassBundles {
    static func bundles(for type: AnyClass) -> [Bundle] {
        #if canImport(ObjectiveC)
        return [Bundle(for: type)]
        #else
        // SwiftPM puts a target's resources beside the executable, in `Package_Module.resources`.
        let module = ClassName.full(type).split(separator: ".").first.map(String.init) ?? ""
        let directories = [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()]
        let candidates = directories.compactMap { $0 }.flatMap { directory in
            (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)) ?? []
        }
        let own = Set(candidates.filter { $0.lastPathComponent.hasSuffix("_\(module).resources") })
        let bundles = own.compactMap(Bundle.init(url:))
        return bundles.isEmpty ? [.main] : bundles
        #endif
    }
}
