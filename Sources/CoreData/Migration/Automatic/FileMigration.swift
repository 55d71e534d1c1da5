import CoreDataRowStorage
import Foundation

/// One migration step of a store in its location: afterwards the file contains the migrated store, or on failure its former
/// content.
struct FileMigration {
    /// The store, which exists and is not open.
    let store: NSPersistentStore
    let url: URL
    let type: String
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel
    let mapping: NSMappingModel
    let configuration: String?
    let options: StoreOptions
    /// Whether the destination is known to be an older version than the source.
    var leadsBack = false
    /// The manager that receives the progress and can cancel the migration.
    var manager: NSMigrationManager?

    /// Migrates the store, or throws and leaves it unchanged.
    func run(in replacement: any StoreReplacement) throws {
        let storeClass = Swift.type(of: store)
        if let comparison = mapping.comparison {
            try store.checkRows(comparison.layouts)
        }
        try storeClass.requireSpace(at: StorePlace(url, options), factor: 2)
        if let request = mapping.comparison?.engineRequest(leadsBack: leadsBack),
            storeClass.canMigrate(request)
        {
            try Probe.migrationStep("in-place migration") { try store.migrate(request, manager) }
        } else {
            try Probe.migrationStep("migration object by object") { try migrateBeside(replacement) }
        }
    }

    /// Creates the migrated store in a separate file and replaces the store by it when it is complete.
    private func migrateBeside(_ replacement: any StoreReplacement) throws {
        try replacement.hold()
        let successor = replacement.successor
        let manager = manager ?? NSMigrationManager(sourceModel: source, destinationModel: destination)
        manager.leadsBack = leadsBack
        let run = MigrationRun(
            manager: manager, mapping: mapping,
            source: .init(
                url: url, type: type, options: options.values ?? [:], configuration: sourceConfiguration()),
            destination: .init(url: successor, type: type, options: options.values ?? [:], configuration: configuration)
        )
        do {
            try run.run()
            try keepMetadata(in: successor)
        } catch {
            throw RetoldError(copy: successor, store: url).retell(error)
        }
        store.noteWhatIsLeftOut()
        try replacement.swap()
    }

    /// Returns the configuration of the old store, determined from the version hashes in its metadata.
    private func sourceConfiguration() -> String? {
        let metadata: [String: Any] = store.metadata
        let names: [String?] = [nil, configuration] + source.configurations
        return names.first { source.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata) } ?? nil
    }

    /// Copies the program's entries of the store's metadata to the migrated store.
    private func keepMetadata(in copy: URL) throws {
        let old: [String: Any] = store.metadata
        let own = old.filter { !StoreMetadata.ownKeys.contains($0.key) }
        guard !own.isEmpty else { return }
        var new = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: copy)
        new.merge(own) { made, _ in made }
        try NSPersistentStoreCoordinator.setMetadata(new, forPersistentStoreOfType: type, at: copy)
    }
}
