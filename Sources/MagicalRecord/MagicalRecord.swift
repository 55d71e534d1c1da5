@_exported import CoreData

/// The front door of the framework: setting up Core Data in one line, saving, and the options that hold for the
/// whole program.
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
/// Everything here works on the *default stack*, the one ``setUp(_:shape:migration:model:mergePolicy:)-(MagicalRecord.Store,_,_,_,_)`` builds. It is a
/// convenience, never a requirement: a ``Stack`` of your own offers the same functions, and every finder takes a
/// context.
///
/// Its functions may be called from any thread.
///
/// The original's class methods can be overridden in a subclass. They call each other through the class they were sent
/// to: a subclass that overrides ``defaultStoreName()`` changes the file `Subclass.setupCoreDataStack()` opens. The
/// framework itself calls those of this class.
#if canImport(ObjectiveC)
@objc(MagicalRecord)
#endif
open class MagicalRecord: NSObject {
    /// An instance. Everything is in class methods; instances only serve subclasses that have state of their own.
    override public init() {
        super.init()
    }

    // Methods in extensions cannot be overridden, so all of the original's stand here.

    // MARK: The stack

    /// The version of the original that is followed.
    @discardableResult
    open class func version() -> MagicalRecordVersionTag { .tag2_4 }

    /// A description of the default stack, for debugging: entities, coordinator, stores, contexts.
    #if canImport(ObjectiveC)
    @objc(currentStack)
    #endif
    @discardableResult
    open class func currentStack() -> String { defaultStack?.legacyDescription ?? "No default stack" }

    /// Forgets the default stack, the default model and the error handler, and posts
    /// `Notification.Name.magicalRecordCleanedUp`.
    ///
    /// Nothing is saved, no file is deleted. The stores are closed, so that the same files can be set up again at once.
    /// Does not wait for saves and reads that are running: they go on, are written as usual, and keep the stores open until
    /// the last of them has ended. So this may be called anywhere, also inside a save.
    #if canImport(ObjectiveC)
    @objc(cleanUp)
    #endif
    open class func cleanUp() {
        resetErrorHandling()
        ThreadContexts.invalidate()
        takeStack()?.abandon()
        NotificationCenter.default.post(name: .magicalRecordCleanedUp, object: nil)
    }

    /// Makes all models of the bundle that holds `modelClass`, merged, the default model.
    #if canImport(ObjectiveC)
    @objc(setDefaultModelFromClass:)
    #endif
    open class func setDefaultModelFrom(_ modelClass: AnyClass) {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(
            NSManagedObjectModel.mergedModel(from: ClassBundles.bundles(for: modelClass)))
    }

    /// Makes the named model of the main bundle the default model. The extension may be left out.
    #if canImport(ObjectiveC)
    @objc(setDefaultModelNamed:)
    #endif
    open class func setDefaultModelNamed(_ modelName: String) {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(
            NSManagedObjectModel.mr_newManagedObjectModelNamed(modelName))
    }

    /// `<bundle name>.sqlite`; see ``storeDirectory()`` for what the bundle name is.
    #if canImport(ObjectiveC)
    @objc(defaultStoreName)
    #endif
    @discardableResult
    open class func defaultStoreName() -> String {
        applicationName.hasSuffix("sqlite") ? applicationName : applicationName + ".sqlite"
    }

    /// Gives Objective-C code the original's names without their prefix: `[User findAll]` for `[User MR_findAll]`.
    ///
    /// Once for the whole program, and for good. Off Apple's platforms, and for Swift, it does nothing: there the names
    /// without prefix are the modern functions.
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
    /// As all legacy set-up functions: does nothing when a default stack exists, returns nothing, and reports a store
    /// that cannot be opened to the error handler; the contexts are there even then.
    #if canImport(ObjectiveC)
    @objc(setupCoreDataStack)
    #endif
    open class func setupCoreDataStack() {
        setupCoreDataStack(withStoreNamed: defaultStoreName())
    }

    /// As ``setupCoreDataStack()``, with automatic migration.
    #if canImport(ObjectiveC)
    @objc(setupAutoMigratingCoreDataStack)
    #endif
    open class func setupAutoMigratingCoreDataStack() {
        setupCoreDataStack(withAutoMigratingSqliteStoreNamed: defaultStoreName())
    }

    /// Sets up the default stack with a SQLite store of that file name, without migration.
    #if canImport(ObjectiveC)
    @objc(setupCoreDataStackWithStoreNamed:)
    #endif
    open class func setupCoreDataStack(withStoreNamed storeName: String) {
        legacySetUp(.legacy(named: storeName), .none)
    }

    /// Sets up the default stack with a SQLite store of that file name, with automatic migration.
    #if canImport(ObjectiveC)
    @objc(setupCoreDataStackWithAutoMigratingSqliteStoreNamed:)
    #endif
    open class func setupCoreDataStack(withAutoMigratingSqliteStoreNamed storeName: String) {
        legacySetUp(.legacy(named: storeName), .automatic)
    }

    /// Sets up the default stack with a SQLite store at that place, without migration.
    #if canImport(ObjectiveC)
    @objc(setupCoreDataStackWithStoreAtURL:)
    #endif
    open class func setupCoreDataStackWithStore(at storeURL: URL) {
        legacySetUp(.sqlite(at: storeURL), .none)
    }

    /// Sets up the default stack with a SQLite store at that place, with automatic migration.
    #if canImport(ObjectiveC)
    @objc(setupCoreDataStackWithAutoMigratingSqliteStoreAtURL:)
    #endif
    open class func setupCoreDataStackWithAutoMigratingSqliteStore(at storeURL: URL) {
        legacySetUp(.sqlite(at: storeURL), .automatic)
    }

