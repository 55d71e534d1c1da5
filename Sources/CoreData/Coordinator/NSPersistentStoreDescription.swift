import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// What a container needs to know in order to open a store. Not thread-safe; set it up before loading.
open class NSPersistentStoreDescription: NSObject, NSCopying {
    /// The place of the store: its file, or the URL that another kind of store is found by.
    open var url: URL?

    private var givenType: String?

    /// The type of store. Unless set, the one that is registered for the scheme of the URL, which is SQLite for files.
    open var type: String {
        get { givenType ?? StoreRegistry.type(at: url) }
        set { givenType = newValue }
    }

    /// The configuration of the model the store is for; nil means all entities.
    open var configuration: String?

    /// Whether the container adds the store in the background. False unless set.
    open var shouldAddStoreAsynchronously = false

    /// All options, in the form `addPersistentStore` takes.
    open var options: [String: NSObject] { given.named }

    /// The store that was last added with this description. Set before the handler of adding it is called.
    final var addedStore: WeakHandle<NSPersistentStore>?

    /// The options, with pragmas apart from the rest.
    private var given = NamedOptions()

    /// The options as a store takes them; those of a subclass as it gives them.
    final var storeOptions: StoreOptions {
        Swift.type(of: self) == NSPersistentStoreDescription.self ? StoreOptions(given) : StoreOptions(named: options)
    }

    /// A SQLite store in that file.
    public init(url: URL) {
        self.url = url
        super.init()
    }

    /// A SQLite store at `/dev/null`: a database gone when the program ends.
    public override convenience init() {
        self.init(url: URL(fileURLWithPath: "/dev/null"))
    }

    // MARK: Options

    /// Sets an option, or removes it with nil.
    open func setOption(_ option: NSObject?, forKey key: String) {
        given[key] = option
    }

    /// Whether the store is opened for reading only. False unless set.
    open var isReadOnly: Bool {
        get { flag(NSReadOnlyPersistentStoreOption) ?? false }
        set { given[NSReadOnlyPersistentStoreOption] = newValue as NSNumber }
    }

    /// Seconds to wait for a busy store; 240 unless set.
    open var timeout: TimeInterval {
        get { (given[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
        set { given[NSPersistentStoreTimeoutOption] = newValue as NSNumber }
    }

    /// Whether a store of another model version is migrated when it is added. True unless set.
    open var shouldMigrateStoreAutomatically: Bool {
        get { flag(NSMigratePersistentStoresAutomaticallyOption) ?? false }
        set { given[NSMigratePersistentStoresAutomaticallyOption] = newValue as NSNumber }
    }

    /// Whether a mapping model is inferred where none is found. True unless set.
    open var shouldInferMappingModelAutomatically: Bool {
        get { flag(NSInferMappingModelAutomaticallyOption) ?? false }
        set { given[NSInferMappingModelAutomaticallyOption] = newValue as NSNumber }
    }

    /// The CloudKit container that the store is kept in, on Apple's platforms. A description that has one is not loaded here:
    /// the handler gets `NSPersistentStoreOperationError`.
    open var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions?

    /// SQLite pragmas by name.
    open var sqlitePragmas: [String: NSObject] { given.knownPragmas }

    /// Sets a SQLite pragma, or removes it with nil.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
        given.setPragma(name, value)
    }

    private func flag(_ key: String) -> Bool? { (given[key] as? NSNumber)?.boolValue }

    // MARK: NSObject

    /// A copy of the description.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreDescription()
        copy.url = url
        copy.type = type
        copy.configuration = configuration
        copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
        copy.given = given
        copy.cloudKitContainerOptions = cloudKitContainerOptions
        return copy
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentStoreDescription else { return false }
        return url == other.url && type == other.type && configuration == other.configuration
            && NSDictionary(dictionary: options) == NSDictionary(dictionary: other.options)
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(url)
        hasher.combine(type)
        hasher.combine(configuration)
        return hasher.finalize()
    }

    open override var description: String {
        "<NSPersistentStoreDescription> (type: \(type), url: \(url?.absoluteString ?? "(null)"))"
    }
}
