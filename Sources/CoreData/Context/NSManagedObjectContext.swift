import Synchronization

/// A scratchpad for objects: fetches them, tracks their changes, and saves the changes as one unit.
///
/// A context is bound to a queue, its own or the main one; it and its objects may be touched there only, by
/// ``perform(_:)`` and its relatives. Within a context one row is one object. A context reads from and saves to a
/// coordinator, or to a parent context, which then holds the changes until it is saved itself.
///
/// The context itself may be passed between threads; so may object IDs. Objects may not.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    /// The kind of queue a context is bound to.
    public struct ConcurrencyType: RawRepresentable, Hashable, Sendable {
        public let rawValue: NSManagedObjectContextConcurrencyType
        public init(rawValue: NSManagedObjectContextConcurrencyType) { self.rawValue = rawValue }
        /// A queue of the context's own.
        public static let privateQueue = ConcurrencyType(rawValue: .privateQueueConcurrencyType)
        /// The main queue.
        public static let mainQueue = ConcurrencyType(rawValue: .mainQueueConcurrencyType)
    }

    /// When the async form of ``perform(schedule:_:)`` runs its block.
    public enum ScheduledTaskType: Hashable, Sendable {
        /// At once if the caller is on the context's queue already.
        case immediate
        /// After everything enqueued before.
        case enqueued
    }

    /// The kind of queue the context works on.
    public final let concurrencyType: NSManagedObjectContextConcurrencyType
    final let executor: ContextQueue

    // MARK: Settings

    /// A label for debugging; also the context's name in persistent history.
    @exclusivity(unchecked) open var name: String?
    /// Free for use by the application.
    public final var userInfo: NSMutableDictionary { madeUserInfo.value { NSMutableDictionary() } }
    private final let madeUserInfo = MadeOnce<NSMutableDictionary>()
    /// What to do about conflicts in a save: an ``NSMergePolicy``.
    open var mergePolicy: Any = NSMergePolicy.error {
        didSet {
            precondition(
                mergePolicy is NSMergePolicy, "A context's merge policy must be an NSMergePolicy or a subclass of it.")
        }
    }
    /// Whether saves by other contexts, to the store or to the parent, are merged in as they happen.
    open var automaticallyMergesChangesFromParent = false {
        didSet { if automaticallyMergesChangesFromParent { ContextMerging.note() } }
    }
    /// Records changes for undo when set. Every processing of pending changes is one group, unless a group is open already.
    @exclusivity(unchecked) open var undoManager: UndoManager? {
        didSet { if oldValue !== undoManager { oldValue?.removeAllActions(withTarget: self) } }
    }
    /// Whether an object whose row has gone reads as deleted, with nil values. If false, touching it traps.
    open var shouldDeleteInaccessibleFaults = true
    /// Keeps unchanged objects alive, too.
    @exclusivity(unchecked) open var retainsRegisteredObjects = false {
        didSet {
            retained = retainsRegisteredObjects ? registeredObjects : []
            for table in allTables { table.retainsObjects = retainsRegisteredObjects }
        }
    }
    /// Whether delete rules are applied when changes are processed, or only in the save.
    @exclusivity(unchecked) open var propagatesDeletesAtEndOfEvent = true
    /// How old the values of a fault may be, in seconds: negative for any age, 0 to read anew whenever a fault fires.
    open var stalenessInterval: TimeInterval = -1 {
        didSet { for table in allTables { table.limitsAge = stalenessInterval >= 0 } }
    }
    /// The author of this context's transactions in persistent history.
    @exclusivity(unchecked) open var transactionAuthor: String?

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
                newValue?.concurrencyType != .confinementConcurrencyType,
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

    /// Objects with permanent IDs, by store.
    @exclusivity(unchecked) final var tables: [ContextTables] = []
    /// Objects not saved yet.
    @exclusivity(unchecked) final var unsaved = ContextTables(store: nil)
    @exclusivity(unchecked) final var temporaryKeys = TemporaryKeys()
    @exclusivity(unchecked) final var arena = RowArena()
    /// The class objects were last made of, and its entity: programs make many objects of one class in a row.
    @exclusivity(unchecked) final var lastMade: (type: ObjectIdentifier, entity: NSEntityDescription)?
    /// The table, one of ``unsaved``, of the object inserted last.
    @exclusivity(unchecked) final var lastInserted: Unmanaged<EntityTable>?
    /// Objects with unsaved changes, each once, and some that have none any more; see ``changedObjects``.
    @exclusivity(unchecked) final var changed: ContiguousArray<NSManagedObject> = []
    /// Objects that changed since changes were last processed, each once.
    @exclusivity(unchecked) final var event: ContiguousArray<NSManagedObject> = []
    /// Newly deleted objects whose delete rules have not been applied.
    @exclusivity(unchecked) final var deletions: ContiguousArray<NSManagedObject> = []
    /// Objects refreshed, or brought in by a merge, since changes were last processed.
    @exclusivity(unchecked) final var eventRefreshed: ContiguousArray<NSManagedObject> = []
    @exclusivity(unchecked) final var eventMergedInserts: ContiguousArray<NSManagedObject> = []
    @exclusivity(unchecked) final var eventMergedDeletes: ContiguousArray<NSManagedObject> = []
    @exclusivity(unchecked) final var isProcessing = false
    @exclusivity(unchecked) final var isSaving = false
    /// In a save, what was last reported as changed, as long as nothing has changed since: the save reports much the same.
    @exclusivity(unchecked) final var lastNotice: ChangeNotice?
    // What a save or an event needs for a while, kept empty for the next one.
    @exclusivity(unchecked) final var spareNotice: ChangeNotice?
    @exclusivity(unchecked) final var spareIdentifiers = NoticeSets<NSManagedObjectID>()
    @exclusivity(unchecked) final var spareEvent: ContiguousArray<NSManagedObject> = []
    @exclusivity(unchecked) final var spareChanged: ContiguousArray<NSManagedObject> = []
    @exclusivity(unchecked) final var sparePlans: [SavePlan] = []
    @exclusivity(unchecked) final var keepsNotice = false
    @exclusivity(unchecked) final var spareContents = SpareContents()
    @exclusivity(unchecked) final var processingIsScheduled = false
    @exclusivity(unchecked) final var retained: Set<NSManagedObject> = []
    @exclusivity(unchecked) final var locked: Set<NSManagedObject> = []
    /// What became of temporary IDs.
    @exclusivity(unchecked) final var identities = IdentityChanges()
    /// Permanent IDs from the parent that this context has not taken over yet.
    final let mailbox = IdentityMailbox()
    /// Stores that left the coordinator, whose objects are still to be invalidated.
    final let removals = StoreRemovals()
    /// Stores that left the coordinator while this context used it: faults of theirs cannot fire.
    @exclusivity(unchecked) final var lostStores: [any RowStore] = []
    /// Objects whose rows, copied from the parent, lead to objects that are not saved yet.
    final var lentWithTemporaries: ContiguousArray<WeakObject> = []
    /// Rows may name objects by keys that are outdated: looked after in the next save.
    @exclusivity(unchecked) final var needsResolving = false
    @exclusivity(unchecked) final var batches: [BatchedResult] = []
    @exclusivity(unchecked) final var targets = FetchTargets()
    /// The sink of the last fetch, for the next one. A fetch at work has it.
    @exclusivity(unchecked) final var spareSink: FetchSink?
    /// What reads are pinned to; see ``setQueryGenerationFrom(_:)``.
    @exclusivity(unchecked) final var pin: GenerationPin?
    /// While expressions of others are evaluated: where unknown keys are noted.
    @exclusivity(unchecked) final var undefinedKeys: UndefinedKeys?
    /// Views of ordered relationships whose members are to be read anew.
    @exclusivity(unchecked) final var staleViews: [WeakView] = []
    /// Whether there have been such views.
    @exclusivity(unchecked) final var hasViews = false
    /// Of the asynchronous fetch that is running.
    final var asynchronousProgress: Progress?
    final lazy var undoRecorder = UndoRecorder(self)

    // MARK: Making contexts

    /// Makes a context without coordinator or parent.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        concurrencyType = ct
        executor = ContextQueue(ct)
        super.init()
        handle.set(self)
        // A subclass may say so in a way that cannot be noticed.
        if Swift.type(of: self) != NSManagedObjectContext.self { ContextMerging.note() }
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
        for table in allTables { table.disconnect() }
    }

    private final var allTables: [EntityTable] { (tables + [unsaved]).flatMap(\.tables) }

    /// Drops every object and every table: after a reset, or when the coordinator changes.
    final func forgetEverything() {
        for object in registered() { object.die() }
        // Objects that left the context, but may come back by undo, are not registered any more.
        undoManager?.removeAllActions(withTarget: self)
        disconnectTables()
        tables = []
        unsaved = ContextTables(store: nil)
        lostStores = []
        lastMade = nil
        lastInserted = nil
        changed = []
        event = []
        deletions = []
        eventRefreshed = []
        eventMergedInserts = []
        eventMergedDeletes = []
        retained = []
        locked = []
        batches = []
        targets.removeAll()
        identities = IdentityChanges()
        lentWithTemporaries = []
        sparePlans = []
        needsResolving = false
        arena = RowArena()
    }

    /// Called when the row of a fault is gone. The default gives ``shouldDeleteInaccessibleFaults``: true makes the object read
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
