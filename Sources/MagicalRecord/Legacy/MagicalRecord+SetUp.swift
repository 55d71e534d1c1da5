import CoreData

extension MagicalRecord {
    /// Sets up the default stack with a SQLite store named ``defaultStoreName()``, without migration.
    ///
    /// As all legacy set-up functions: does nothing when a default stack exists, returns nothing, and reports a store
    /// that cannot be opened to the error handler; the contexts are there even then.
    public class func setupCoreDataStack() {
        legacySetUp(.sqlite, .none)
    }

    /// As ``setupCoreDataStack()``, with automatic migration.
    public class func setupAutoMigratingCoreDataStack() {
        legacySetUp(.sqlite, .automatic)
    }

    /// Sets up the default stack with a SQLite store of that file name, without migration.
    public class func setupCoreDataStack(withStoreNamed storeName: String) {
        legacySetUp(.legacy(named: storeName), .none)
    }

    /// Sets up the default stack with a SQLite store of that file name, with automatic migration.
    public class func setupCoreDataStack(withAutoMigratingSqliteStoreNamed storeName: String) {
        legacySetUp(.legacy(named: storeName), .automatic)
    }

    /// Sets up the default stack with a SQLite store at that place, without migration.
    public class func setupCoreDataStackWithStore(at storeURL: URL) {
        legacySetUp(.sqlite(at: storeURL), .none)
    }

    /// Sets up the default stack with a SQLite store at that place, with automatic migration.
    public class func setupCoreDataStackWithAutoMigratingSqliteStore(at storeURL: URL) {
        legacySetUp(.sqlite(at: storeURL), .automatic)
    }

    /// Sets up the default stack with a store in memory.
    public class func setupCoreDataStackWithInMemoryStore() {
        legacySetUp(.inMemory, .none)
    }

    private class func legacySetUp(_ store: Store, _ migration: Migration) {
        setUpLock.lock()
        defer { setUpLock.unlock() }
        guard defaults.withLock({ $0.stack == nil && $0.coordinator == nil }) else {
            return Log.warn("Set-up was called while a default stack exists, and did nothing.")
        }
        guard let model = NSManagedObjectModel.mr_default() else {
            return handleErrors(MagicalRecordError.noDefaultModel)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        coordinator.addReporting(store, migration)
        setDefaultStack(Stack(coordinator: coordinator))
    }
}

extension MagicalRecord.Store {
    /// A name used as it is given, without adding an extension, as the original did.
    static func legacy(named name: String) -> MagicalRecord.Store {
        .sqlite(at: MagicalRecord.storeDirectory().appendingPathComponent(name))
    }
}

extension MagicalRecordError {
    static let noDefaultModel = MagicalRecordError(
        .modelNotFound, "There is no default model, and the main bundle has none.",
        advice: "Call setDefaultModelNamed or setDefaultModelFrom first.")
}

extension NSPersistentStoreCoordinator {
    /// Opens a store by the legacy rules: the mismatch option decides over deletion, errors go to the handler.
    @discardableResult
    func addReporting(_ store: MagicalRecord.Store, _ migration: MagicalRecord.Migration) -> NSPersistentStore? {
        var migration = migration
        migration.deletesOnMismatch = MagicalRecord.shouldDeleteStoreOnModelMismatch()
        return MagicalRecord.reporting { try add(store, migration: migration) }
    }
}
