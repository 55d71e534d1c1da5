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

    /// Sets up the default stack with one store: by default SQLite, named after the program, in Application Support. The other
    /// arguments are those of ``Stack/init(_:shape:migration:model:mergePolicy:)``.
    ///
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
    /// Cancelling the task cancels a migration by `Migration.through`; Core Data's automatic migration runs to its end.
    ///
    /// - Throws: also `CancellationError` if the task was cancelled before the set-up began;
    ///   ``MagicalRecordError/Code/cancelled`` for a cancelled migration, which leaves the store unchanged.
    @discardableResult
    public static func setUpInBackground(
        _ store: Store = .sqlite, shape: Shape = .rootSaving, migration: Migration = .automatic,
        model: ModelSource = .merged, mergePolicy: NSMergePolicy = .error
    ) async throws -> Stack {
        let (policy, cancellation, defaults) = (Unchecked(mergePolicy), Cancellation(), TaskDefaults.current)
        let setUp: @Sendable () throws -> Stack = {
            try self.setUp(store, shape: shape, migration: migration, model: model, mergePolicy: policy.value)
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global(qos: .userInitiated).async {
                    let result = TaskDefaults.$current.withValue(defaults) {
                        Cancellation.$current.withValue(cancellation) { Result(catching: setUp) }
                    }
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// The stack used by functions called without a context, or nil before set-up.
    public static var defaultStack: Stack? { defaults.withLock { $0.stack } }

    /// Replaces the default stack; nil removes it. The previous default stack stays open.
    public static func setDefaultStack(_ stack: Stack?) { defaults.withLock { $0 = Defaults(stack) } }

    /// Returns the default stack, or throws ``MagicalRecordError/Code/notSetUp``.
    public static func requireStack() throws -> Stack {
        if let stack = defaultStack { return stack }
        throw MagicalRecordError(
            .notSetUp, "There is no default stack.", advice: "Call try MagicalRecord.setUp() first.")
    }

    /// Tears the default stack down as ``Stack/tearDown(deletingStores:)-swift.method``, removes it, and posts
    /// `Notification.Name.magicalRecordCleanedUp`. Without a default stack, only posts the notification.
    public static func tearDown(deletingStores: Bool = false) async throws {
        try await takeStack()?.tearDown(deletingStores: deletingStores)
        NotificationCenter.default.post(name: .magicalRecordCleanedUp, object: nil)
    }

    /// Tears the default stack down as ``tearDown(deletingStores:)``, blocking the thread until all work has ended.
    ///
    /// - Throws: see ``Stack/tearDownAndWait(deletingStores:)``. After ``MagicalRecordError/Code/savesRunning`` the stack is
    ///   still the default one.
    public static func tearDownAndWait(deletingStores: Bool = false) throws {
        let stack = defaultStack
        let isClosed = try stack?.closeAndWait() ?? false
        // Another stack may have become the default one.
        defaults.withLock { if $0.stack === stack { $0 = Defaults() } }
        if isClosed { try stack?.emptyAndCloseStores(deleting: deletingStores) }
        NotificationCenter.default.post(name: .magicalRecordCleanedUp, object: nil)
    }

    /// Removes the default stack and returns it.
    static func takeStack() -> Stack? {
        defaults.withLock { defaults in
            defer { defaults = Defaults() }
            return defaults.stack
        }
    }

    /// Runs `body` with a task-local default stack, nil for none at the beginning, which functions without a context use in
    /// `body`, in child tasks and in tasks created with `Task { … }`. The rest of the program keeps its default stack.
    ///
    /// ```swift
    /// try await MagicalRecord.withDefaultStack(stack) {
    ///     try await MagicalRecord.save { context in try User.create(in: context).displayName = "Ann" }
    /// }
    /// ```
    /// Use it for tests that run in parallel, and in programs that serve several users with code written for one. `setUp()`,
    /// `setDefaultStack(_:)`, `tearDown()` and the legacy set-up functions in `body` affect this default stack alone. A stack
    /// stays open when `body` ends. `body` runs on the caller's actor.
    ///
    /// The value belongs to the task, not to a thread: blocks on dispatch queues or operation queues, and detached tasks, see
    /// the program's default stack. The closures of asynchronous saves and reads are part of the task (on Apple's platforms
    /// from macOS 14 and iOS 17 on), and use the context they are given, whatever thread they run on.
    public static func withDefaultStack<Value>(
        _ stack: Stack?, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await TaskDefaults.$current.withValue(Locked(Defaults(stack)), operation: body, isolation: isolation)
    }

    /// Runs a synchronous `body` with a task-local default stack. See ``withDefaultStack(_:isolation:_:)``.
    public static func withDefaultStack<Value>(_ stack: Stack?, _ body: () throws -> Value) rethrows -> Value {
        try TaskDefaults.$current.withValue(Locked(Defaults(stack)), operation: body)
    }
}

/// The task-local defaults.
enum TaskDefaults {
    @TaskLocal static var current: Locked<MagicalRecord.Defaults>?
}

/// The program-wide options of the legacy functions.
struct Options {
    var autoCreatesModel = true
    var autoCreatesCoordinator = false
    #if DEBUG
    var deletesOnMismatch = true
    #else
    var deletesOnMismatch = false
    #endif
    var batchSize: UInt = 20

    private static let shared = Locked(Options())

    static var current: Options { shared.withLock { $0 } }

    static func change(_ body: (inout Options) -> Void) { shared.withLock(body) }
}

extension NSNotification.Name {
    /// Posted when the default stack has been torn down, on the thread that did it.
    public static let magicalRecordCleanedUp = NSNotification.Name("kMagicalRecordCleanedUpNotification")
}
