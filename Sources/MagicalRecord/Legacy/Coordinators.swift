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
    public class func mr_coordinatorWithInMemoryStore() -> NSPersistentStoreCoordinator { make(.inMemory, .none) }

    /// Returns a new coordinator for the default model with the default SQLite store, without migration.
    #if canImport(ObjectiveC)
    @objc(MR_newPersistentStoreCoordinator)
    #endif
    @discardableResult
    public class func mr_new() -> NSPersistentStoreCoordinator { make(.sqlite, .none) }

    /// Returns a new coordinator for the default model with a SQLite store named `storeFileName`, without migration.
    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithSqliteStoreNamed:withOptions:)
    #endif
    @discardableResult
    public class func mr_coordinator(
        withSqliteStoreNamed storeFileName: String, withOptions options: [AnyHashable: Any]? = nil
    ) -> NSPersistentStoreCoordinator { make(.legacy(named: storeFileName), .none, options) }

    /// Returns a new coordinator for the default model with a SQLite store named `storeFileName`, with automatic migration.
    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithAutoMigratingSqliteStoreNamed:withOptions:)
    #endif
    @discardableResult
    public class func mr_coordinator(
        withAutoMigratingSqliteStoreNamed storeFileName: String, withOptions options: [AnyHashable: Any]? = nil
    ) -> NSPersistentStoreCoordinator { make(.legacy(named: storeFileName), .automatic, options) }

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
        make(persistentStore.url.map { .sqlite(at: $0) } ?? .inMemory, .none)
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

    /// Adds a SQLite store, without migration; returns nil after an error.
    ///
    /// `storeFileName` is a name or a `URL`. The store is for one configuration of the model, nil for all entities; if it is
    /// recreated, it keeps its configuration, which the original did not.
    #if canImport(ObjectiveC)
    @objc(MR_addSqliteStoreNamed:configuration:withOptions:)
    #endif
    @discardableResult
    public func mr_addSqliteStoreNamed(
        _ storeFileName: Any, configuration: String? = nil, withOptions options: [AnyHashable: Any]? = nil
    ) -> NSPersistentStore? {
        let url = storeFileName as? URL
        var store: MagicalRecord.Store =
            url.map { .sqlite(at: $0) } ?? .legacy(named: String(describing: storeFileName))
        store.configuration = configuration
        store.options = Self.storeOptions(options)
        return addReporting(store, .none)
    }

    private class func make(
        _ store: MagicalRecord.Store, _ migration: MagicalRecord.Migration, _ options: [AnyHashable: Any]? = nil
    ) -> NSPersistentStoreCoordinator {
        var store = store
        store.options = storeOptions(options)
        let coordinator = onDefaultModel()
        coordinator.addReporting(store, migration)
        return coordinator
    }

    /// Returns a coordinator for the default model, without stores; traps if there is no model.
    class func onDefaultModel() -> NSPersistentStoreCoordinator {
        guard let model = NSManagedObjectModel.mr_default() else {
            preconditionFailure(
                "A coordinator needs a model. Call MagicalRecord.setDefaultModelNamed or setDefaultModelFrom first.")
        }
        return NSPersistentStoreCoordinator(managedObjectModel: model)
    }

    private class func storeOptions(_ options: [AnyHashable: Any]?) -> [String: Any] {
        (options ?? [:]).reduce(into: [:]) { named, option in
            if let key = option.key as? String { named[key] = option.value }
        }
    }
}
