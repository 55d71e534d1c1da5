import CoreData

extension MagicalRecord {
    /// The default stack, and the pieces the legacy functions let callers install one by one.
    struct Defaults {
        var stack: Stack?
        var model: NSManagedObjectModel?
        var coordinator: NSPersistentStoreCoordinator?
        var store: NSPersistentStore?

        init(_ stack: Stack? = nil) {
            self.stack = stack
            model = stack?.model
            coordinator = stack?.coordinator
            store = stack?.stores.first
        }
    }

    /// What the program has, or what the task has where it runs in ``withDefaultStack(_:isolation:_:)``.
    static var defaults: Locked<Defaults> { TaskDefaults.current ?? programDefaults }

    private static let programDefaults = Locked(Defaults())

    /// Held while the default stack is being built, so that two threads cannot both build one.
    static let setUpLock = NSLock()

    /// Sets up the default stack with one store.
    ///
    /// - Parameters:
    ///   - store: the store; by default SQLite, named after the program, in Application Support.
    ///   - shape: how the contexts hang together.
    ///   - migration: what to do with a store of another model.
    ///   - model: where the model comes from; by default all models of the main bundle.
    ///   - mergePolicy: what becomes of a save when another context or process has changed one of its rows since it was
    ///     read, or has a row with the same unique values. By default, as everywhere in Core Data, it fails and overwrites
    ///     nothing.
    /// - Returns: the new default stack.
    /// - Throws: ``MagicalRecordError/Code/alreadySetUp`` when there is a default stack (tear it down first),
    ///   ``MagicalRecordError/Code/modelNotFound``, or Core Data's error for the store. Nothing is left behind.
    @discardableResult
    public static func setUp(
        _ store: Store = .sqlite, shape: Shape = .rootSaving, migration: Migration = .automatic,
        model: ModelSource = .merged, mergePolicy: NSMergePolicy = .error
    ) throws -> Stack {
        try setUp([store], shape: shape, migration: migration, model: model, mergePolicy: mergePolicy)
    }

    /// Sets up the default stack with several stores, one for each configuration of the model.
    @discardableResult
    public static func setUp(
        _ stores: [Store], shape: Shape = .rootSaving, migration: Migration = .automatic,
        model: ModelSource = .merged, mergePolicy: NSMergePolicy = .error
    ) throws -> Stack {
        setUpLock.lock()
        defer { setUpLock.unlock() }
        try Cancellation.current?.check()
        guard defaultStack == nil else {
            throw MagicalRecordError(
                .alreadySetUp, "A default stack exists already.",
                advice: "Tear it down first (MagicalRecord.tearDown()), or make a MagicalRecord.Stack of its own.")
        }
        let stack = try Stack(stores, shape: shape, migration: migration, model: model, mergePolicy: mergePolicy)
        setDefaultStack(stack)
        return stack
    }

    /// As ``setUp(_:shape:migration:model:mergePolicy:)-(MagicalRecord.Store,_,_,_,_)``, on a background thread: for stores whose migration
    /// takes long.
    ///
    /// In a cancelled task it does not begin. Cancelling the task cancels a migration by `Migration.through`; one that Core Data
    /// makes by itself goes on to its end.
    ///
    /// - Throws: also `CancellationError`, when the task was cancelled before it began, and
    ///   ``MagicalRecordError/Code/cancelled`` for a migration that was cancelled; the store stays as it was.
    @discardableResult
    public static func setUpInBackground(
        _ store: Store = .sqlite, shape: Shape = .rootSaving, migration: Migration = .automatic,
        model: ModelSource = .merged, mergePolicy: NSMergePolicy = .error
    ) async throws -> Stack {
        let mergePolicy = Unchecked(mergePolicy)
        let (cancellation, defaults) = (Cancellation(), TaskDefaults.current)
        let setUp: @Sendable () throws -> Stack = {
            try TaskDefaults.$current.withValue(defaults) {
                try Cancellation.$current.withValue(cancellation) {
                    try self.setUp(
                        store, shape: shape, migration: migration, model: model, mergePolicy: mergePolicy.value)
                }
            }
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global(qos: .userInitiated).async { continuation.resume(with: Result(catching: setUp)) }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// The stack that functions without a context mean, or `nil` before set-up.
    public static var defaultStack: Stack? { defaults.withLock { $0.stack } }

    /// Makes a stack the default one, or none. The stack that was the default before stays open.
    public static func setDefaultStack(_ stack: Stack?) {
        defaults.withLock { $0 = Defaults(stack) }
    }

    /// The default stack.
    ///
    /// - Throws: ``MagicalRecordError/Code/notSetUp``.
    public static func requireStack() throws -> Stack {
        guard let stack = defaultStack else {
            throw MagicalRecordError(
                .notSetUp, "There is no default stack.", advice: "Call try MagicalRecord.setUp() first.")
        }
        return stack
    }

    /// Tears the default stack down and forgets it. Does nothing when there is none.
    ///
    /// See ``Stack/tearDown(deletingStores:)-swift.method`` for what that means and waits for. Posts
    /// `Notification.Name.magicalRecordCleanedUp` at the end.
    public static func tearDown(deletingStores: Bool = false) async throws {
        let stack = takeStack()
        try await stack?.tearDown(deletingStores: deletingStores)
        NotificationCenter.default.post(name: .magicalRecordCleanedUp, object: nil)
    }

    /// As ``tearDown(deletingStores:)``, blocking the thread until everything has ended.
    ///
    /// - Throws: See ``Stack/tearDownAndWait(deletingStores:)``. With ``MagicalRecordError/Code/savesRunning`` the stack
    ///   stays the default one.
    public static func tearDownAndWait(deletingStores: Bool = false) throws {
        let stack = defaultStack
        let isClosed = try stack?.closeAndWait() ?? false
        forget(stack)
        if isClosed { try stack?.emptyAndCloseStores(deleting: deletingStores) }
        NotificationCenter.default.post(name: .magicalRecordCleanedUp, object: nil)
    }

    /// Forgets that stack and what belongs to it, unless another has become the default one.
    private static func forget(_ stack: Stack?) {
        defaults.withLock { defaults in
            if defaults.stack === stack { defaults = Defaults() }
        }
    }

    /// Forgets the default stack, and returns it.
    static func takeStack() -> Stack? {
        defaults.withLock { defaults in
            let stack = defaults.stack
            defaults = Defaults()
            return stack
        }
    }
}

extension NSNotification.Name {
    /// Posted when the default stack has been torn down, on the thread that did it.
    public static let magicalRecordCleanedUp = NSNotification.Name("kMagicalRecordCleanedUpNotification")
}
