@_exported import CoreData

/// The entry point of the framework: set-up in one line, saving, and program-wide options.
///
/// ```swift
/// try MagicalRecord.setUp()
/// let ann = try User.findFirst(where: \.userID == 7)
/// try await MagicalRecord.save { context in
///     let user = try User.findOrCreate(by: \.userID, 8, in: context)
///     user.displayName = "Bob"
/// }
/// ```
///
/// All functions work on the *default stack*, which
/// ``setUp(_:shape:migration:model:mergePolicy:)-(MagicalRecord.Store,_,_,_,_)`` creates. It is a convenience, not a
/// requirement: every ``Stack`` has the same functions, and every finder takes a context.
///
/// The functions may be called from any thread.
///
/// The original's class methods can be overridden in a subclass. They call each other on the receiving class: a subclass that
/// overrides ``defaultStoreName()`` changes the file that `Subclass.setupCoreDataStack()` opens. The framework itself calls the
/// methods of this class.
#if canImport(ObjectiveC)
@objc(MagicalRecord)
#endif
open class MagicalRecord: NSObject {
    /// Creates an instance, which is useful only to subclasses with instance state: all functions are class methods.
    override public init() {
        super.init()
    }

    // Methods in extensions cannot be overridden, so all of the original's are declared here.

    // MARK: The stack

    /// Returns the version of the original that this framework follows.
    @discardableResult
    open class func version() -> MagicalRecordVersionTag { .tag2_4 }

    /// Returns a description of the default stack for debugging: entities, coordinator, stores, contexts.
    #if canImport(ObjectiveC)
    @objc(currentStack)
    #endif
    @discardableResult
    open class func currentStack() -> String { defaultStack?.legacyDescription ?? "No default stack" }

    /// Removes the default stack, the default model and the error handler, and posts
    /// `Notification.Name.magicalRecordCleanedUp`.
    ///
    /// Saves nothing and deletes no file. The stores are closed, so that the same files can be set up again immediately. Does
    /// not wait for running saves and reads: they are completed as usual and keep the stores open until the last of them has
    /// ended. May therefore be called anywhere, even inside a save.
    #if canImport(ObjectiveC)
    @objc(cleanUp)
    #endif
    open class func cleanUp() {
        resetErrorHandling()
        ThreadContexts.invalidate()
        takeStack()?.abandon()
        NotificationCenter.default.post(name: .magicalRecordCleanedUp, object: nil)
    }

    /// Sets the default model: all models of the bundle of `modelClass`, merged.
    #if canImport(ObjectiveC)
    @objc(setDefaultModelFromClass:)
    #endif
    open class func setDefaultModelFrom(_ modelClass: AnyClass) {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(
            NSManagedObjectModel.mergedModel(from: ClassBundles.bundles(for: modelClass)))
    }

    /// Sets the default model: the model of the main bundle with a name, with or without an extension.
    #if canImport(ObjectiveC)
    @objc(setDefaultModelNamed:)
    #endif
    open class func setDefaultModelNamed(_ modelName: String) {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(
            NSManagedObjectModel.mr_newManagedObjectModelNamed(modelName))
    }

    /// Returns `<bundle name>.sqlite`; see ``storeDirectory()`` for the bundle name.
    #if canImport(ObjectiveC)
    @objc(defaultStoreName)
    #endif
    @discardableResult
    open class func defaultStoreName() -> String {
        applicationName.hasSuffix("sqlite") ? applicationName : applicationName + ".sqlite"
    }

    /// Adds the original's names without their prefix for Objective-C code: `[User findAll]` for `[User MR_findAll]`.
    ///
    /// Lasts until the program ends. Does nothing off Apple's platforms, and nothing for Swift, where the names without prefix
    /// are the modern functions.
    #if canImport(ObjectiveC)
    @objc(enableShorthandMethods)
    #endif
    open class func enableShorthandMethods() {
        #if canImport(ObjectiveC)
        Shorthand.added
        #endif
    }

    // MARK: Set-up

    /// Sets up the default stack with a SQLite store named ``defaultStoreName()``, without migration.
    ///
    /// Like all legacy set-up functions, this does nothing if a default stack exists, returns nothing, and passes the error of
    /// a store that cannot be opened to the error handler; the contexts exist even then.
    #if canImport(ObjectiveC)
    @objc(setupCoreDataStack)
    #endif
    open class func setupCoreDataStack() {
        setupCoreDataStack(withStoreNamed: defaultStoreName())
    }

    /// Sets up the default stack as ``setupCoreDataStack()``, with automatic migration.
    #if canImport(ObjectiveC)
    @objc(setupAutoMigratingCoreDataStack)
    #endif
    open class func setupAutoMigratingCoreDataStack() {
        setupCoreDataStack(withAutoMigratingSqliteStoreNamed: defaultStoreName())
    }

