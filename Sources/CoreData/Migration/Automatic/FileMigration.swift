import CoreDataRowStorage
import Foundation

/// One step of migration of a store in its place: afterwards the file holds the migrated store, or what it held before.
struct FileMigration {
    /// The store, which was found and is not open.
    let store: NSPersistentStore
    let url: URL
    let type: String
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel
    let mapping: NSMappingModel
    let configuration: String?
    let options: StoreOptions
    /// Whether the destination is known to come before the source.
    var leadsBack = false
    /// Is told of the progress, and may cancel.
    var manager: NSMigrationManager?

    /// Migrates the store, or leaves it as it was and throws.
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

    /// Makes the migrated store in a file of its own and puts it in place when it is complete.
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

    /// The configuration the old store was made with, by what its metadata says.
    private func sourceConfiguration() -> String? {
        let metadata: [String: Any] = store.metadata
        let names: [String?] = [nil, configuration] + source.configurations
        return names.first { source.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata) } ?? nil
    }

    /// What the program has put into the metadata comes along.
    private func keepMetadata(in copy: URL) throws {
        let old: [String: Any] = store.metadata
        let own = old.filter { !StoreMetadata.ownKeys.contains($0.key) }
        guard !own.isEmpty else { return }
        var new = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: copy)
        new.merge(own) { made, _ in made }
        try NSPersistentStoreCoordinator.setMetadata(new, forPersistentStoreOfType: type, at: copy)
    }
}
