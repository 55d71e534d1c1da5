import CoreDataRuntimeSupport
import Synchronization

/// A working set of managed objects: fetches them, tracks their changes, and saves the changes as a unit.
///
/// A context is bound to a private queue or the main queue; it and its objects may be accessed on that queue only, through
/// `perform(_:)` and `performAndWait(_:)`. Within a context each row has one object. A context reads from and saves to a
/// coordinator, or to a parent context, which then holds the changes until it is saved itself.
///
/// The context itself may be passed between threads, and so may object IDs. Objects may not.
open class NSManagedObjectContext: NSObject, UntypedFetching, @unchecked Sendable {
    /// The kind of queue that a context is bound to.
    public struct ConcurrencyType: RawRepresentable, Hashable, Sendable {
        /// The corresponding Objective-C constant.
        public let rawValue: NSManagedObjectContextConcurrencyType
        /// Creates the kind of queue that corresponds to an Objective-C constant.
        public init(rawValue: NSManagedObjectContextConcurrencyType) { self.rawValue = rawValue }
        /// A private queue.
        public static let privateQueue = ConcurrencyType(rawValue: .privateQueueConcurrencyType)
        /// The main queue.
        public static let mainQueue = ConcurrencyType(rawValue: .mainQueueConcurrencyType)
    }

    /// The time at which the async form of `perform` runs its block.
    public enum ScheduledTaskType: Hashable, Sendable {
        /// Runs the block immediately if the caller is already on the context's queue.
        case immediate
        /// Runs the block after everything enqueued before.
        case enqueued
    }

    /// The kind of queue that the context is bound to.
    open var concurrencyType: NSManagedObjectContextConcurrencyType { queueKind }
    final let queueKind: NSManagedObjectContextConcurrencyType
    /// True if this is not a subclass, so that overridable methods need not be called.
    final let isPlain: Bool
    /// True while a typed fetch or count calls an override of the untyped one.
    @exclusivity(unchecked) final var isDelegating = false
    final let executor: ContextQueue

    // MARK: Settings

    /// The settings that may be accessed on any thread.
    final let settings = Locked(ContextSettings())

    /// A label for debugging; also the context's name in persistent history. May be set on any thread.
    open var name: String? {
        get { settings.withLock { $0.name } }
        set { settings.withLock { $0.name = newValue } }
    }
    /// A dictionary for the application. Core Data ignores it.
    open var userInfo: NSMutableDictionary { madeUserInfo.value { NSMutableDictionary() } }
    private final let madeUserInfo = MadeOnce<NSMutableDictionary>()
    /// The policy that resolves conflicts in a save: an ``NSMergePolicy``. Fails the save by default. May be set on any thread.
    open var mergePolicy: Any {
        get { settings.withLock { $0.mergePolicy } }
        set {
            guard var policy = newValue as? NSMergePolicy else {
                preconditionFailure("A context's merge policy must be an NSMergePolicy or a subclass of it.")
            }
            settings.withLock { swap(&$0.mergePolicy, &policy) }
        }
    }
    /// Whether saves of other contexts to the store or the parent are merged automatically. May be set on any thread.
    open var automaticallyMergesChangesFromParent: Bool {
        get { settings.withLock { $0.mergesChanges } }
        set {
            settings.withLock { $0.mergesChanges = newValue }
            if newValue { ContextMerging.note() }
        }
    }
    /// The undo manager that records changes, or nil. Each change-processing pass is one undo group, unless a group is open
    /// already. May be set on any thread; undo and redo must be called on the context's queue.
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
    /// Whether an object with a deleted row reads as deleted, with nil values. If false, accessing it traps.
    open var shouldDeleteInaccessibleFaults: Bool {
        get { settings.withLock { $0.deletesInaccessibleFaults } }
        set { settings.withLock { $0.deletesInaccessibleFaults = newValue } }
    }
    /// Whether the context retains unchanged objects, too.
    @exclusivity(unchecked) open var retainsRegisteredObjects = false {
        didSet {
            registry.releaseAll()
            if retainsRegisteredObjects { registry.retain(registered()) }
            for table in registry.allTables { table.retainsObjects = retainsRegisteredObjects }
        }
    }
    /// Whether delete rules are applied whenever changes are processed, rather than in the save only.
    open var propagatesDeletesAtEndOfEvent: Bool {
        get { settings.withLock { $0.propagatesDeletes } }
        set { settings.withLock { $0.propagatesDeletes = newValue } }
    }
    /// The maximum age in seconds of a fault's values: negative for any age, 0 to read again whenever a fault fires.
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

