@_exported import CoreData

/// The entry point of the framework: set-up in one line, saving, and program-wide options.
///
/// ```swift
/// try MagicalRecord.setUp(model: .named("Model", in: .module))
/// let ann = try User.findFirst(where: { $0.userID == 7 })
/// try await MagicalRecord.save { context in
///     let user = try User.findOrCreate(by: \.userID, 8, in: context)
///     user.displayName = "Bob"
/// }
/// ```
/// All functions work on the *default stack*, which
/// ``setUp(_:shape:migration:model:mergePolicy:)-(MagicalRecord.Store,_,_,_,_)`` creates, and may be called from any thread.
/// Every ``Stack`` has the same functions, and every finder takes a context.
///
/// The original's class methods can be overridden in a subclass, and call each other on the receiving class. The framework
/// itself calls the methods of this class.
#if canImport(ObjectiveC)
@objc(MagicalRecord)
#endif
open class MagicalRecord: NSObject {
    /// Creates an instance, which is useful only to subclasses with instance state: all functions are class methods.
    override public init() { super.init() }

    // Methods in extensions cannot be overridden, so all of the original's are declared here. MagicalRecordSelectors has their
    // names in Objective-C.

    // MARK: The stack

    /// Returns the version of the original that this framework follows.
    @discardableResult
    open class func version() -> MagicalRecordVersionTag { .tag2_4 }

    /// Returns a description of the default stack for debugging: entities, coordinator, stores, contexts.
    @discardableResult
    open class func currentStack() -> String { defaultStack?.legacyDescription ?? "No default stack" }

    /// Removes the default stack, the default model and the error handler, and posts
    /// `Notification.Name.magicalRecordCleanedUp`.
    ///
    /// Saves nothing and deletes no file. The same files can be set up again immediately. May be called anywhere, even inside a
    /// save: running saves and reads are completed as usual, and keep the stores open until the last of them has ended.
    open class func cleanUp() {
        ErrorHandling.set(nil)
        ThreadContexts.invalidate()
        takeStack()?.abandon()
        NotificationCenter.default.post(name: .magicalRecordCleanedUp, object: nil)
    }

    /// Sets the default model: all models of the bundle of `modelClass`, merged.
    open class func setDefaultModelFrom(_ modelClass: AnyClass) {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(.mergedModel(from: ClassBundles.bundles(for: modelClass)))
    }

    /// Sets the default model: the model of the main bundle with a name, with or without an extension.
    open class func setDefaultModelNamed(_ modelName: String) {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(.mr_newManagedObjectModelNamed(modelName))
    }

    /// Returns `<bundle name>.sqlite`; see ``storeDirectory()`` for the bundle name.
    @discardableResult
    open class func defaultStoreName() -> String {
        applicationName.hasSuffix("sqlite") ? applicationName : applicationName + ".sqlite"
    }

    /// Adds the original's names without their prefix for Objective-C code, until the program ends: `[User findAll]` for
    /// `[User MR_findAll]`. Does nothing for Swift, where these names are the modern functions, and off Apple's platforms.
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
    open class func setupCoreDataStack() { setupCoreDataStack(withStoreNamed: defaultStoreName()) }

    /// Sets up the default stack as ``setupCoreDataStack()``, with automatic migration.
    open class func setupAutoMigratingCoreDataStack() {
        setupCoreDataStack(withAutoMigratingSqliteStoreNamed: defaultStoreName())
    }

    /// Sets up the default stack with a SQLite store named `storeName`, without migration.
    open class func setupCoreDataStack(withStoreNamed storeName: String) {
        legacySetUp(.legacy(named: storeName), .none)
    }

    /// Sets up the default stack with a SQLite store named `storeName`, with automatic migration.
    open class func setupCoreDataStack(withAutoMigratingSqliteStoreNamed storeName: String) {
        legacySetUp(.legacy(named: storeName), .automatic)
    }

    /// Sets up the default stack with a SQLite store at `storeURL`, without migration.
    open class func setupCoreDataStackWithStore(at storeURL: URL) { legacySetUp(.sqlite(at: storeURL), .none) }