    /// Sets up the default stack with a store in memory.
    #if canImport(ObjectiveC)
    @objc(setupCoreDataStackWithInMemoryStore)
    #endif
    open class func setupCoreDataStackWithInMemoryStore() {
        legacySetUp(.inMemory, .none)
    }

    // MARK: Saving

    /// Runs `block` later with a fresh context and saves what it changed to the store; errors go to the error handler.
    ///
    /// In asynchronous code `try await MagicalRecord.save { … }` is the same name and throws its errors.
    @preconcurrency
    open class func save(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        save(block, completion: nil)
    }

    /// Runs `block` later with a fresh context, saves what it changed to the store, and calls `completion` on the main
    /// queue. With nothing changed that is `(false, nil)`.
    ///
    /// Blocks of several saves run at the same time; only writing is done one save after the other. A save inside a
    /// block is a save of its own. Two blocks may create the same object twice where each looks for it first: use the
    /// modern ``save(onConflict:isolation:_:)->_`` for that, whose closures exclude each other.
    @preconcurrency
    open class func save(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void, completion: MRSaveCompletionHandler?
    ) {
        LegacyActions.save(block, completion)
    }

    /// Runs `block` with a fresh context, saves what it changed to the store, and returns when that is done. Errors go
    /// to the error handler only; ``saveAndWait(onConflict:isolation:_:)`` throws them.
    ///
    /// Does not wait for the blocks of other saves, only for their writing. Inside the block of another save it is a save
    /// of its own: written when it returns, and untouched by a rollback of the outer one.
    open class func save(blockAndWait block: (NSManagedObjectContext) -> Void) {
        LegacyActions.saveAndWait(block)
    }

    /// Runs a block on the thread's context and saves through to the store without waiting.
    @available(*, deprecated, message: "Use save(_:completion:) and the context it passes")
    @preconcurrency
    open class func saveUsingCurrentThreadContext(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void, completion: MRSaveCompletionHandler? = nil
    ) {
        LegacyActions.save(in: ThreadContexts.current(), block, completion)
    }

    /// Runs a block on the thread's context, saves through to the store, and waits.
    @available(*, deprecated, message: "Use save(blockAndWait:) and the context it passes")
    open class func saveUsingCurrentThreadContext(blockAndWait block: (NSManagedObjectContext) -> Void) {
        LegacyActions.saveAndWait(in: ThreadContexts.current(), block)
    }

    /// An older name for ``save(_:)-(_)->()``.
    @available(*, deprecated, renamed: "save(_:)")
    @preconcurrency
    open class func saveInBackground(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        save(block, completion: nil)
    }

    /// The completion comes on the main queue, as everywhere else. (The original called this one on the background
    /// queue.)
    @available(*, deprecated, renamed: "save(_:completion:)")
    @preconcurrency
    open class func saveInBackground(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void, completion: (@Sendable () -> Void)?
    ) {
        save(block) { _, _ in completion?() }
    }

    /// Runs a block on the thread's context, saves through to the store, and calls whichever of the two fits.
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

    /// Hands an error of a legacy function to the program's handler, or writes it to the log.
    ///
    /// Called synchronously on the thread where the error happened, often a context's queue.
    open class func handleErrors(_ error: any Error) { ErrorHandling.handle(error) }

    /// Has `action` sent to `target` with every error a legacy function meets. The target is held weakly; when it is
    /// gone, or `nil`, errors go to the log again.
    ///
    /// A target that conforms to ``MagicalRecordErrorTarget`` is called by that. Where there is no Objective-C runtime it
    /// must.
    #if canImport(ObjectiveC)
    open class func setErrorHandlerTarget(_ target: Any?, action: Selector) {
        ErrorHandling.set(target: target.map { $0 as AnyObject }, action)
    }
    #else
    open class func setErrorHandlerTarget(_ target: (any MagicalRecordErrorTarget)?, action: Selector) {
        ErrorHandling.set(target: target, action)
    }
    #endif

    /// The target, if it still lives.
    #if canImport(ObjectiveC)
    @objc(errorHandlerTarget)
    #endif
    open class func errorHandlerTarget() -> Any? { ErrorHandling.current.target }

    /// The action, or `nil` when none is set (the original declared it as never nil, but returned it so).
    #if canImport(ObjectiveC)
    @objc(errorHandlerAction)
    #endif
    open class func errorHandlerAction() -> Selector? { ErrorHandling.current.action }

    // MARK: Options

    /// Whether the default model is made from the main bundle's models when it is first asked for. It is, unless told
    /// otherwise.
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

    /// Whether a default coordinator is made when it is first asked for. It is not, unless told so.
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

    /// Whether the legacy set-up functions **delete** a store that does not fit the model.
    ///
    /// As in the original they do where the framework was compiled for debugging. The modern
    /// ``setUp(_:shape:migration:model:mergePolicy:)-(MagicalRecord.Store,_,_,_,_)`` never does unless its migration policy says so.
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

    /// How much is written to the log: everything up to debugging where the framework was compiled for debugging,
    /// else errors.
    #if canImport(ObjectiveC)
    @objc(loggingLevel)
    #endif
    @discardableResult
    open class func loggingLevel() -> MagicalRecordLoggingLevel { Log.level }

    /// Sets what the framework writes to the log.
    #if canImport(ObjectiveC)
    @objc(setLoggingLevel:)
    #endif
    open class func setLoggingLevel(_ level: MagicalRecordLoggingLevel) { Log.level = level }

    // MARK: iCloud

    /// Returns whether the last iCloud set-up, which Objective-C programs can ask for, found its container.
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
