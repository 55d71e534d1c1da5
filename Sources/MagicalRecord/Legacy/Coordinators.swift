import CoreData

extension NSPersistentStoreCoordinator {
    /// The default coordinator. One is made and installed when there is none and
    /// ``MagicalRecord/shouldAutoCreateDefaultPersistentStoreCoordinator()`` says so.
    @discardableResult
    public class func mr_default() -> NSPersistentStoreCoordinator? {
        if let coordinator = MagicalRecord.defaults.withLock({ $0.coordinator }) { return coordinator }
        guard MagicalRecord.shouldAutoCreateDefaultPersistentStoreCoordinator() else { return nil }
        let coordinator = mr_new()
        mr_setDefaultStoreCoordinator(coordinator)
        return coordinator
    }

    /// Makes a coordinator the default one. Its first store becomes the default store, unless there is one.
    public class func mr_setDefaultStoreCoordinator(_ coordinator: NSPersistentStoreCoordinator?) {
        MagicalRecord.defaults.withLock { defaults in
            defaults.coordinator = coordinator
            if let first = coordinator?.persistentStores.first, defaults.store == nil { defaults.store = first }
        }
    }

    /// A coordinator for the default model with one store in memory. As all of these, it comes without a store when
    /// that cannot be opened, and is not made the default one.
    @discardableResult
    public class func mr_coordinatorWithInMemoryStore() -> NSPersistentStoreCoordinator {
        make(.inMemory, .none)
    }

    /// A coordinator over the default model, without stores.
    @discardableResult
    public class func mr_new() -> NSPersistentStoreCoordinator {
        make(.sqlite, .none)
    }

    /// A coordinator over the default model with the named SQLite store. Errors go to the handler.
    @discardableResult
    public class func mr_coordinator(withSqliteStoreNamed storeFileName: String) -> NSPersistentStoreCoordinator {
        make(.legacy(named: storeFileName), .none)
    }

    @discardableResult
    public class func mr_coordinator(
        withSqliteStoreNamed storeFileName: String, withOptions options: [AnyHashable: Any]?
    )
        -> NSPersistentStoreCoordinator
    {
        make(.legacy(named: storeFileName), .none, options)
    }

    /// The same, migrating the store where it can be.
    @discardableResult
    public class func mr_coordinator(withAutoMigratingSqliteStoreNamed storeFileName: String)
        -> NSPersistentStoreCoordinator
    {
        make(.legacy(named: storeFileName), .automatic)
    }

    @discardableResult
    public class func mr_coordinator(
        withAutoMigratingSqliteStoreNamed storeFileName: String, withOptions options: [AnyHashable: Any]?
    ) -> NSPersistentStoreCoordinator {
        make(.legacy(named: storeFileName), .automatic, options)
    }

    /// A coordinator over the default model with the SQLite store at that place. Errors go to the handler.
    @discardableResult
    public class func mr_coordinatorWithSqliteStore(at storeURL: URL) -> NSPersistentStoreCoordinator {
        make(.sqlite(at: storeURL), .none)
    }

    /// The same, migrating the store where it can be.
    @discardableResult
    public class func mr_coordinatorWithAutoMigratingSqliteStore(at storeURL: URL) -> NSPersistentStoreCoordinator {
        make(.sqlite(at: storeURL), .automatic)
    }

    /// A coordinator with a SQLite store at the place of that store.
    @discardableResult
    public class func mr_coordinator(with persistentStore: NSPersistentStore) -> NSPersistentStoreCoordinator {
        guard let url = persistentStore.url else { return make(.inMemory, .none) }
        return make(.sqlite(at: url), .none)
    }

    /// Adds a store in memory.
    @discardableResult
    public func mr_addInMemoryStore() -> NSPersistentStore? { addReporting(.inMemory, .none) }

    /// Adds a SQLite store of that name, with automatic migration.
    @discardableResult
    public func mr_addAutoMigratingSqliteStoreNamed(_ storeFileName: String) -> NSPersistentStore? {
        addReporting(.legacy(named: storeFileName), .automatic)
    }

    /// Adds a SQLite store at that place, with automatic migration.
    @discardableResult
    public func mr_addAutoMigratingSqliteStore(at storeURL: URL) -> NSPersistentStore? {
        addReporting(.sqlite(at: storeURL), .automatic)
    }

    /// Adds a SQLite store. `storeFileName` is a name or a `URL`.
    @discardableResult
    public func mr_addSqliteStoreNamed(_ storeFileName: Any, withOptions options: [AnyHashable: Any]? = nil)
        -> NSPersistentStore?
    {
        mr_addSqliteStoreNamed(storeFileName, configuration: nil, withOptions: options)
    }

    /// Adds a SQLite store for one configuration of the model. A store that has to be recreated keeps its
    /// configuration, which the original forgot.
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
