import CoreData

extension MagicalRecord {
    /// The default stack, and the parts that the legacy functions install separately.
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

    /// The defaults of the task inside ``withDefaultStack(_:isolation:_:)``, otherwise those of the program.
    static var defaults: Locked<Defaults> { TaskDefaults.current ?? programDefaults }

    private static let programDefaults = Locked(Defaults())

    /// Held while the default stack is being built, so that concurrent calls build one stack.
    static let setUpLock = NSLock()

    /// Sets up the default stack with one store.
    ///
    /// - Parameters:
    ///   - store: the store; by default SQLite, named after the program, in Application Support.
    ///   - shape: the arrangement of the contexts.
    ///   - migration: the migration policy for a store of another model version.
    ///   - model: the source of the model; by default all models of the main bundle.
    ///   - mergePolicy: the policy for a save when another context or process has changed one of its rows since it was read, or
    ///     has a row with the same unique values. By default, as everywhere in Core Data, the save fails and overwrites
    ///     nothing.
    /// - Returns: the new default stack.
    /// - Throws: ``MagicalRecordError/Code/alreadySetUp`` if there is a default stack (tear it down first),
    ///   ``MagicalRecordError/Code/modelNotFound``, or Core Data's error for the store. Nothing has changed then.
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

    /// Sets up the default stack as ``setUp(_:shape:migration:model:mergePolicy:)-(MagicalRecord.Store,_,_,_,_)``, on a
    /// background thread: for stores with long migrations.
    ///
    /// Does not begin in a cancelled task. Cancelling the task cancels a migration by `Migration.through`; Core Data's
    /// automatic migration runs to its end.
    ///
    /// - Throws: the errors of `setUp`; `CancellationError` if the task was cancelled before the set-up began;
    ///   ``MagicalRecordError/Code/cancelled`` for a cancelled migration, which leaves the store unchanged.
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

    /// The stack used by functions called without a context, or nil before set-up.
    public static var defaultStack: Stack? { defaults.withLock { $0.stack } }

    /// Replaces the default stack; nil removes it. The previous default stack stays open.
    public static func setDefaultStack(_ stack: Stack?) {
        defaults.withLock { $0 = Defaults(stack) }
    }

    /// Returns the default stack.
    ///
    /// - Throws: ``MagicalRecordError/Code/notSetUp`` if there is none.
    public static func requireStack() throws -> Stack {
        guard let stack = defaultStack else {
            throw MagicalRecordError(
                .notSetUp, "There is no default stack.", advice: "Call try MagicalRecord.setUp() first.")
        }
        return stack
    }

    /// Tears the default stack down and removes it. Without a default stack, only posts the notification.
    ///
    /// See ``Stack/tearDown(deletingStores:)-swift.method`` for the steps and what it waits for. Posts
    /// `Notification.Name.magicalRecordCleanedUp` at the end.
    public static func tearDown(deletingStores: Bool = false) async throws {
        let stack = takeStack()
        try await stack?.tearDown(deletingStores: deletingStores)
        NotificationCenter.default.post(name: .magicalRecordCleanedUp, object: nil)
    }

    /// Tears the default stack down as ``tearDown(deletingStores:)``, blocking the thread until all work has ended.
    ///
    /// - Throws: see ``Stack/tearDownAndWait(deletingStores:)``. After ``MagicalRecordError/Code/savesRunning`` the stack is
    ///   still the default one.
    public static func tearDownAndWait(deletingStores: Bool = false) throws {
        let stack = defaultStack
        let isClosed = try stack?.closeAndWait() ?? false
        forget(stack)
        if isClosed { try stack?.emptyAndCloseStores(deleting: deletingStores) }
        NotificationCenter.default.post(name: .magicalRecordCleanedUp, object: nil)
    }

    /// Removes the defaults, unless another stack has become the default one.
    private static func forget(_ stack: Stack?) {
        defaults.withLock { defaults in
            if defaults.stack === stack { defaults = Defaults() }
        }
    }

    /// Removes the default stack and returns it.
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
