import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// Brings contexts and stores together: it knows the model, owns the stores, and finds the store of every object.
///
/// Thread-safe. Contexts read from stores without waiting for the coordinator: only adding and removing stores, and blocks
/// given to ``perform(_:)-(()->Void)`` and its kin, are serialised.
open class NSPersistentStoreCoordinator: NSObject, NSLocking, @unchecked Sendable {
    private final let model: NSManagedObjectModel
    /// Serialises changes of the set of stores and what users perform.
    final let serial = NSRecursiveLock()
    /// Where blocks run that nobody waits for. Made for the first of them: few programs have any.
    final var queue: DispatchQueue { madeQueue.value { DispatchQueue(label: "NSPersistentStoreCoordinator") } }
    private final let madeQueue = MadeOnce<DispatchQueue>()
    private let snapshotLock = Lock()
    /// How stores refer to their coordinator without keeping it alive.
    final let handle = WeakHandle<NSPersistentStoreCoordinator>()
    /// The contexts made for the coordinator, some of which may have another now.
    final let contexts = WeakContexts()
    private nonisolated(unsafe) final var snapshot: StoreSnapshot
    /// Moves whenever the set of stores changes.
    final let storesVersion = Atomic<Int>(0)
    private nonisolated(unsafe) final var storedName: String?

    /// Makes a coordinator without stores. The model becomes immutable.
    public init(managedObjectModel model: NSManagedObjectModel) {
        LaunchSwitches.apply()
        model.freeze()
        self.model = model
        snapshot = StoreSnapshot([], model: model)
        super.init()
        handle.set(self)
    }

    deinit { handle.clear() }

    /// A coordinator of an empty model, for code written against Objective-C's `init`. No store can be of use to it.
    public convenience override init() {
        self.init(managedObjectModel: NSManagedObjectModel())
    }

    /// The model all stores of the coordinator are of. Immutable.
    open var managedObjectModel: NSManagedObjectModel { model }

    /// A label for debugging.
    open var name: String? {
        get { snapshotLock.withLock { storedName } }
        set { snapshotLock.withLock { storedName = newValue } }
    }

    // MARK: Stores

    final var currentStores: StoreSnapshot { snapshotLock.withLock { snapshot } }

    /// The stores in the order they were added. New objects go to the first writable one whose configuration holds their entity.
    open var persistentStores: [NSPersistentStore] { currentStores.all }

    /// Replaces the set of stores; `serial` is held.
    final func setStores(_ stores: [NSPersistentStore]) {
        let fresh = StoreSnapshot(stores, model: model)
        snapshotLock.withLock { snapshot = fresh }
        storesVersion.wrappingAdd(1, ordering: .releasing)
    }

    /// The store at exactly that URL.
    open func persistentStore(for URL: URL) -> NSPersistentStore? {
        persistentStores.first { $0.url == URL }
    }

    /// Where a store is. Stores without a file give `file:///dev/null`.
    open func url(for store: NSPersistentStore) -> URL { store.url ?? StoreOpening.nowhere }

    // MARK: For contexts

    /// The store new objects of an entity go to: the first writable one whose configuration holds the entity.
    package final func store(forNew layout: EntityLayout) -> (any RowStore)? { currentStores.store(forNew: layout) }

    /// The stores that may hold objects of an entity.
    package final func stores(holding layout: EntityLayout) -> [any RowStore] { currentStores.stores(holding: layout) }

    package final var rowStores: [any RowStore] { currentStores.rowStores }

    // MARK: Object IDs

