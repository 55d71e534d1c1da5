import CoreData

extension NSPersistentStoreCoordinator {
    /// Returns the default coordinator. If there is none, creates and installs one if
    /// ``MagicalRecord/shouldAutoCreateDefaultPersistentStoreCoordinator()`` is true, else returns nil.
    #if canImport(ObjectiveC)
    @objc(MR_defaultStoreCoordinator)
    #endif
    @discardableResult
    public class func mr_default() -> NSPersistentStoreCoordinator? {
        if let coordinator = MagicalRecord.defaults.withLock({ $0.coordinator }) { return coordinator }
        guard MagicalRecord.shouldAutoCreateDefaultPersistentStoreCoordinator() else { return nil }
        let coordinator = mr_new()
        mr_setDefaultStoreCoordinator(coordinator)
        return coordinator
    }

    /// Sets the default coordinator; nil removes it. Its first store becomes the default store, unless there is one.
    #if canImport(ObjectiveC)
    @objc(MR_setDefaultStoreCoordinator:)
    #endif
    public class func mr_setDefaultStoreCoordinator(_ coordinator: NSPersistentStoreCoordinator?) {
        MagicalRecord.defaults.withLock { defaults in
            defaults.coordinator = coordinator
            if let first = coordinator?.persistentStores.first, defaults.store == nil { defaults.store = first }
        }
    }