    /// The context that this one fetches from and saves to instead of a coordinator. Set it once.
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
    /// A weak reference to this context for others.
    final let handle = WeakHandle<NSManagedObjectContext>()

    // MARK: Objects

    /// True if all objects are plain `NSManagedObject`s, whatever class their entity names, as in a migration.
    @exclusivity(unchecked) final var makesPlainObjects = false

    /// The registered objects and their IDs.
    @exclusivity(unchecked) final var registry = ObjectRegistry()
    /// The changes since the last save and the last change-processing pass.
    @exclusivity(unchecked) final var changes = ChangeTracker()
    /// The state needed by saves.
    @exclusivity(unchecked) final var saves = SaveState()
    /// The changes received from the parent and other contexts.
    @exclusivity(unchecked) final var arrivals = Arrivals()
    /// The notification being posted. While it is, observers may ask objects for their previous values.
    @exclusivity(unchecked) final var reportedNotice: ChangeNotice?
    /// The tracked reads of objects with `Observable` classes; nil until the first.
    @exclusivity(unchecked) final var observedReads: ObservedReads?
    // Buffers that a save or a change-processing pass needs, kept empty for reuse.
    @exclusivity(unchecked) final var spareContents = SpareContents()
    /// Permanent IDs from the parent that this context has not applied yet.
    final let mailbox = ChildMailbox()
    /// Stores removed from the coordinator with objects not invalidated yet.
    final let removals = StoreRemovals()
    @exclusivity(unchecked) final var batches: [BatchedResult] = []
    /// The fetches and relationships that objects were loaded through, recorded while instruments are on.
    @exclusivity(unchecked) final var ways: ObjectWays?
    @exclusivity(unchecked) final var targets = FetchTargets()
    /// The sink of the last fetch, for reuse. nil while a fetch uses it.
    @exclusivity(unchecked) final var spareSink: FetchSink?
    /// The blocks to call when temporary IDs have become permanent.
    @exclusivity(unchecked) final var permanentIDWaiters = PermanentIDWaiters()
    /// The query generation that reads are pinned to; see ``setQueryGenerationFrom(_:)``.
    @exclusivity(unchecked) final var pin: GenerationPin?
    /// The sessions with the stores, unless the context works inside a block of another context.
    @exclusivity(unchecked) final var sessions = StoreSessions()
    /// The collector of unknown keys while an expression is evaluated.
    @exclusivity(unchecked) final var undefinedKeys: UndefinedKeys?
    /// The errors of reads that could not throw them; see ``readError``.
    @exclusivity(unchecked) final var readErrors = ReadErrors()
    /// The error of the first value that was read as nil because its external file is missing; migrations report it.
    final var missingValue: (any Error)?
    /// Mutable collections of ordered relationships with members to be read again.
    @exclusivity(unchecked) final var staleViews: [WeakView] = []
    /// True if there have been such collections.
    @exclusivity(unchecked) final var hasViews = false
    /// The asynchronous fetch that is running.
    final var asynchronousRun: AsynchronousRun?
    /// True while fetches of more than 100 rows, or of an unlimited number, throw `CancellationError` when the calling task is
    /// cancelled. False by default, because Apple's framework ignores tasks.
    package final var endsFetchesWithTask = false
    final lazy var undoRecorder = UndoRecorder(self)

    // MARK: Creating contexts