    /// Sets up the default stack with a SQLite store named `storeName`, without migration.
    #if canImport(ObjectiveC)
    @objc(setupCoreDataStackWithStoreNamed:)
    #endif
    open class func setupCoreDataStack(withStoreNamed storeName: String) {
        legacySetUp(.legacy(named: storeName), .none)
    }

    /// Sets up the default stack with a SQLite store named `storeName`, with automatic migration.
    #if canImport(ObjectiveC)
    @objc(setupCoreDataStackWithAutoMigratingSqliteStoreNamed:)
    #endif
    open class func setupCoreDataStack(withAutoMigratingSqliteStoreNamed storeName: String) {
        legacySetUp(.legacy(named: storeName), .automatic)
    }

    /// Sets up the default stack with a SQLite store at `storeURL`, without migration.
    #if canImport(ObjectiveC)
    @objc(setupCoreDataStackWithStoreAtURL:)
    #endif
    open class func setupCoreDataStackWithStore(at storeURL: URL) {
        legacySetUp(.sqlite(at: storeURL), .none)
    }

    /// Sets up the default stack with a SQLite store at `storeURL`, with automatic migration.
    #if canImport(ObjectiveC)
    @objc(setupCoreDataStackWithAutoMigratingSqliteStoreAtURL:)
    #endif
    open class func setupCoreDataStackWithAutoMigratingSqliteStore(at storeURL: URL) {
        legacySetUp(.sqlite(at: storeURL), .automatic)
    }

    /// Sets up the default stack with an in-memory store.
    #if canImport(ObjectiveC)
    @objc(setupCoreDataStackWithInMemoryStore)
    #endif
    open class func setupCoreDataStackWithInMemoryStore() {
        legacySetUp(.inMemory, .none)
    }

    // MARK: Saving

    /// Runs `block` asynchronously with a new context and saves its changes to the store; errors go to the error handler.
    ///
    /// In asynchronous code `try await MagicalRecord.save { … }` calls the modern function of the same name, which throws its
    /// errors.
    @preconcurrency
    open class func save(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        save(block, completion: nil)
    }

    /// Runs `block` asynchronously with a new context, saves its changes to the store, and calls `completion` on the main
    /// queue. Without changes the result is `(false, nil)`.
    ///
    /// Blocks of several saves run concurrently; only their writes are serialized. A save inside a block is independent of the
    /// outer one. Two blocks that look an object up before creating it may create it twice: use the modern
    /// ``save(onConflict:isolation:_:)->_`` for that, which runs closures one after the other.
    @preconcurrency
    open class func save(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void, completion: MRSaveCompletionHandler?
    ) {
        LegacyActions.save(block, completion)
    }

    /// Runs `block` with a new context and saves its changes to the store, blocking the thread. Errors go to the error handler
    /// only; ``saveAndWait(onConflict:isolation:_:)`` throws them.
    ///
    /// Does not wait for the blocks of other saves, only for their writes. Inside the block of another save it is independent:
    /// written when it returns, and not affected by a rollback of the outer one.
    open class func save(blockAndWait block: (NSManagedObjectContext) -> Void) {
        LegacyActions.saveAndWait(block)
    }

    /// Runs a block on the thread's context and saves to the store asynchronously.
    @available(*, deprecated, message: "Use save(_:completion:) and the context it passes")
    @preconcurrency
    open class func saveUsingCurrentThreadContext(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void, completion: MRSaveCompletionHandler? = nil
    ) {
        LegacyActions.save(in: ThreadContexts.current(), block, completion)
    }

    /// Runs a block on the thread's context and saves to the store, blocking the thread.
    @available(*, deprecated, message: "Use save(blockAndWait:) and the context it passes")
    open class func saveUsingCurrentThreadContext(blockAndWait block: (NSManagedObjectContext) -> Void) {
        LegacyActions.saveAndWait(in: ThreadContexts.current(), block)
    }

    /// Runs and saves `block` as ``save(_:)-(_)->()``, under an older name.
    @available(*, deprecated, renamed: "save(_:)")
    @preconcurrency
    open class func saveInBackground(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        save(block, completion: nil)
    }

    /// Runs and saves `block` as ``save(_:completion:)``, under an older name. Calls `completion` on the main queue (the
    /// original used the background queue).
    @available(*, deprecated, renamed: "save(_:completion:)")
    @preconcurrency
    open class func saveInBackground(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void, completion: (@Sendable () -> Void)?
    ) {
        save(block) { _, _ in completion?() }
    }

    /// Runs a block on the thread's context, saves to the store, and calls one of the two handlers.
    @available(*, deprecated, message: "Use save(_:completion:) and the context it passes")
    @preconcurrency
    open class func saveInBackgroundUsingCurrentContext(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void, completion: (@Sendable () -> Void)?,
        errorHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        LegacyActions.save(in: ThreadContexts.current(), block) { saved, error in
            if saved { completion?() } else if let error { errorHandler?(error) }
        }
    }

    // MARK: Errors

