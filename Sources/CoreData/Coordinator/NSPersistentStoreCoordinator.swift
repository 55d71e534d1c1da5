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

    open override var description: String {
        "<NSPersistentStoreCoordinator\(name.map { " \"\($0)\"" } ?? ""): \(persistentStores.count) stores>"
    }
}
