import CoreData

extension MagicalRecord {
    /// Sets up the default stack by the legacy rules.
    static func legacySetUp(_ store: Store, _ migration: Migration) {
        setUpLock.lock()
        defer { setUpLock.unlock() }
        guard let coordinator = coordinatorForSetUp() else { return }
        coordinator.addReporting(store, migration)
        setDefaultStack(.legacy(on: coordinator))
    }

    /// Returns a coordinator for the default model; reports and returns nil if there is none, or a default stack exists.
    static func coordinatorForSetUp() -> NSPersistentStoreCoordinator? {
        guard defaults.withLock({ $0.stack == nil && $0.coordinator == nil }) else {
            Log.warn("Set-up was called while a default stack exists, and did nothing.")
            return nil
        }
        guard let model = NSManagedObjectModel.mr_default() else {
            handleErrors(
                MagicalRecordError(
                    .modelNotFound, "There is no default model, and the main bundle has none.",
                    advice: "Call setDefaultModelNamed or setDefaultModelFrom first."))
            return nil
        }
        return NSPersistentStoreCoordinator(managedObjectModel: model)
    }
}

extension MagicalRecord.Stack {
    /// Returns a stack with the original's merge policy: saves overwrite, property by property, what others have written.
    static func legacy(on coordinator: NSPersistentStoreCoordinator) -> MagicalRecord.Stack {
        MagicalRecord.Stack(coordinator: coordinator, mergePolicy: .mergeByPropertyObjectTrump)
    }
}

extension MagicalRecord.Store {
    /// Returns a store with this file name, to which no extension is added, as in the original.
    static func legacy(named name: String) -> MagicalRecord.Store {
        .sqlite(at: MagicalRecord.storeDirectory().appendingPathComponent(name))
    }
}

extension NSPersistentStoreCoordinator {
    /// Opens a store by the legacy rules: ``MagicalRecord/shouldDeleteStoreOnModelMismatch()`` applies, errors go to the
    /// handler.
    @discardableResult
    func addReporting(_ store: MagicalRecord.Store, _ migration: MagicalRecord.Migration) -> NSPersistentStore? {
        var migration = migration
        migration.deletesOnMismatch = MagicalRecord.shouldDeleteStoreOnModelMismatch()
        return MagicalRecord.reporting { try add(store, migration: migration) }
    }
}
