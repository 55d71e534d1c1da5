import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// Connects contexts and stores: it has the model, owns the stores, and finds the store of every object.
///
/// Thread-safe. Contexts read from stores without waiting for the coordinator: only adding and removing stores, and blocks
/// passed to ``perform(_:)-(()->Void)`` and related functions, are serialized.
open class NSPersistentStoreCoordinator: NSObject, NSLocking, @unchecked Sendable {
    private final let model: NSManagedObjectModel
    /// Serializes changes to the set of stores and the blocks of `perform` and `performAndWait`.
    final let serial = NSRecursiveLock()
    /// The queue behind `perform(_:)`, created on first use.
    final var queue: DispatchQueue { madeQueue.value { DispatchQueue(label: "NSPersistentStoreCoordinator") } }
    private final let madeQueue = MadeOnce<DispatchQueue>()
    private let snapshotLock = Lock()
    /// A weak reference to the coordinator, held by its stores.
    final let handle = WeakHandle<NSPersistentStoreCoordinator>()
    /// The contexts created for the coordinator; some may be connected to another one by now.
    final let contexts = WeakContexts()
    private nonisolated(unsafe) final var snapshot: StoreSnapshot
    /// A counter incremented by every change to the set of stores.
    final let storesVersion = Atomic<Int>(0)
    private nonisolated(unsafe) final var storedName: String?

    /// Creates a coordinator without stores. The model becomes immutable.
    public init(managedObjectModel model: NSManagedObjectModel) {
        LaunchSwitches.apply()
        model.freeze()
        self.model = model
        snapshot = StoreSnapshot([], model: model)
        super.init()
        handle.set(self)
    }

    deinit { handle.clear() }

    /// Creates a coordinator with an empty model, for code that uses Objective-C's `init`. Its stores have no entities.
    public convenience override init() {
        self.init(managedObjectModel: NSManagedObjectModel())
    }

    /// The model of all stores of the coordinator. Immutable.
    open var managedObjectModel: NSManagedObjectModel { model }

    /// A label for debugging.
    open var name: String? {
        get { snapshotLock.withLock { storedName } }
        set { snapshotLock.withLock { storedName = newValue } }
    }

    // MARK: Stores

    final var currentStores: StoreSnapshot { snapshotLock.withLock { snapshot } }

    /// The stores in the order in which they were added. A new object is saved to the first writable store that has its entity
    /// in the store's configuration.
    open var persistentStores: [NSPersistentStore] { currentStores.all }

    /// Replaces the set of stores; must be called with `serial` held.
    final func setStores(_ stores: [NSPersistentStore]) {
        let fresh = StoreSnapshot(stores, model: model)
        snapshotLock.withLock { snapshot = fresh }
        storesVersion.wrappingAdd(1, ordering: .releasing)
    }

    /// Returns the store with exactly this URL.
    open func persistentStore(for URL: URL) -> NSPersistentStore? {
        persistentStores.first { $0.url == URL }
    }

    /// Returns the URL of a store, `file:///dev/null` for a store without a file.
    open func url(for store: NSPersistentStore) -> URL { store.url ?? StoreOpening.nowhere }

    // MARK: For contexts

    /// Returns the store for new objects of an entity: the first writable one that has the entity in its configuration.
    package final func store(forNew layout: EntityLayout) -> (any RowStore)? { currentStores.store(forNew: layout) }

    /// Returns the stores that may contain objects of an entity.
    package final func stores(holding layout: EntityLayout) -> [any RowStore] { currentStores.stores(holding: layout) }

    package final var rowStores: [any RowStore] { currentStores.rowStores }

    // MARK: Object IDs

