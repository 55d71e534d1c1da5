import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// The location, type and options with which a container opens a store. Not thread-safe; set it up before loading.
open class NSPersistentStoreDescription: NSObject, NSCopying {
    /// The location of the store: its file, or the URL that identifies a store of another kind.
    open var url: URL?

    private var givenType: String?

    /// The type of the store. By default the one registered for the scheme of the URL, which is SQLite for files.
    open var type: String {
        get { givenType ?? StoreRegistry.type(at: url) }
        set { givenType = newValue }
    }

    /// The model's configuration for the store; nil means all entities.
    open var configuration: String?

    /// Whether the container adds the store in the background. False unless set.
    open var shouldAddStoreAsynchronously = false

    /// All options, in the form that `addPersistentStore` takes.
    open var options: [String: NSObject] { given.named }

    /// The store last added with this description. Set before the completion handler is called.
    final var addedStore: WeakHandle<NSPersistentStore>?

    /// The options, with the pragmas stored separately.
    private var given = NamedOptions()

    /// The options in the form that a store takes; for a subclass, its ``options``.
    final var storeOptions: StoreOptions {
        Swift.type(of: self) == NSPersistentStoreDescription.self ? StoreOptions(given) : StoreOptions(named: options)
    }

    /// Creates a description of an SQLite store at a file URL.
    public init(url: URL) {
        self.url = url
        super.init()
    }

    /// Creates a description of an SQLite store at `/dev/null`: a temporary database that does not outlive the program.
    public override convenience init() {
        self.init(url: URL(fileURLWithPath: "/dev/null"))
    }

    // MARK: Options

    /// Sets an option, or removes it with nil.
    open func setOption(_ option: NSObject?, forKey key: String) {
        given[key] = option
    }

    /// Whether the store is opened read-only. False unless set.
    open var isReadOnly: Bool {
        get { flag(NSReadOnlyPersistentStoreOption) ?? false }
        set { given[NSReadOnlyPersistentStoreOption] = newValue as NSNumber }
    }

    /// The number of seconds to wait for a busy store; 240 unless set.
    open var timeout: TimeInterval {
        get { (given[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
        set { given[NSPersistentStoreTimeoutOption] = newValue as NSNumber }
    }

    /// Whether a store of another model version is migrated when it is added. True unless set.
    open var shouldMigrateStoreAutomatically: Bool {
        get { flag(NSMigratePersistentStoresAutomaticallyOption) ?? false }
        set { given[NSMigratePersistentStoresAutomaticallyOption] = newValue as NSNumber }
    }

    /// Whether a mapping model is inferred if none is found. True unless set.
    open var shouldInferMappingModelAutomatically: Bool {
        get { flag(NSInferMappingModelAutomaticallyOption) ?? false }
        set { given[NSInferMappingModelAutomaticallyOption] = newValue as NSNumber }
    }

    /// The options for CloudKit on Apple's platforms. A description with these options is not loaded here: the handler receives
    /// `NSPersistentStoreOperationError`.
    open var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions?

    /// SQLite pragmas by name.
    open var sqlitePragmas: [String: NSObject] { given.knownPragmas }

    /// Sets an SQLite pragma, or removes it with nil.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
        given.setPragma(name, value)
    }

    private func flag(_ key: String) -> Bool? { (given[key] as? NSNumber)?.boolValue }

    // MARK: NSObject

    /// Returns a copy of the description.
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
        "<NSPersistentStoreDescription> (type: \(type), url: \(url?.withoutPasswords.absoluteString ?? "(null)"))"
    }
}
