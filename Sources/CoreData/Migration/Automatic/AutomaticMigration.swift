import CoreDataFileStorage
import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation

/// The migration that a coordinator performs when it adds a store of another version of its model.
struct AutomaticMigration {
    private let store: NSPersistentStore
    private let type: String
    /// The options with which the store is added, including those for the migration.
    private let options: StoreOptions
    /// The URL of the store's file with links resolved: temporary files are created beside the file.
    private let url: URL

    /// Creates a migration; returns nil if the options do not request one.
    ///
    /// - Parameter store: a store that exists and is not open.
    init?(of store: NSPersistentStore, _ type: String, _ options: StoreOptions) {
        guard
            options.flag(NSMigratePersistentStoresAutomaticallyOption)
                || options[NSPersistentStoreStagedMigrationManagerOptionKey] != nil
        else { return nil }
        self.store = store
        self.type = type
        self.options = options
        url = StoreFiles.resolvingLinks(in: store.url ?? StoreOpening.nowhere)
    }

    /// Replaces the store by one of `model`, or throws and leaves it unchanged. Does nothing if another process has migrated
    /// the store in the meantime. The caller reloads the store's metadata afterwards.
    func run(to model: NSManagedObjectModel, configuration: String?) throws {
        guard !options.flag(NSReadOnlyPersistentStoreOption) else {
            let metadata: [String: Any] = store.metadata
            throw CoreDataError.make(
                NSMigrationError, description: "The store at \(url.path) could not be migrated.",
                reason: "It is to be opened for reading only, and is of another version of the model.",
                advice: "Open it once with write access, or with the model it was made with.",
                userInfo: [NSURLErrorKey: url, "metadata": metadata])
        }
        try Probe.migration(of: url, to: model) { try migrate(to: model, configuration: configuration) }
    }

    private func migrate(to model: NSManagedObjectModel, configuration: String?) throws {
        let replacement = try Swift.type(of: store).replacement(of: StorePlace(url, options))
        // If another process replaced the store, it has probably migrated it.
        try store.reloadMetadata()
        let metadata: [String: Any] = store.metadata
        if model.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata) { return }
        if let manager = options[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager {
            return try StagedMigration(
                manager: manager, store: store, url: url, type: type, metadata: metadata, model: model,
                configuration: configuration, options: options
            ).run(in: replacement)
        }
        let search = SourceModelSearch(store: store, url: url, metadata: metadata, configuration: configuration)
        guard let source = search.find() else { throw search.failure(destination: model) }
        Probe.migrates("looking for mapping model with")
        Probe.migrates("source hashes: \(Probe.hashes(of: source)) destination hashes: \(Probe.hashes(of: model))")
        let found = NSMappingModel(from: nil, forSourceModel: source, destinationModel: model)
        let order = VersionOrder(
            url: url, metadata: metadata, source: source, destination: model, configuration: configuration)
        let leadsBack = try order.leadsBack(
            byMappingModel: found != nil, isWanted: options.flag(NSMigratePersistentStoresBackwardOption))
        if let found {
            Probe.migrates("found mapping model with \(found.entityMappings?.count ?? 0) entity mappings")
        }
        let mapping =
            try found ?? inferredMapping(from: source, to: model, url: url, metadata: metadata, configuration, options)
        try FileMigration(
            store: store, url: url, type: type, source: source, destination: model, mapping: mapping,
            configuration: configuration, options: options, leadsBack: leadsBack
        ).run(in: replacement)
    }

    /// Returns an inferred mapping model if the options allow one.
    private func inferredMapping(
        from source: NSManagedObjectModel, to model: NSManagedObjectModel, url: URL, metadata: [String: Any],
        _ configuration: String?, _ options: StoreOptions
    ) throws -> NSMappingModel {
        Probe.migrates("no suitable mapping model found")
        let doubts = MappingSearch.doubts(from: source, to: model)
        guard options.flag(NSInferMappingModelAutomaticallyOption) else {
            let difference = VersionDifference(
                model: model, configuration: configuration, metadata: metadata, stored: source)
            throw CoreDataError.make(
                NSMigrationMissingMappingModelError, description: "The store at \(url.path) could not be migrated.",
                reason: "Can't find mapping model for migration.",
                advice: ([
                    "Add a mapping model from the store's version to the model's to the program's resources, or set "
                        + "NSInferMappingModelAutomaticallyOption\(difference.inBrackets)."
                ] + doubts).joined(separator: " "),
                userInfo: [
                    "metadata": metadata, "sourceModel": source, "destinationModel": model, NSURLErrorKey: url,
                ])
        }
        Probe.migrates(
            "inferring a mapping model between data models with hashes: \(Probe.hashes(of: source)) and "
                + Probe.hashes(of: model))
        do {
            return try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: model)
        } catch let error as NSError where error.code == NSInferredMappingModelError {
            throw InferenceFailure(url: url, error: error, doubts: doubts).failure
        }
    }
}

/// Finds the model with which a store was written.
struct SourceModelSearch {
    let store: NSPersistentStore
    let url: URL
    let metadata: [String: Any]
    let configuration: String?

    /// Returns the model saved in the store, or else a version of a model in the bundles, or else a model in use; nil if none
    /// of them fits.
    func find() -> NSManagedObjectModel? {
        if let stored = store.storedModel(), fits(stored) { return stored }
        let versions = ModelSearch.allVersions(in: nil)
        if let version = versions.first(where: fits) { return version }
        if let model = ModelMatch.model(among: versions, metadata: metadata) { return model }
        // Models that are not frozen may be changing on other threads.
        return LoadedModels.all.first { $0.isFrozen && fits($0) }
    }

    /// Returns whether the store's version hashes are those of a model or of one of its configurations.
    func fits(_ model: NSManagedObjectModel) -> Bool {
        ([nil, configuration] + model.configurations).contains {
            model.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
        }
    }

    func failure(destination: NSManagedObjectModel) -> NSError {
        let names = (StoreVersionHashes.hashes(in: metadata) ?? [:]).keys.sorted().listed()
        return CoreDataError.make(
            NSMigrationMissingSourceModelError, description: "The store at \(url.path) could not be migrated.",
            reason: "Can't find model for source store: none of the program's models has the version the store was "
                + "written with (entities \(names)).",
            advice: "Keep old versions of the model in the .xcdatamodeld.",
            userInfo: ["metadata": metadata, "destinationModel": destination, NSURLErrorKey: url])
    }
}
