import CoreDataRuntimeSupport
import Synchronization

/// A scratchpad for objects: fetches them, tracks their changes, and saves the changes as one unit.
///
/// A context is bound to a queue, its own or the main one; it and its objects may be touched there only, by
/// `perform(_:)` and its relatives. Within a context one row is one object. A context reads from and saves to a
/// coordinator, or to a parent context, which then holds the changes until it is saved itself.
///
/// The context itself may be passed between threads; so may object IDs. Objects may not.
open class NSManagedObjectContext: NSObject, UntypedFetching, @unchecked Sendable {
    /// The kind of queue a context is bound to.
    public struct ConcurrencyType: RawRepresentable, Hashable, Sendable {
        public let rawValue: NSManagedObjectContextConcurrencyType
        public init(rawValue: NSManagedObjectContextConcurrencyType) { self.rawValue = rawValue }
        /// A queue of the context's own.
        public static let privateQueue = ConcurrencyType(rawValue: .privateQueueConcurrencyType)
        /// The main queue.
        public static let mainQueue = ConcurrencyType(rawValue: .mainQueueConcurrencyType)
    }

    /// When the async form of `perform` runs its block.
    public enum ScheduledTaskType: Hashable, Sendable {
        /// At once if the caller is on the context's queue already.
        case immediate
        /// After everything enqueued before.
        case enqueued
    }

    /// The kind of queue the context works on.
    open var concurrencyType: NSManagedObjectContextConcurrencyType { queueKind }
    final let queueKind: NSManagedObjectContextConcurrencyType
    /// Of this very class: what subclasses may override need not be called.
    final let isPlain: Bool
    /// A typed fetch or count is going through an override of the untyped one.
    @exclusivity(unchecked) final var isDelegating = false
    final let executor: ContextQueue

    // MARK: Settings

    /// What may be read and set away from the context's queue as well.
    final let settings = Locked(ContextSettings())

    /// A label for debugging; also the context's name in persistent history. May be set on any thread.
    open var name: String? {
        get { settings.withLock { $0.name } }
        set { settings.withLock { $0.name = newValue } }
    }
    /// Free for use by the application.
    open var userInfo: NSMutableDictionary { madeUserInfo.value { NSMutableDictionary() } }
    private final let madeUserInfo = MadeOnce<NSMutableDictionary>()
    /// What to do about conflicts in a save: an ``NSMergePolicy``. May be set on any thread.
    open var mergePolicy: Any {
        get { settings.withLock { $0.mergePolicy } }
        set {
            guard var policy = newValue as? NSMergePolicy else {
                preconditionFailure("A context's merge policy must be an NSMergePolicy or a subclass of it.")
            }
            settings.withLock { swap(&$0.mergePolicy, &policy) }
        }
    }
    /// Whether saves by other contexts, to the store or to the parent, are merged in as they happen. May be set on any thread.
    open var automaticallyMergesChangesFromParent: Bool {
        get { settings.withLock { $0.mergesChanges } }
        set {
            settings.withLock { $0.mergesChanges = newValue }
            if newValue { ContextMerging.note() }
        }
    }
    /// Records changes for undo when set. Every processing of pending changes is one group, unless a group is open already.
    /// May be set on any thread; undo and redo where the context works.
    open var undoManager: UndoManager? {
        get { settings.withLock { $0.undoManager } }
        set {
            let old = settings.withLock { settings in
                defer { settings.undoManager = newValue }
                return settings.undoManager
            }
            if let old, old !== newValue { withdrawUndo(from: old) }
        }
    }
    /// Whether an object whose row has gone reads as deleted, with nil values. If false, touching it traps.
    open var shouldDeleteInaccessibleFaults: Bool {
        get { settings.withLock { $0.deletesInaccessibleFaults } }
        set { settings.withLock { $0.deletesInaccessibleFaults = newValue } }
    }
    /// Keeps unchanged objects alive, too.
    @exclusivity(unchecked) open var retainsRegisteredObjects = false {
        didSet {
            registry.releaseAll()
            if retainsRegisteredObjects { registry.retain(registered()) }
            for table in registry.allTables { table.retainsObjects = retainsRegisteredObjects }
        }
    }
    /// Whether delete rules are applied when changes are processed, or only in the save.
    open var propagatesDeletesAtEndOfEvent: Bool {
        get { settings.withLock { $0.propagatesDeletes } }
        set { settings.withLock { $0.propagatesDeletes = newValue } }
    }
    /// How old the values of a fault may be, in seconds: negative for any age, 0 to read anew whenever a fault fires.
    open var stalenessInterval: TimeInterval = -1 {
        didSet { for table in registry.allTables { table.limitsAge = stalenessInterval >= 0 } }
    }
    /// The author of this context's transactions in persistent history. May be set on any thread.
    open var transactionAuthor: String? {
        get { settings.withLock { $0.author } }
        set { settings.withLock { $0.author = newValue } }
    }

