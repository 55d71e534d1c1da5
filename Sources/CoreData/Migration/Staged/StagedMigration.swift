import CoreDataRowStorage
import Foundation

/// One staged migration of a store.
struct StagedMigration {
    let manager: NSStagedMigrationManager
    /// The store, which exists and is not open.
    let store: NSPersistentStore
    let url: URL
    let type: String
    let metadata: [String: Any]
    let model: NSManagedObjectModel
    let configuration: String?
    let options: StoreOptions

    /// A migration from one version to the next, with the custom stage that has its handlers.
    private struct Step {
        var from: String
        var to: String
        var stage: NSCustomMigrationStage?
    }

    /// Migrates the store stage by stage, or throws and leaves it unchanged.
    func run(in replacement: any StoreReplacement) throws {
        let steps = try steps()
        var models = try Models(manager, destination: model, store: url)
        try StoreRegistry.requireClass(for: type).requireSpace(at: StorePlace(url, options), factor: 4)
        if steps.count == 1, steps[0].stage == nil {
            return try migration(steps[0], of: store, at: url, &models).run(in: replacement)
        }
        try replacement.hold()
        try replacement.copyStore()
        let copy = replacement.successor
        do {
            for step in steps { try migrate(step, at: copy, &models) }
        } catch {
            throw RetoldError(copy: copy, store: url).retell(error)
        }
        try replacement.swap()
    }

    // MARK: Order

    /// Returns the steps from the store's version to the model's.
    private func steps() throws -> [Step] {
        var all: [Step] = []
        var versions: [String] = []
        func append(_ version: String, _ stage: NSCustomMigrationStage? = nil) {
            if let last = versions.last, last != version { all.append(Step(from: last, to: version, stage: stage)) }
            if versions.last != version { versions.append(version) }
        }
        for stage in manager.stages {
            switch stage {
            case let stage as NSLightweightMigrationStage: for version in stage.versionChecksums { append(version) }
            case let stage as NSCustomMigrationStage:
                append(stage.currentModel.versionChecksum)
                append(stage.nextModel.versionChecksum, stage)
            default: break
            }
        }
        if Set(versions).count != versions.count {
            throw failure(
                NSMigrationError, "The stages are no sequence: a version occurs twice.", "List every version once.")
        }
        let last = model.versionChecksum
        if !versions.contains(last) { append(last) }
        let hashes = StoreVersionHashes.hashes(in: metadata) ?? [:]
        let first = NSManagedObjectModel.versionChecksum(hashes)
        guard let start = versions.firstIndex(of: first) else {
            throw failure(
                NSMigrationMissingSourceModelError, "No stage has the store's version, whose checksum is \(first).",
                "Add a stage with the store's version.")
        }
        guard let end = versions.firstIndex(of: last), start <= end else {
            throw failure(
                NSStagedMigrationBackwardMigrationError, "The store is of a later version than the model.",
                "Open the store with the newer program; migrations only lead forward.")
        }
        return Array(all[start..<end])
    }

    private func failure(_ code: Int, _ reason: String, _ advice: String) -> NSError {
        CoreDataError.make(
            code, description: "The store at \(url.path) could not be migrated in stages.", reason: reason,
            advice: advice, userInfo: [NSURLErrorKey: url, "metadata": metadata])
    }

    /// The models of the stages, by checksum.
    private struct Models {
        private var known: [String: NSManagedObjectModel]
        /// The URL of the store being migrated, for errors.
        private let url: URL
        private lazy var inBundles = ModelSearch.allVersions(in: nil)

        init(_ manager: NSStagedMigrationManager, destination: NSManagedObjectModel, store: URL) throws {
            self.url = store
            known = [destination.versionChecksum: destination]
            for case let stage as NSCustomMigrationStage in manager.stages {
                for reference in [stage.currentModel, stage.nextModel] where known[reference.versionChecksum] == nil {
                    known[reference.versionChecksum] = try Self.resolve(reference, stage, store)
                }
            }
        }

        private static func resolve(
            _ reference: NSManagedObjectModelReference, _ stage: NSCustomMigrationStage, _ store: URL
        ) throws -> NSManagedObjectModel {
            do {
                return try reference.resolve()
            } catch let error as NSError {
                throw CoreDataError.make(
                    error.code,
                    description: "The store at \(store.path) could not be migrated in stages: a model of the stage "
                        + "\"\(stage.label ?? "")\" could not be found.",
                    reason: error.localizedFailureReason, advice: error.localizedRecoverySuggestion, underlying: error,
                    userInfo: [NSURLErrorKey: store])
            }
        }

        /// - Parameter store: the store in its current version, which may contain the model.
        mutating func model(_ checksum: String, of store: NSPersistentStore) throws -> NSManagedObjectModel {
            if let model = known[checksum] { return model }
            var found = inBundles.first { $0.versionChecksum == checksum }
            if found == nil, let stored = store.storedModel(),
                stored.versionChecksum == checksum
            {
                found = stored
            }
            found = found ?? LoadedModels.all.first { $0.isFrozen && $0.versionChecksum == checksum }
            guard let found else {
                throw CoreDataError.make(
                    NSManagedObjectModelReferenceNotFoundError,
                    description:
                        "The store at \(url.path) could not be migrated in stages: a model could not be found.",
                    reason: "None of the program's models has the checksum \(checksum).",
                    advice: "Keep old versions of the model in the .xcdatamodeld.", userInfo: [NSURLErrorKey: url])
            }
            known[checksum] = found
            return found
        }
    }

    // MARK: Steps

    private func migrate(_ step: Step, at copy: URL, _ models: inout Models) throws {
        let place = StorePlace(copy, options)
        let storeClass = try StoreRegistry.requireClass(for: type)
        let store = try storeClass.find(place)
        defer { store.closeStore() }
        let migration = try migration(step, of: store, at: copy, &models)
        if let stage = step.stage, let handler = stage.willMigrateHandler {
            try call(handler, stage, migration.source, copy)
        }
        try migration.run(
            in: storeClass.replacement(of: place))
        if let stage = step.stage, let handler = stage.didMigrateHandler {
            try call(handler, stage, migration.destination, copy)
        }
    }

    private func migration(
        _ step: Step, of store: NSPersistentStore, at place: URL, _ models: inout Models
    ) throws -> FileMigration {
        let from = try models.model(step.from, of: store)
        let to = try models.model(step.to, of: store)
        let mapping: NSMappingModel
        do {
            mapping = try NSMappingModel.inferredMappingModel(forSourceModel: from, destinationModel: to)
        } catch let error as NSError where error.code == NSInferredMappingModelError {
            throw InferenceFailure(
                url: url, error: error, step: "in stages, from the version \(step.from) to \(step.to)"
            ).failure
        }
        return FileMigration(
            store: store, url: place, type: type, source: from, destination: to, mapping: mapping,
            configuration: configuration,
            options: options)
    }

    /// Calls a handler with a container that has the store with the current model.
    private func call(
        _ handler: (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void, _ stage: NSCustomMigrationStage,
        _ model: NSManagedObjectModel, _ place: URL
    ) throws {
        let container = NSPersistentContainer(name: stage.label, managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: place)
        description.type = type
        description.configuration = configuration
        description.shouldMigrateStoreAutomatically = false
        description.shouldInferMappingModelAutomatically = false
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        manager.container = container
        defer {
            manager.container = nil
            let coordinator = container.persistentStoreCoordinator
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
        }
        try handler(manager, stage)
    }
}