    /// Passes an error of a legacy function to the program's handler, or writes it to the log.
    ///
    /// Called synchronously on the thread of the error, often a context's queue.
    open class func handleErrors(_ error: any Error) { ErrorHandling.handle(error) }

    #if canImport(ObjectiveC)
    /// Sends `action` to `target` for every error of a legacy function. The target is held weakly; once it is deallocated, or
    /// with nil, errors go to the log again.
    ///
    /// A target that conforms to ``MagicalRecordErrorTarget`` is called by that protocol's method.
    open class func setErrorHandlerTarget(_ target: Any?, action: Selector) {
        ErrorHandling.set(target: target.map { $0 as AnyObject }, action)
    }
    #else
    /// Sends `action` to `target` for every error of a legacy function. The target is held weakly; once it is deallocated, or
    /// with nil, errors go to the log again.
    open class func setErrorHandlerTarget(_ target: (any MagicalRecordErrorTarget)?, action: Selector) {
        ErrorHandling.set(target: target, action)
    }
    #endif

    /// Returns the target of ``setErrorHandlerTarget(_:action:)``, or nil if none is set or it has been deallocated.
    #if canImport(ObjectiveC)
    @objc(errorHandlerTarget)
    #endif
    open class func errorHandlerTarget() -> Any? { ErrorHandling.current.target }

    /// Returns the action of ``setErrorHandlerTarget(_:action:)``, or nil if none is set (the original declared it as nonnull
    /// but returned nil).
    #if canImport(ObjectiveC)
    @objc(errorHandlerAction)
    #endif
    open class func errorHandlerAction() -> Selector? { ErrorHandling.current.action }

    // MARK: Options

    /// Returns whether the default model is created from the main bundle's models on first use. True by default.
    #if canImport(ObjectiveC)
    @objc(shouldAutoCreateManagedObjectModel)
    #endif
    @discardableResult
    open class func shouldAutoCreateManagedObjectModel() -> Bool { Options.current.autoCreatesModel }

    /// Sets ``shouldAutoCreateManagedObjectModel()``.
    #if canImport(ObjectiveC)
    @objc(setShouldAutoCreateManagedObjectModel:)
    #endif
    open class func setShouldAutoCreateManagedObjectModel(_ autoCreate: Bool) {
        Options.change { $0.autoCreatesModel = autoCreate }
    }

    /// Returns whether a default coordinator is created on first use. False by default.
    #if canImport(ObjectiveC)
    @objc(shouldAutoCreateDefaultPersistentStoreCoordinator)
    #endif
    @discardableResult
    open class func shouldAutoCreateDefaultPersistentStoreCoordinator() -> Bool {
        Options.current.autoCreatesCoordinator
    }

    /// Sets ``shouldAutoCreateDefaultPersistentStoreCoordinator()``.
    #if canImport(ObjectiveC)
    @objc(setShouldAutoCreateDefaultPersistentStoreCoordinator:)
    #endif
    open class func setShouldAutoCreateDefaultPersistentStoreCoordinator(_ autoCreate: Bool) {
        Options.change { $0.autoCreatesCoordinator = autoCreate }
    }

    /// Returns whether the legacy set-up functions **delete** a store that does not match the model.
    ///
    /// As in the original, true by default if the framework was compiled for debugging. The modern
    /// ``setUp(_:shape:migration:model:mergePolicy:)-(MagicalRecord.Store,_,_,_,_)`` deletes a store only if its migration
    /// policy says so.
    #if canImport(ObjectiveC)
    @objc(shouldDeleteStoreOnModelMismatch)
    #endif
    @discardableResult
    open class func shouldDeleteStoreOnModelMismatch() -> Bool { Options.current.deletesOnMismatch }

    /// Sets ``shouldDeleteStoreOnModelMismatch()``.
    #if canImport(ObjectiveC)
    @objc(setShouldDeleteStoreOnModelMismatch:)
    #endif
    open class func setShouldDeleteStoreOnModelMismatch(_ shouldDelete: Bool) {
        Options.change { $0.deletesOnMismatch = shouldDelete }
    }

    /// Returns the log level: by default debug if the framework was compiled for debugging, otherwise error.
    #if canImport(ObjectiveC)
    @objc(loggingLevel)
    #endif
    @discardableResult
    open class func loggingLevel() -> MagicalRecordLoggingLevel { Log.level }

    /// Sets the log level.
    #if canImport(ObjectiveC)
    @objc(setLoggingLevel:)
    #endif
    open class func setLoggingLevel(_ level: MagicalRecordLoggingLevel) { Log.level = level }

    // MARK: iCloud

    /// Returns whether the last iCloud set-up, which only Objective-C programs can request, found its container.
    #if canImport(ObjectiveC)
    @objc(isICloudEnabled)
    #endif
    @discardableResult
    open class func isICloudEnabled() -> Bool {
        #if canImport(ObjectiveC) && (os(macOS) || os(iOS))
        return ICloudRequest.isActive.withLock { $0 }
        #else
        return false
        #endif
    }
}