    /// Returns a new coordinator for the default model with an in-memory store.
    ///
    /// Like all of these functions, reports the error of a store that cannot be opened to the error handler and then returns a
    /// coordinator without a store; traps without a default model. The coordinator does not become the default one.
    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithInMemoryStore)
    #endif
    @discardableResult
    public class func mr_coordinatorWithInMemoryStore() -> NSPersistentStoreCoordinator {
        make(.inMemory, .none)
    }

    /// Returns a new coordinator for the default model with the default SQLite store, without migration.
    #if canImport(ObjectiveC)
    @objc(MR_newPersistentStoreCoordinator)
    #endif
    @discardableResult
    public class func mr_new() -> NSPersistentStoreCoordinator {
        make(.sqlite, .none)
    }

    /// Returns a new coordinator for the default model with a SQLite store named `storeFileName`, without migration.
    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithSqliteStoreNamed:)
    #endif
    @discardableResult
    public class func mr_coordinator(withSqliteStoreNamed storeFileName: String) -> NSPersistentStoreCoordinator {
        make(.legacy(named: storeFileName), .none)
    }

    /// Returns a new coordinator for the default model with a SQLite store named `storeFileName`, opened with these options,
    /// without migration.
    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithSqliteStoreNamed:withOptions:)
    #endif
    @discardableResult
    public class func mr_coordinator(
        withSqliteStoreNamed storeFileName: String, withOptions options: [AnyHashable: Any]?
    )
        -> NSPersistentStoreCoordinator
    {
        make(.legacy(named: storeFileName), .none, options)
    }

    /// Returns a new coordinator for the default model with a SQLite store named `storeFileName`, with automatic migration.
    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithAutoMigratingSqliteStoreNamed:)
    #endif
    @discardableResult
    public class func mr_coordinator(withAutoMigratingSqliteStoreNamed storeFileName: String)
        -> NSPersistentStoreCoordinator
    {
        make(.legacy(named: storeFileName), .automatic)
    }

    /// Returns a new coordinator for the default model with a SQLite store named `storeFileName`, opened with these options,
    /// with automatic migration.
    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithAutoMigratingSqliteStoreNamed:withOptions:)
    #endif
    @discardableResult
    public class func mr_coordinator(
        withAutoMigratingSqliteStoreNamed storeFileName: String, withOptions options: [AnyHashable: Any]?
    ) -> NSPersistentStoreCoordinator {
        make(.legacy(named: storeFileName), .automatic, options)
    }

    /// Returns a new coordinator for the default model with a SQLite store at `storeURL`, without migration.
    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithSqliteStoreAtURL:)
    #endif
    @discardableResult
    public class func mr_coordinatorWithSqliteStore(at storeURL: URL) -> NSPersistentStoreCoordinator {
        make(.sqlite(at: storeURL), .none)
    }

    /// Returns a new coordinator for the default model with a SQLite store at `storeURL`, with automatic migration.
    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithAutoMigratingSqliteStoreAtURL:)
    #endif
    @discardableResult
    public class func mr_coordinatorWithAutoMigratingSqliteStore(at storeURL: URL) -> NSPersistentStoreCoordinator {
        make(.sqlite(at: storeURL), .automatic)
    }

    /// Returns a new coordinator for the default model with a SQLite store at the URL of `persistentStore`, or with an
    /// in-memory store if that has none.
    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithPersistentStore:)
    #endif
    @discardableResult
    public class func mr_coordinator(with persistentStore: NSPersistentStore) -> NSPersistentStoreCoordinator {
        guard let url = persistentStore.url else { return make(.inMemory, .none) }
        return make(.sqlite(at: url), .none)
    }

    /// Adds an in-memory store; returns nil after an error, which goes to the error handler.
    #if canImport(ObjectiveC)
    @objc(MR_addInMemoryStore)
    #endif
    @discardableResult
    public func mr_addInMemoryStore() -> NSPersistentStore? { addReporting(.inMemory, .none) }

    /// Adds a SQLite store named `storeFileName`, with automatic migration; returns nil after an error.
    #if canImport(ObjectiveC)
    @objc(MR_addAutoMigratingSqliteStoreNamed:)
    #endif
    @discardableResult
    public func mr_addAutoMigratingSqliteStoreNamed(_ storeFileName: String) -> NSPersistentStore? {
        addReporting(.legacy(named: storeFileName), .automatic)
    }

    /// Adds a SQLite store at `storeURL`, with automatic migration; returns nil after an error.
    #if canImport(ObjectiveC)
    @objc(MR_addAutoMigratingSqliteStoreAtURL:)
    #endif
    @discardableResult
    public func mr_addAutoMigratingSqliteStore(at storeURL: URL) -> NSPersistentStore? {
        addReporting(.sqlite(at: storeURL), .automatic)
    }

    /// Adds a SQLite store, without migration; returns nil after an error. `storeFileName` is a name or a `URL`.
    #if canImport(ObjectiveC)
    @objc(MR_addSqliteStoreNamed:withOptions:)
    #endif
    @discardableResult
    public func mr_addSqliteStoreNamed(_ storeFileName: Any, withOptions options: [AnyHashable: Any]? = nil)
        -> NSPersistentStore?
    {
        mr_addSqliteStoreNamed(storeFileName, configuration: nil, withOptions: options)
    }

    /// Adds a SQLite store for one configuration of the model, nil for all entities; returns nil after an error. A store that
    /// is recreated keeps its configuration, which the original did not.
    #if canImport(ObjectiveC)
    @objc(MR_addSqliteStoreNamed:configuration:withOptions:)
    #endif
    @discardableResult
    public func mr_addSqliteStoreNamed(
        _ storeFileName: Any, configuration: String?, withOptions options: [AnyHashable: Any]? = nil
    ) -> NSPersistentStore? {
        var store =
            (storeFileName as? URL).map { MagicalRecord.Store.sqlite(at: $0) }
            ?? .legacy(named: String(describing: storeFileName))
        store.configuration = configuration
        store.options = Self.storeOptions(options)
        return addReporting(store, .none)
    }

    private class func make(
        _ store: MagicalRecord.Store, _ migration: MagicalRecord.Migration, _ options: [AnyHashable: Any]? = nil
    ) -> NSPersistentStoreCoordinator {
        guard let model = NSManagedObjectModel.mr_default() else {
            preconditionFailure(
                "A coordinator needs a model. Call MagicalRecord.setDefaultModelNamed or setDefaultModelFrom first.")
        }
        var store = store
        store.options = storeOptions(options)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        coordinator.addReporting(store, migration)
        return coordinator
    }

    private class func storeOptions(_ options: [AnyHashable: Any]?) -> [String: Any] {
        var named: [String: Any] = [:]
        for (key, value) in options ?? [:] {
            if let key = key as? String { named[key] = value }
        }
        return named
    }
}