    /// Returns the object ID that a URI represents, whether or not the row exists.
    ///
    /// - Returns: nil if no store of the coordinator has the URI's UUID, if the model has no such entity, and for URIs of
    ///   temporary IDs and malformed URIs.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        managedObjectID(for: url.absoluteString)
    }

    /// Returns the object ID that a URI in text form represents; see ``managedObjectID(forURIRepresentation:)``.
    open func managedObjectID(for string: String) -> NSManagedObjectID? {
        guard let (uuid, entity, reference) = ObjectURI.parse(string),
            let store = persistentStores.first(where: { $0.identifier.caseInsensitiveCompare(uuid) == .orderedSame }),
            let layout = model.layouts.byName[entity],
            let key = store.key(forReferenceText: reference, of: layout)
        else { return nil }
        return NSManagedObjectID(identity: store.identity(for: layout), key: key)
    }

    // MARK: Stores, requests and blocks

    // Overridable methods are declared here: methods of extensions cannot be overridden off Apple's platforms.

    /// Opens a store, or creates it if there is none at the URL, and adds it.
    ///
    /// - Parameters:
    ///   - storeType: One of ``NSSQLiteStoreType``, ``NSInMemoryStoreType``, ``NSBinaryStoreType``, ``NSXMLStoreType``, or a
    ///     type registered with ``registerStoreClass(_:forStoreType:)``.
    ///   - configuration: The model's configuration that lists the entities of the store; nil for all entities.
    ///   - storeURL: The location of the store; in-memory stores need none.
    ///   - options: Options by key, such as `NSReadOnlyPersistentStoreOption`.
    /// - Throws: 134000 for an unknown type, 134100 if the store is of another version of the model and no migration was
    ///   requested, 134110…134190 if migration fails, 134020 if the store type does not support the model, and errors of the
    ///   store.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try add(storeType, configuration, at: storeURL, StoreOptions(options))
    }

    /// Adds the store of a description.
    ///
    /// The handler is called before this function returns, or, with `shouldAddStoreAsynchronously`, later on a background
    /// queue.
    open func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) { add(storeDescription, block) }

    /// Removes a store from the coordinator. Its file remains; its objects become invalid in every context.
    ///
    /// These objects become faults that read as deleted, and unsaved changes to them are discarded, as are new objects that no
    /// other store accepts. The context then posts `NSManagedObjectContextObjectsDidChange` with their IDs under
    /// `NSInvalidatedAllObjectsKey`. Contexts on the caller's stack are invalidated immediately, others before the next block
    /// on their queue; the call never blocks on them. The undo stacks of these contexts are cleared.
    ///
    /// - Throws: `NSPersistentStoreOperationError` if the store does not belong to the coordinator.
    open func remove(_ store: NSPersistentStore) throws { try removeStore(store) }

    /// Changes the location of a store in use.
    ///
    /// An atomic store writes its next save to the new location. An SQLite store closes its file and opens the one at the new
    /// location, which must exist and be a copy of it.
    ///
    /// - Returns: false if the store does not belong to the coordinator or cannot use the location.
    @discardableResult
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool { relocate(store, to: url) }

    /// Destroys a store that is not in use. Files of types other than SQLite are deleted.
    ///
    /// An SQLite file remains, and is created if there was none and its folder exists, as an empty database: its metadata has a
    /// type and a new UUID but no version hashes. Adding it creates a new store with any model, without a migration.
    open func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws { try destroyStore(at: url, storeType, StoreOptions(options)) }

    /// Replaces a store by a copy of another one, which may be in use. Meant for backing up and restoring.
    open func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws { try replaceStore(at: destinationURL, destinationOptions, from: sourceURL, sourceOptions, storeType) }

    /// Copies a store to another location, optionally as another type ("save as"), and uses the copy from then on.
    ///
    /// The old store is removed from the coordinator; its file remains. The objects have new IDs in the copy. The program's
    /// metadata of the old store is copied.
    ///
    /// - Throws: `NSPersistentStoreOperationError` if the store does not belong to the coordinator, if a file other than that
    ///   of a destroyed store exists at the URL, or if one of the stores is of a type that only contexts can write; and errors
    ///   of opening and writing. The old store then remains in use.
    @discardableResult
    open func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore { try copyStore(store, to: URL, options, storeType) }

    /// Returns the metadata of a store, including changes that the next save will write.
    open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// Replaces the metadata of a store. Values must be property-list values; type and UUID may be omitted.
    ///
    /// The next save to the store writes the metadata.
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        replaceMetadata(of: store, by: metadata)
    }

    /// Reads the metadata of a store that need not be open.
    ///
    /// - Throws: 134000 for an unknown type, 260 if there is no such file, and errors of the store class.
    open class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] { try readMetadata(ofType: storeType, at: url, options: StoreOptions(options)) }

    /// Writes the metadata of a store that is not open.
    ///
    /// - Throws: 134000 for an unknown type, and errors of the store class.
    open class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try StoreRegistry.requireClass(for: storeType).setMetadata(metadata, forPersistentStoreAt: url)
    }

    /// The store classes by type. (Apple wraps the classes in `NSValue`, which cannot contain Swift classes.)
    open class var registeredStoreTypes: [String: AnyClass] { StoreRegistry.all }

    /// Registers a class for a store type, or unregisters the type if the class is nil.
    ///
    /// Traps if the class is not a subclass of ``NSPersistentStore``.
    open class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        register(storeClass, storeType)
    }

    /// Executes a request on the stores it names, or on all stores.
    ///
    /// Must be called on the context's queue; contexts call it for ordinary fetches and saves.
    ///
    /// - Returns: for a fetch, the array of results; for a save, which saves the whole context, an empty array; for any other
    ///   request, an array with the result of every store.
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        try executeRequest(request, context)
    }

    /// Completes deferred migration work. Does nothing: migrations defer no work off Apple's platforms.
    open func finishDeferredLightweightMigration() throws {}

    /// Completes one task of deferred migration work. Does nothing: migrations defer no work off Apple's platforms.
    open func finishDeferredLightweightMigrationTask() throws {}

    /// Schedules a block on the coordinator's queue and returns immediately.
    open func perform(_ block: @escaping () -> Void) {
        let work = Unchecked(block)
        queue.async { self.performAndWait(work.value) }
    }

    /// Runs a block on the calling thread, with exclusive access to the coordinator. Calls may be nested.
    open func performAndWait(_ block: () -> Void) {
        serial.lock()
        defer { serial.unlock() }
        block()
    }

    /// Locks the coordinator: other threads cannot run blocks on it or change its stores. Recursive. Deprecated by Apple in
    /// favor of blocks.
    open func lock() { serial.lock() }

    /// Unlocks the coordinator; balances ``lock()``.
    open func unlock() { serial.unlock() }

    /// Locks the coordinator like ``lock()`` unless another thread holds the lock; returns whether it did.
    open func tryLock() -> Bool { serial.try() }

    /// Returns a token for the current end of the history of the given stores, from which later changes can be fetched.
    ///
    /// - Parameter stores: stores of the coordinator; nil or an empty array means all.
    /// - Returns: nil if none of the stores tracks history.
    open func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        historyToken(fromStores: stores)
    }

    open override var description: String {
        "<NSPersistentStoreCoordinator\(name.map { " \"\($0)\"" } ?? ""): \(persistentStores.count) stores>"
    }
}