    /// Sets up the default stack with a SQLite store at `storeURL`, with automatic migration.
    open class func setupCoreDataStackWithAutoMigratingSqliteStore(at storeURL: URL) {
        legacySetUp(.sqlite(at: storeURL), .automatic)
    }

    /// Sets up the default stack with an in-memory store.
    open class func setupCoreDataStackWithInMemoryStore() { legacySetUp(.inMemory, .none) }

    // MARK: Saving

    /// Runs `block` asynchronously with a new context and saves its changes to the store; errors go to the error handler. In
    /// asynchronous code `try await MagicalRecord.save { … }` calls the modern function, which throws its errors.
    @preconcurrency
    open class func save(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) { save(block, completion: nil) }

    /// Runs `block` asynchronously with a new context, saves its changes to the store, and calls `completion` on the main
    /// queue. Without changes the result is `(false, nil)`.
    ///
    /// Blocks of several saves run concurrently; only their writes are serialized. A save inside a block is independent of the
    /// outer one. Two blocks that look an object up before creating it may create it twice, where the modern
    /// ``save(onConflict:isolation:_:)->_`` runs closures one after the other.
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
    open class func save(blockAndWait block: (NSManagedObjectContext) -> Void) { LegacyActions.saveAndWait(block) }

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

    /// Passes an error of a legacy function to the program's handler, or writes it to the log. Called synchronously on the
    /// thread of the error, often a context's queue.
    open class func handleErrors(_ error: any Error) { ErrorHandling.handle(error) }

    #if canImport(ObjectiveC)
    /// Sends `action` to `target` for every error of a legacy function, to a ``MagicalRecordErrorTarget`` by that protocol's
    /// method. The target is held weakly; once it is deallocated, or with nil, errors go to the log again.
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
    open class func errorHandlerTarget() -> Any? { ErrorHandling.current.target }

    /// Returns the action of ``setErrorHandlerTarget(_:action:)``, or nil if none is set (the original declared it as nonnull
    /// but returned nil).
    open class func errorHandlerAction() -> Selector? { ErrorHandling.current.action }

    // MARK: Options

    /// Returns whether the default model is created from the main bundle's models on first use. True by default.
    @discardableResult
    open class func shouldAutoCreateManagedObjectModel() -> Bool { Options.current.autoCreatesModel }

    /// Sets ``shouldAutoCreateManagedObjectModel()``.
    open class func setShouldAutoCreateManagedObjectModel(_ autoCreate: Bool) {
        Options.change { $0.autoCreatesModel = autoCreate }
    }

    /// Returns whether a default coordinator is created on first use. False by default.
    @discardableResult
    open class func shouldAutoCreateDefaultPersistentStoreCoordinator() -> Bool {
        Options.current.autoCreatesCoordinator
    }

    /// Sets ``shouldAutoCreateDefaultPersistentStoreCoordinator()``.
    open class func setShouldAutoCreateDefaultPersistentStoreCoordinator(_ autoCreate: Bool) {
        Options.change { $0.autoCreatesCoordinator = autoCreate }
    }

    /// Returns whether the legacy set-up functions **delete** a store that does not match the model. As in the original, true by
    /// default if the framework was compiled for debugging. Modern set-up deletes a store only if its migration policy says so.
    @discardableResult
    open class func shouldDeleteStoreOnModelMismatch() -> Bool { Options.current.deletesOnMismatch }

    /// Sets ``shouldDeleteStoreOnModelMismatch()``.
    open class func setShouldDeleteStoreOnModelMismatch(_ shouldDelete: Bool) {
        Options.change { $0.deletesOnMismatch = shouldDelete }
    }

    /// Returns the log level: by default debug if the framework was compiled for debugging, otherwise error.
    @discardableResult
    open class func loggingLevel() -> MagicalRecordLoggingLevel { Log.level }

    /// Sets the log level.
    open class func setLoggingLevel(_ level: MagicalRecordLoggingLevel) { Log.level = level }

    // MARK: iCloud

    /// Returns whether the last iCloud set-up, which only Objective-C programs can request, found its container.
    @discardableResult
    open class func isICloudEnabled() -> Bool {
        #if canImport(ObjectiveC) && (os(macOS) || os(iOS))
        return ICloudRequest.isActive.withLock { $0 }
        #else
        return false
        #endif
    }
}
