import CoreData

extension NSPersistentStoreCoordinator {
    /// The default coordinator. One is made and installed when there is none and
    /// ``MagicalRecord/shouldAutoCreateDefaultPersistentStoreCoordinator()`` says so.
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

    /// Makes a coordinator the default one. Its first store becomes the default store, unless there is one.
    #if canImport(ObjectiveC)
    @objc(MR_setDefaultStoreCoordinator:)
    #endif
    public class func mr_setDefaultStoreCoordinator(_ coordinator: NSPersistentStoreCoordinator?) {
        MagicalRecord.defaults.withLock { defaults in
            defaults.coordinator = coordinator
            if let first = coordinator?.persistentStores.first, defaults.store == nil { defaults.store = first }
        }
    }

    /// A coordinator for the default model with one store in memory. As all of these, it comes without a store when
    /// that cannot be opened, and is not made the default one.
    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithInMemoryStore)
    #endif
    @discardableResult
    public class func mr_coordinatorWithInMemoryStore() -> NSPersistentStoreCoordinator {
        make(.inMemory, .none)
    }

    /// A coordinator over the default model, without stores.
    #if canImport(ObjectiveC)
    @objc(MR_newPersistentStoreCoordinator)
    #endif
    @discardableResult
    public class func mr_new() -> NSPersistentStoreCoordinator {
        make(.sqlite, .none)
    }

    /// A coordinator over the default model with the named SQLite store. Errors go to the handler.
    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithSqliteStoreNamed:)
    #endif
    @discardableResult
    public class func mr_coordinator(withSqliteStoreNamed storeFileName: String) -> NSPersistentStoreCoordinator {
        make(.legacy(named: storeFileName), .none)
    }

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

    /// The same, migrating the store where it can be.
    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithAutoMigratingSqliteStoreNamed:)
    #endif
    @discardableResult
    public class func mr_coordinator(withAutoMigratingSqliteStoreNamed storeFileName: String)
        -> NSPersistentStoreCoordinator
    {
        make(.legacy(named: storeFileName), .automatic)
    }

    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithAutoMigratingSqliteStoreNamed:withOptions:)
    #endif
    @discardableResult
    public class func mr_coordinator(
        withAutoMigratingSqliteStoreNamed storeFileName: String, withOptions options: [AnyHashable: Any]?
    ) -> NSPersistentStoreCoordinator {
        make(.legacy(named: storeFileName), .automatic, options)
    }

    /// A coordinator over the default model with the SQLite store at that place. Errors go to the handler.
    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithSqliteStoreAtURL:)
    #endif
    @discardableResult
    public class func mr_coordinatorWithSqliteStore(at storeURL: URL) -> NSPersistentStoreCoordinator {
        make(.sqlite(at: storeURL), .none)
    }

    /// The same, migrating the store where it can be.
    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithAutoMigratingSqliteStoreAtURL:)
    #endif
    @discardableResult
    public class func mr_coordinatorWithAutoMigratingSqliteStore(at storeURL: URL) -> NSPersistentStoreCoordinator {
        make(.sqlite(at: storeURL), .automatic)
    }

    /// A coordinator with a SQLite store at the place of that store.
    #if canImport(ObjectiveC)
    @objc(MR_coordinatorWithPersistentStore:)
    #endif
    @discardableResult
    public class func mr_coordinator(with persistentStore: NSPersistentStore) -> NSPersistentStoreCoordinator {
        guard let url = persistentStore.url else { return make(.inMemory, .none) }
        return make(.sqlite(at: url), .none)
    }

    /// Adds a store in memory.
    #if canImport(ObjectiveC)
    @objc(MR_addInMemoryStore)
    #endif
    @discardableResult
    public func mr_addInMemoryStore() -> NSPersistentStore? { addReporting(.inMemory, .none) }

    /// Adds a SQLite store of that name, with automatic migration.
    #if canImport(ObjectiveC)
    @objc(MR_addAutoMigratingSqliteStoreNamed:)
    #endif
    @discardableResult
    public func mr_addAutoMigratingSqliteStoreNamed(_ storeFileName: String) -> NSPersistentStore? {
        addReporting(.legacy(named: storeFileName), .automatic)
    }

    /// Adds a SQLite store at that place, with automatic migration.
    #if canImport(ObjectiveC)
    @objc(MR_addAutoMigratingSqliteStoreAtURL:)
    #endif
    @discardableResult
    public func mr_addAutoMigratingSqliteStore(at storeURL: URL) -> NSPersistentStore? {
        addReporting(.sqlite(at: storeURL), .automatic)
    }

    /// Adds a SQLite store. `storeFileName` is a name or a `URL`.
    #if canImport(ObjectiveC)
    @objc(MR_addSqliteStoreNamed:withOptions:)
    #endif
    @discardableResult
    public func mr_addSqliteStoreNamed(_ storeFileName: Any, withOptions options: [AnyHashable: Any]? = nil)
        -> NSPersistentStore?
    {
        mr_addSqliteStoreNamed(storeFileName, configuration: nil, withOptions: options)
    }

    /// Adds a SQLite store for one configuration of the model. A store that has to be recreated keeps its
    /// configuration, which the original forgot.
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