    // MARK: Where it reads from and saves to

    @exclusivity(unchecked) final private(set) var ownCoordinator: NSPersistentStoreCoordinator?
    @exclusivity(unchecked) final private(set) var ownParent: NSManagedObjectContext?

    /// The coordinator at the end of the chain of parents. Set it once, on a context without a parent.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { ownCoordinator ?? ownParent?.persistentStoreCoordinator }
        set {
            precondition(ownParent == nil, "Context already has a parent; cannot set a coordinator as well.")
            guard newValue !== ownCoordinator else { return }
            if ownCoordinator != nil { forgetEverything() }
            ownCoordinator = newValue
            if let newValue { newValue.contexts.add(self) }
        }
    }

    /// The context this one fetches from and saves to in place of a coordinator. Set it once.
    open var parent: NSManagedObjectContext? {
        get { ownParent }
        set {
            precondition(ownCoordinator == nil, "Context already has a coordinator; cannot replace.")
            precondition(
                newValue?.queueKind != .confinementConcurrencyType,
                "Parent NSManagedObjectContext must use either NSPrivateQueueConcurrencyType or NSMainQueueConcurrencyType."
            )
            precondition(ownParent == nil || ownParent === newValue, "Context already has a parent; cannot replace.")
            ownParent = newValue
            newValue?.children.add(self)
        }
    }

    final let children = WeakContexts()
    /// How others refer to this context without keeping it alive.
    final let handle = WeakHandle<NSManagedObjectContext>()

    // MARK: Objects

    /// Whether objects are of `NSManagedObject` itself, whatever class their entity names: those of a migration are.
    @exclusivity(unchecked) final var makesPlainObjects = false

    /// Who is registered, and under which ID.
    @exclusivity(unchecked) final var registry = ObjectRegistry()
    /// What has changed.
    @exclusivity(unchecked) final var changes = ChangeTracker()
    /// What its saves need.
    @exclusivity(unchecked) final var saves = SaveState()
    /// What came from elsewhere.
    @exclusivity(unchecked) final var arrivals = Arrivals()
    /// What observers are being told of: they may ask objects what they were before.
    @exclusivity(unchecked) final var reportedNotice: ChangeNotice?
    // What a save or an event needs for a while, kept empty for the next one.
    @exclusivity(unchecked) final var spareContents = SpareContents()
    /// Permanent IDs from the parent that this context has not taken over yet.
    final let mailbox = ChildMailbox()
    /// Stores that left the coordinator, whose objects are still to be invalidated.
    final let removals = StoreRemovals()
    @exclusivity(unchecked) final var batches: [BatchedResult] = []
    /// The fetches and relationships that led to objects, noted while instruments listen.
    @exclusivity(unchecked) final var ways: ObjectWays?
    @exclusivity(unchecked) final var targets = FetchTargets()
    /// The sink of the last fetch, for the next one. A fetch at work has it.
    @exclusivity(unchecked) final var spareSink: FetchSink?
    /// Those to be told when temporary IDs have become permanent.
    @exclusivity(unchecked) final var permanentIDWaiters = PermanentIDWaiters()
    /// What reads are pinned to; see ``setQueryGenerationFrom(_:)``.
    @exclusivity(unchecked) final var pin: GenerationPin?
    /// With the stores it reads, unless it works inside a block of another context.
    @exclusivity(unchecked) final var sessions = StoreSessions()
    /// While expressions of others are evaluated: where unknown keys are noted.
    @exclusivity(unchecked) final var undefinedKeys: UndefinedKeys?
    /// The errors of reads that could not throw them; see ``readError``.
    @exclusivity(unchecked) final var readErrors = ReadErrors()
    /// The error of the first value that was read as nil because its file is missing: migrations report it.
    final var missingValue: (any Error)?
    /// Views of ordered relationships whose members are to be read anew.
    @exclusivity(unchecked) final var staleViews: [WeakView] = []
    /// Whether there have been such views.
    @exclusivity(unchecked) final var hasViews = false
    /// The asynchronous fetch that is running.
    final var asynchronousRun: AsynchronousRun?
    /// True while fetches of more than 100 rows, or of any number, end with `CancellationError` when the task that makes them is
    /// cancelled. Others' reads do not: Apple's framework knows of no tasks.
    package final var endsFetchesWithTask = false
    final lazy var undoRecorder = UndoRecorder(self)

    // MARK: Making contexts

    /// Makes a context without coordinator or parent.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        queueKind = ct
        isPlain = Self.self == NSManagedObjectContext.self
        executor = ContextQueue(ct)
        super.init()
        handle.set(self)
        // An override of automaticallyMergesChangesFromParent cannot be observed.
        if !isPlain { ContextMerging.note() }
    }

    /// A context of that kind, without a coordinator or parent.
    public convenience init(_ type: ConcurrencyType) { self.init(concurrencyType: type.rawValue) }

    @available(*, deprecated, message: "Use init(concurrencyType:) with a private or main queue.")
    public convenience override init() { self.init(concurrencyType: .confinementConcurrencyType) }

    deinit {
        handle.clear()
        for object in registered() { object.dropRelationships() }
        disconnectTables()
    }

    private final func disconnectTables() {
        for table in registry.allTables { table.disconnect() }
    }

    /// Drops every object and every table: after a reset, or when the coordinator changes.
    final func forgetEverything() {
        for object in registered() { object.die() }
        // Objects that left the context, but may come back by undo, are not registered any more.
        undoManager?.removeAllActions(withTarget: self)
        disconnectTables()
        let old = (registry, arrivals, saves)
        registry = registry.emptied
        _ = changes.removeAll()
        arrivals = Arrivals()
        saves = saves.afterReset
        batches = []
        targets.removeAll()
        withExtendedLifetime(old) {}
    }

    // MARK: Queues

    // What programs may override is declared here: methods of extensions cannot be overridden off Apple.

    /// Runs a block on the context's queue, later. Changes are processed when it ends; blocks run in order.
    open func perform(_ block: @escaping () -> Void) {
        let block = Unchecked(block)
        executor.async(self) { block.value() }
    }

    /// Runs a block on the context's queue and waits for it. May be nested.
    open func performAndWait(_ block: () -> Void) {
        executor.sync(self, block)
    }

    /// Deprecated by Apple; contexts are serialised by their queues.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    open func lock() {}
    /// Does nothing, as ``lock()`` does.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    open func unlock() {}
    /// Always returns true; does nothing.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    @discardableResult
    open func tryLock() -> Bool { true }

    // MARK: Fetching and finding

    /// Fetches without a result type.
    ///
    /// The typed form calls this one where a subclass overrides it.
    @_implements(UntypedFetching,untypedFetch(_:))
    @_disfavoredOverload
    open func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] { try fetchAny(request) }

    /// Counts without a result type.
    ///
    /// The typed form calls this one where a subclass overrides it.
    @_implements(UntypedFetching,untypedCount(for:))
    @_disfavoredOverload
    open func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        try countResults(of: request)
    }

    /// Runs a request of any kind: asynchronous fetches, batch and history requests.
    ///
    /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` for requests that have a function of their own, or that no
    ///   store understands; errors of the store.
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        try executeRequest(request)
    }

    /// The object of an ID if it is in memory. Reads nothing.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? { knownObject(for: objectID) }

    /// The object of an ID: the registered one, or a fault, which is not checked for existence until it is used.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject { objectOrFault(with: objectID) }

    /// The object of an ID, with its values loaded.
    ///
    /// - Throws: `NSManagedObjectReferentialIntegrityError` (133000) when there is no such row.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        try loadedObject(with: objectID)
    }

    /// Every object the context knows and the program holds.
    open var registeredObjects: Set<NSManagedObject> { Set(registered()) }

    // MARK: Editing

    /// Inserted and not saved yet.
    open var insertedObjects: Set<NSManagedObject> { unsavedInserts }
    /// Changed since they were fetched or saved last.
    open var updatedObjects: Set<NSManagedObject> { unsavedUpdates }
    /// To be deleted by the next save.
    open var deletedObjects: Set<NSManagedObject> { unsavedDeletes }
    /// Whether anything is inserted, updated or deleted. Cheap, however many objects there are.
    open var hasChanges: Bool { hasUnsavedChanges }

    /// Inserts an object made without a context, or takes back a deletion that is not saved yet.
    ///
    /// The object gets a temporary ID and `awakeFromInsert()`. Traps when it belongs to another context, or when its
    /// entity is abstract.
    open func insert(_ object: NSManagedObject) { insertObject(object) }

    /// Marks an object for deletion by the next save. A new object simply leaves the context.
    ///
    /// Delete rules are applied when changes are processed. Traps when the object belongs to another context.
    open func delete(_ object: NSManagedObject) { deleteObject(object) }

    /// Chooses the store a new object will be saved in. Traps for an object that was saved already.
    open func assign(_ object: Any, to store: NSPersistentStore) { assignObject(object, to: store) }

    /// Gives new objects their permanent IDs now instead of in the save. They stay inserted.
    ///
    /// In a child context, objects that were saved into the parent get their IDs there.
    ///
    /// - Throws: `NSPersistentStoreIncompleteSaveError` when no store takes an object; errors of the store.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws { try makePermanentIDs(for: objects) }

    /// Checks an unchanged object for conflicts in the next save.
    open func detectConflicts(for object: NSManagedObject) { lockObject(object) }

    /// Applies delete rules, registers undo, and posts what changed since the last time. Called at the end of
    /// `perform(_:)` blocks, on the main queue's next turn, and before fetches and saves.
    ///
    /// What observers of the notification change is processed the next time.
    open func processPendingChanges() {
        processChanges()
        tellOfPermanentIDs()
    }

    /// Brings an object up to date with the store (or the parent). Has no effect on deleted objects.
    ///
    /// - Parameters:
    ///   - object: an object of this context.
    ///   - flag: true keeps unsaved changes, laid over the fresh values; false drops them and makes the object a fault.
    ///     What was changed in its relationships is dropped on both sides, unless it is kept in the other object's row.
    ///     Transient attributes have their default values again.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) { refreshObject(object, mergeChanges: flag) }

    /// Brings every object up to date, keeping unsaved changes.
    open func refreshAllObjects() { refreshEveryObject() }

    /// Takes back the last group of changes, if an undo manager is set.
    open func undo() { undoLastGroup() }

    /// Repeats what was undone last.
    open func redo() { redoLastGroup() }

    /// Never called: there is no key-value observing off Apple. Declared for subclasses that override it.
    open func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [String: Any]?, context: UnsafeMutableRawPointer?
    ) {}

    // MARK: Saving and merging

    /// Writes all unsaved changes: to the stores in one transaction each, or into the parent context.
    ///
    /// Throws ``readError`` first if there is one: what could not be read is not taken for empty. Returns at once, and posts nothing, when there is nothing to write. Otherwise sends `willSave()` until nothing changes
    /// any more, validates every object, then writes. When it throws, neither the stores nor this context have changed; but
    /// where several stores are saved, those before the failing one have been.
    ///
    /// - Throws: Validation errors, several collected under `NSDetailedErrorsKey`; merge errors with the conflicts that the
    ///   merge policy left; errors of the store.
    open func save() throws { try saveChanges() }

    /// Takes back all unsaved changes: new objects leave, deleted ones are back, changed ones have their saved values.
    /// Forgets what could be undone.
    open func rollback() { rollBackChanges() }

    /// Forgets all objects and unsaved changes. Objects still held elsewhere read as nil from now on.
    open func reset() { resetObjects() }

    /// Takes over what another context saved, from its did-save notification (with objects or with object IDs).
    ///
    /// Objects changed here keep their changes; nothing becomes dirty. Call on this context's queue.
    open func mergeChanges(fromContextDidSave notification: Notification) { mergeSave(notification) }

    /// Takes over changes made elsewhere, described by object IDs (or their URIs) under `NSInsertedObjectsKey` and its
    /// relatives, in several contexts and those above them. May be called from any thread.
    open class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) { mergeRemote(changeNotificationData, into: contexts) }

    // MARK: Query generations

    /// The generation the context's reads are pinned to; nil for none, and always in a child context.
    ///
    /// `NSQueryGenerationToken.current` until the first read of a context that was pinned with it.
    open var queryGenerationToken: NSQueryGenerationToken? { pinnedToken }

    /// Pins what the context fetches, and the faults it fires, to one state of the stores; nil ends that.
    ///
    /// `NSQueryGenerationToken.current` chooses the state there is at the next read; another context's token shares that
    /// context's. Saving, merging changes and `reset()` move on to the then current state. Objects that are in memory
    /// keep their values: call ``refreshAllObjects()`` to see them as they were in that state.
    ///
    /// Works with SQLite stores in write-ahead mode; others are read as they are. A pinned state costs one connection to
    /// each store and keeps the write-ahead log from being emptied, so unpin contexts that are kept for long.
    ///
    /// - Throws: `NSPersistentStoreOperationError` for a child context, and for a token whose state is no longer held by any
    ///   context or token of this process, or belongs to other stores.
    open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws { try pin(to: generation) }

    // MARK: Hooks

    /// Called when the row of a fault is gone, not when it could not be read; see ``readError``. The default gives ``shouldDeleteInaccessibleFaults``: true makes the object read
    /// as deleted, with nil values; false stops the program.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
    ) -> Bool { shouldDeleteInaccessibleFaults }

    open override var description: String {
        "<\(Swift.type(of: self)): 0x\(String(UInt(bitPattern: ObjectIdentifier(self).hashValue), radix: 16))>\(name.map { " \"\($0)\"" } ?? "")"
    }
}

/// An object that is not kept alive.
struct WeakObject {
    weak var object: NSManagedObject?
}

/// The kinds of queue a context is bound to.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// Bound to the thread that made it. Deprecated by Apple.
    case confinementConcurrencyType = 0
    /// A queue of the context's own: work in `perform(_:)` and `performAndWait(_:)`.
    case privateQueueConcurrencyType = 1
    /// The main queue: the main thread may use the context directly.
    case mainQueueConcurrencyType = 2
}
