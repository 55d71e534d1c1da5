import Foundation

/// Brings a store file to another version of its model before it is opened.
package protocol StoreMigrating: Sendable {
    /// Replaces the store at `url` by one of `model`, or throws and leaves it as it was.
    ///
    /// - Parameters:
    ///   - metadata: The metadata of the store as it is.
    ///   - options: The options the store is being added with, the wishes concerning migration among them.
    func migrateStore(
        at url: URL, ofType type: String, metadata: [String: Any], to model: NSManagedObjectModel,
        configuration: String?, options: StoreOptions) throws
}

/// Who migrates stores when they are added.
package enum StoreMigration {
    private static let installed = Mutex<any StoreMigrating>(AutomaticMigration())

    package static func install(_ migrator: any StoreMigrating) { installed.withLock { $0 = migrator } }

    /// The migrator, if the options ask for migration.
    static func wanted(by options: StoreOptions) -> (any StoreMigrating)? {
        guard
            options.flag(NSMigratePersistentStoresAutomaticallyOption)
                || options[NSPersistentStoreStagedMigrationManagerOptionKey] != nil
        else { return nil }
        return installed.withLock { $0 }
    }
}