    /// Creates a context without coordinator or parent.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        queueKind = ct
        isPlain = Self.self == NSManagedObjectContext.self
        executor = ContextQueue(ct)
        super.init()
        handle.set(self)
        // An override of `automaticallyMergesChangesFromParent` cannot be observed.
        if !isPlain { ContextMerging.note() }
    }

    /// Creates a context without coordinator or parent.
    public convenience init(_ type: ConcurrencyType) { self.init(concurrencyType: type.rawValue) }

    /// Creates a context bound to the current thread. Deprecated by Apple.
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

    /// Invalidates all objects and drops all tables, for a reset or a change of the coordinator.
    final func forgetEverything() {
        for object in registered() { object.detachFromContext() }
        // Objects that left the context, but can be restored by undo, are no longer registered.
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

    // Overridable functions are declared here, because methods of extensions cannot be overridden off Apple's platforms.

    /// Runs a block asynchronously on the context's queue. Blocks run in order; changes are processed at the end of each.
    open func perform(_ block: @escaping () -> Void) {
        let block = Unchecked(block)
        executor.async(self) { block.value() }
    }

    /// Runs a block on the context's queue and waits for it. Calls may be nested.
    open func performAndWait(_ block: () -> Void) {
        executor.sync(self, block)
    }

    /// Does nothing. Deprecated by Apple; contexts are serialized by their queues.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    open func lock() {}
    /// Does nothing, as ``lock()`` does.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    open func unlock() {}
    /// Returns true; does nothing.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    @discardableResult
    open func tryLock() -> Bool { true }

    // MARK: Fetching and finding

    /// Fetches the results of a request without their static type.
    ///
    /// The typed form calls this function if a subclass overrides it.
    @_implements(UntypedFetching,untypedFetch(_:))
    @_disfavoredOverload
    open func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] { try fetchAny(request) }

    /// Counts the results of a request without their static type.
    ///
    /// The typed form calls this function if a subclass overrides it.
    @_implements(UntypedFetching,untypedCount(for:))
    @_disfavoredOverload
    open func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        try countResults(of: request)
    }

    /// Executes a request: an asynchronous fetch, a batch request or a history request.
    ///
    /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` for requests that have a separate function, or that no store
    ///   supports; errors of the store.
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        try executeRequest(request)
    }

    /// Returns the object with an ID if it is registered, or nil. Reads nothing.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? { knownObject(for: objectID) }

    /// Returns the object with an ID: the registered one, or a fault, which is not checked for existence until it is accessed.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject { objectOrFault(with: objectID) }

    /// Returns the object with an ID, with its values loaded. Reads the store if it is a fault.
    ///
    /// - Throws: `NSManagedObjectReferentialIntegrityError` (133000) if there is no such row; errors of the store.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        try loadedObject(with: objectID)
    }

    /// The objects that are registered with the context and still in memory.
    open var registeredObjects: Set<NSManagedObject> { Set(registered()) }

    // MARK: Editing

    /// The objects inserted since the last save.
    open var insertedObjects: Set<NSManagedObject> { unsavedInserts }
    /// The objects changed since they were fetched or last saved.
    open var updatedObjects: Set<NSManagedObject> { unsavedUpdates }
    /// The objects that the next save deletes.
    open var deletedObjects: Set<NSManagedObject> { unsavedDeletes }
    /// Whether any object is inserted, updated or deleted. O(1) in most cases.
    open var hasChanges: Bool { hasUnsavedChanges }

    /// Inserts an object created without a context, or cancels an unsaved deletion.
    ///
    /// The object gets a temporary ID, and its `awakeFromInsert()` is called. Traps if it belongs to another context, or its
    /// entity is abstract.
    open func insert(_ object: NSManagedObject) { insertObject(object) }

    /// Marks an object for deletion by the next save. A new object is removed from the context.
    ///
    /// Delete rules are applied when changes are processed. Traps if the object belongs to another context.
    open func delete(_ object: NSManagedObject) { deleteObject(object) }

    /// Assigns the store that a new object will be saved to. Traps for an object that was already saved.
    open func assign(_ object: Any, to store: NSPersistentStore) { assignObject(object, to: store) }

    /// Assigns permanent IDs to new objects now instead of in the save. The objects stay inserted.
    ///
    /// In a child context, objects that were saved into the parent get their IDs there.
    ///
    /// - Throws: `NSPersistentStoreIncompleteSaveError` if no store accepts an object; errors of the store.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws { try makePermanentIDs(for: objects) }

    /// Includes an unchanged object in the conflict detection of the next save.
    open func detectConflicts(for object: NSManagedObject) { lockObject(object) }

    /// Applies delete rules, registers undo actions, and posts the changes since the last call. Called at the end of
    /// `perform(_:)` blocks, on the next iteration of the main queue, and before fetches and saves.
    ///
    /// Changes made by observers of the notification are processed in the next pass.
    open func processPendingChanges() {
        processChanges()
        tellOfPermanentIDs()
    }

    /// Updates an object from the store (or the parent). Has no effect on deleted objects.
    ///
    /// - Parameters:
    ///   - object: An object of this context.
    ///   - flag: True keeps unsaved changes on top of the new values; false discards them and turns the object into a fault.
    ///     Its relationship changes are discarded on both sides, except those stored in the rows of other objects. Transient
    ///     attributes are reset to their default values.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) { refreshObject(object, mergeChanges: flag) }

    /// Updates all objects from the store (or the parent), keeping unsaved changes.
    open func refreshAllObjects() { refreshEveryObject() }

    /// Reverts the last undo group, if an undo manager is set.
    open func undo() { undoLastGroup() }

    /// Reapplies the group that was undone last.
    open func redo() { redoLastGroup() }

    /// Does nothing and is never called, because there is no key-value observing off Apple's platforms. Declared for subclasses
    /// that override it.
    open func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [String: Any]?, context: UnsafeMutableRawPointer?
    ) {}

    // MARK: Saving and merging

    /// Writes all unsaved changes: to each store in one transaction, or into the parent context.
    ///
    /// Throws ``readError`` first if it is set, because placeholders must not be saved. Calls `willSave()` until no further
    /// changes are made, validates every object, then writes. Without changes nothing is written, but the save notifications
    /// are posted, as by Apple's framework. If it throws, neither the stores nor this context have changed; with several
    /// stores, those before the failing one have been saved.
    ///
    /// - Throws: Validation errors, several of them under `NSDetailedErrorsKey`; merge errors with the conflicts that the merge
    ///   policy did not resolve; errors of the store.
    open func save() throws { try saveChanges() }

    /// Discards all unsaved changes: inserted objects are removed, deleted ones restored, changed ones get their saved values.
    /// Clears the undo stack.
    open func rollback() { rollBackChanges() }

    /// Removes all objects and unsaved changes. Objects that the program still retains read as nil afterwards.
    open func reset() { resetObjects() }

    /// Merges the changes of another context's save from its did-save notification (with objects or with object IDs).
    ///
    /// Objects changed here keep their changes; no object becomes dirty. Must be called on this context's queue.
    open func mergeChanges(fromContextDidSave notification: Notification) { mergeSave(notification) }

    /// Merges changes made elsewhere, given as object IDs (or their URIs) under `NSInsertedObjectsKey` and related keys, into
    /// several contexts and their ancestors. May be called on any thread.
    open class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) { mergeRemote(changeNotificationData, into: contexts) }

    // MARK: Query generations

    /// The query generation that the context's reads are pinned to; nil for none, and always nil in a child context.
    ///
    /// Equals `NSQueryGenerationToken.current` until the first read of a context pinned to that.
    open var queryGenerationToken: NSQueryGenerationToken? { pinnedToken }

    /// Pins the context's fetches and faults to one state of the stores; nil unpins them.
    ///
    /// `NSQueryGenerationToken.current` selects the state at the next read; another context's token shares that context's
    /// state. Saving, merging changes and `reset()` advance to the current state. Objects in memory keep their values: call
    /// ``refreshAllObjects()`` to see them as of the pinned state.
    ///
    /// Supports SQLite stores in write-ahead mode; others are read unpinned. A pinned state costs one connection to each store
    /// and keeps the write-ahead log from being checkpointed, so unpin long-lived contexts.
    ///
    /// - Throws: `NSPersistentStoreOperationError` for a child context, and for a token with a state that no context or token
    ///   of this process holds any longer, or that belongs to other stores.
    open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws { try pin(to: generation) }

    // MARK: Hooks

    /// Called when the row of a fault was deleted, but not when it could not be read; see ``readError``. Returns
    /// ``shouldDeleteInaccessibleFaults`` by default: true makes the object read as deleted, with nil values; false stops the
    /// program.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
    ) -> Bool { shouldDeleteInaccessibleFaults }

    open override var description: String {
        "<\(Swift.type(of: self)): 0x\(String(UInt(bitPattern: ObjectIdentifier(self).hashValue), radix: 16))>\(name.map { " \"\($0)\"" } ?? "")"
    }
}

/// A weak reference to an object.
struct WeakObject {
    weak var object: NSManagedObject?
}

/// The kinds of queue that a context can be bound to.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// The thread that created the context. Deprecated by Apple.
    case confinementConcurrencyType = 0
    /// A private queue: access the context in `perform(_:)` and `performAndWait(_:)`.
    case privateQueueConcurrencyType = 1
    /// The main queue: the main thread may access the context directly.
    case mainQueueConcurrencyType = 2
}