    /// The ID a URI stands for, whether or not the row exists.
    ///
    /// - Returns: nil when no store of the coordinator has the URI's UUID, when the model has no such entity, for URIs of
    ///   temporary IDs, and for anything that is no such URI.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        managedObjectID(for: url.absoluteString)
    }

    /// The ID a URI in text form stands for, as ``managedObjectID(forURIRepresentation:)``.
    open func managedObjectID(for string: String) -> NSManagedObjectID? {
        guard let (uuid, entity, reference) = ObjectURI.parse(string),
            let store = persistentStores.first(where: { $0.identifier.caseInsensitiveCompare(uuid) == .orderedSame }),
            let layout = model.layouts.byName[entity],
            let key = store.key(forReferenceText: reference, of: layout)
        else { return nil }
        return NSManagedObjectID(identity: store.identity(for: layout), key: key)
    }

    // MARK: Stores, requests and blocks

    // What programs may override is declared here: methods of extensions cannot be overridden off Apple.

    /// Opens a store, or makes it if there is none at the URL, and adds it.
    ///
    /// - Parameters:
    ///   - storeType: One of ``NSSQLiteStoreType``, ``NSInMemoryStoreType``, ``NSBinaryStoreType``, ``NSXMLStoreType``, or a
    ///     type registered with ``registerStoreClass(_:forStoreType:)``.
    ///   - configuration: The configuration of the model whose entities the store holds; nil for all.
    ///   - storeURL: Where the store is; in-memory stores need none.
    ///   - options: Options by key, such as `NSReadOnlyPersistentStoreOption`.
    /// - Throws: 134000 for an unknown type, 134100 when the store is of another version of the model and no migration was
    ///   asked for, 134110…134190 when migration fails, 134020 when the store type cannot hold the model, and what the store
    ///   itself throws.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try add(storeType, configuration, at: storeURL, StoreOptions(options))
    }

    /// Adds the store a description describes.
    ///
    /// The handler is called before this returns, or, with `shouldAddStoreAsynchronously`, later on a background queue.
    open func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) { add(storeDescription, block) }

    /// Takes a store out of the coordinator. Its file stays; objects of it become invalid in every context.
    ///
    /// They become faults that read as deleted, unsaved changes to them are dropped, and new objects that no other store
    /// takes go. The context then posts `NSManagedObjectContextObjectsDidChange` with their IDs under
    /// `NSInvalidatedAllObjectsKey`. This happens at once in contexts the caller is working in, else before the next block
    /// on the context's queue: nobody is waited for. What could be undone in such a context is forgotten.
    ///
    /// - Throws: `NSPersistentStoreOperationError` when the store is not the coordinator's.
    open func remove(_ store: NSPersistentStore) throws { try removeStore(store) }

    /// Moves a store that is in use to another place.
    ///
    /// An atomic store writes its next save there. A SQLite store closes its file and opens the one at the new place, which
    /// must exist and be a copy of it.
    ///
    /// - Returns: False when the store is not the coordinator's, or cannot use the place.
    @discardableResult
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool { relocate(store, to: url) }

    /// Empties a store that is not in use: files of other types than SQLite's are deleted.
    ///
    /// A SQLite store's file stays, and is made where there was none and its folder exists: an empty database, whose metadata
    /// has a type and a new UUID but no version hashes. Adding it makes a new store, of any model and without a migration.
    open func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws { try destroyStore(at: url, storeType, StoreOptions(options)) }

    /// Puts a copy of one store, which may be in use, in place of another: for backing up and restoring.
    open func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws { try replaceStore(at: destinationURL, destinationOptions, from: sourceURL, sourceOptions, storeType) }

    /// Copies a store to another place, perhaps as another type ("save as"), and uses the copy from then on.
    ///
    /// The old store is removed from the coordinator; its file stays. Object IDs of the copy are new, and its metadata takes
    /// over what the program had put into the old one's.
    ///
    /// - Throws: `NSPersistentStoreOperationError` when the store is not the coordinator's, when there is a file at the URL
    ///   already, other than what a destroyed store leaves, or when one of the stores is of a type that only contexts can
    ///   write; what opening or writing throws. The old store then stays in use.
    @discardableResult
    open func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore { try copyStore(store, to: URL, options, storeType) }

    /// The metadata of a store, including what the next save will write.
    open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// Replaces the metadata of a store: property-list values only. Type and UUID need not be given.
    ///
    /// The next save that touches the store writes it.
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        replaceMetadata(of: store, by: metadata)
    }

    /// Reads the metadata of a store that need not be open.
    ///
    /// - Throws: 134000 for an unknown type, 260 when there is no such file, and what the store class throws.
    open class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] { try readMetadata(ofType: storeType, at: url, options: StoreOptions(options)) }

    /// Writes the metadata of a store that is not open.
    open class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try StoreRegistry.requireClass(for: storeType).setMetadata(metadata, forPersistentStoreAt: url)
    }

    /// The store classes by type. (Apple wraps the classes in `NSValue`, which cannot hold Swift classes.)
    open class var registeredStoreTypes: [String: AnyClass] { StoreRegistry.all }

    /// Makes a class serve a type of store; nil takes the type away.
    ///
    /// Traps when the class is no subclass of ``NSPersistentStore``.
    open class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        register(storeClass, storeType)
    }

    /// Executes a request on the stores it names, or on all.
    ///
    /// Call it on the context's queue; contexts do this themselves for ordinary fetches and saves.
    ///
    /// - Returns: For a fetch, the array of results; for a save, which saves the whole context, an empty array; for any other
    ///   request, an array with the result of every store.
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        try executeRequest(request, context)
    }

    /// Completes what migrations postponed. They postpone nothing off Apple, so there is nothing to do.
    open func finishDeferredLightweightMigration() throws {}

    /// Completes one of the steps migrations postponed. They postpone nothing off Apple, so there is nothing to do.
    open func finishDeferredLightweightMigrationTask() throws {}

    /// Runs a block on the coordinator's queue, some time later.
    open func perform(_ block: @escaping () -> Void) {
        let work = Unchecked(block)
        queue.async { self.performAndWait(work.value) }
    }

    /// Runs a block now, while no other block runs on the coordinator. May be nested.
    open func performAndWait(_ block: () -> Void) {
        serial.lock()
        defer { serial.unlock() }
        block()
    }

    /// Keeps other threads from performing blocks and changing stores. Deprecated by Apple in favour of blocks; nests.
    open func lock() { serial.lock() }

    /// Ends what ``lock()`` began.
    open func unlock() { serial.unlock() }

    /// As ``lock()``, unless another thread holds the lock.
    open func tryLock() -> Bool { serial.try() }

    /// Where the history of the given stores stands now: a token from which later changes can be fetched.
    ///
    /// - Parameter stores: stores of the coordinator; nil or none means all.
    /// - Returns: nil when none of the stores keeps history.
    open func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        historyToken(fromStores: stores)
    }

    open override var description: String {
        "<NSPersistentStoreCoordinator\(name.map { " \"\($0)\"" } ?? ""): \(persistentStores.count) stores>"
    }
}
