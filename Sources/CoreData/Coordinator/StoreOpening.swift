import CoreDataRowStorage
import Foundation

/// The opening of a store by a coordinator, from type and URL to the open store.
struct StoreOpening {
    let coordinator: NSPersistentStoreCoordinator
    let type: String
    let configuration: String?
    let url: URL?
    let options: StoreOptions

    static let nowhere = URL(fileURLWithPath: "/dev/null")

    /// True if the store has a format of this framework and a location other than `/dev/null`.
    var hasOwnPlace: Bool {
        StoreRegistry.storeClass(for: type)?.hasOwnPlace == true && location.path != Self.nowhere.path
    }

    /// Returns the same opening for another location.
    func at(_ url: URL) -> StoreOpening {
        StoreOpening(coordinator: coordinator, type: type, configuration: configuration, url: url, options: options)
    }

    private var model: NSManagedObjectModel { coordinator.managedObjectModel }
    private var location: URL { url ?? Self.nowhere }
    private var place: StorePlace { StorePlace(location, options) }
    /// The configuration to use; nil, for all entities, if the model has no configuration of that name.
    private var usedConfiguration: String? { model.usedConfiguration(configuration) }

    /// Creates the store, migrates it to the model if necessary, and opens it.
    func open() throws -> NSPersistentStore {
        guard Probe.isOn else { return try openFitting() }
        return try Probe.measure(.storeOpening) { record in
            record.store = location.nameInMessages
            return try openFitting()
        }
    }

    private func openFitting() throws -> NSPersistentStore {
        let storeClass = try StoreRegistry.requireClass(for: type)
        try options.check(at: location)
        try StoreRegistry.check(location, storeClass, for: type)
        try options.requireKnown(to: storeClass, type: type, at: location)
        try checkRequest(storeClass)
        if hasOwnPlace, !place.isReadOnly { storeClass.removeLeftovers(of: place) }
        try StoreFeatures(storeClass).check(model, configuration: usedConfiguration, at: location)
        let store = try makeFittingStore(storeClass)
        do {
            store.prepare(for: model.layouts)
            let saysItsModel = store.loadedVersionHashes != nil
            try store.openStore()
            if !saysItsModel { completeMetadata(of: store) }
        } catch {
            discard(store)
            throw error
        }
        return store
    }

    /// Creates the store and migrates its file if necessary.
    private func makeFittingStore(_ storeClass: NSPersistentStore.Type) throws -> NSPersistentStore {
        let store = try makeStore(storeClass)
        guard !options.flag(NSIgnorePersistentStoreVersioningOption), !fits(store) else { return store }
        do {
            // A model without entities is no version of any other: the migrated store would be empty.
            guard !model.entities.isEmpty, let migration = AutomaticMigration(of: store, type, options) else {
                throw incompatibility(of: store)
            }
            try migration.run(to: model, configuration: usedConfiguration)
            try store.reloadMetadata()
            guard fits(store) else { throw incompatibility(of: store) }
        } catch {
            discard(store)
            throw error
        }
        if storeClass.hasOwnPlace { return store }
        // Store classes of programs read their metadata only once.
        discard(store)
        return try makeStore(storeClass)
    }

    private func discard(_ store: NSPersistentStore) {
        store.detach()
        store.closeStore()
    }

    private func checkRequest(_ storeClass: NSPersistentStore.Type) throws {
        if let configuration, model.entities(forConfigurationName: configuration) == nil {
            NSLog(
                "CoreData: warning: The model has no configuration named '%@' among %@. The store is opened for all entities.",
                configuration, "\(model.configurations)")
        }
        guard type != NSInMemoryStoreType else { return }
        guard let url else {
            throw CoreDataError.make(
                NSPersistentStoreOpenError, description: "The store could not be opened.",
                reason: "A store of the type \"\(type)\" needs a URL.")
        }
        let isLoaded =
            coordinator.persistentStore(for: url) != nil
            || hasOwnPlace && coordinator.loadedStore(at: url) != nil
        if isLoaded, url.path != Self.nowhere.path {
            throw CoreDataError.make(
                NSPersistentStoreOpenError, description: "The store at \(url.path) could not be opened.",
                reason: "Can't add the same store twice.")
        }
    }

    private func makeStore(_ storeClass: NSPersistentStore.Type) throws -> NSPersistentStore {
        let store = storeClass.make(
            _StoreSource(coordinator: coordinator, configuration: configuration, url: location, options: options))
        try store.loadMetadata()
        if let incremental = store as? NSIncrementalStore, !store.hasIdentifier {
            let made = Swift.type(of: incremental).identifierForNewStore(at: location)
            store.identifier = made as? String ?? "\(made)"
        }
        store.noteMetadataSaved()
        return store
    }

    /// Returns whether a store's metadata matches the model or names no model version.
    private func fits(_ store: NSPersistentStore) -> Bool {
        if let hashes = store.loadedVersionHashes, model.isConfiguration(usedConfiguration, ofVersion: hashes) {
            return true
        }
        let metadata: [String: Any] = store.metadata
        return metadata[NSStoreModelVersionHashesKey] == nil
            || model.isConfiguration(withName: usedConfiguration, compatibleWithStoreMetadata: metadata)
            || isOfOlderProgram(metadata, Swift.type(of: store))
    }

    /// Returns true if the store is of a later version of the model, beside which programs of this one may run.
    private func isOfOlderProgram(_ metadata: [String: Any], _ storeClass: NSPersistentStore.Type) -> Bool {
        storeClass.abilities.contains(.olderPrograms) && !options.flag(NSMigratePersistentStoresBackwardOption)
            && OlderPrograms(in: metadata).contains(model.versionChecksum)
    }

    /// Returns the error for a store with another version of the model.
    private func incompatibility(of store: NSPersistentStore) -> NSError {
        let metadata: [String: Any] = store.metadata
        return CoreDataError.make(
            NSPersistentStoreIncompatibleVersionHashError,
            description: "The model used to open the store is incompatible with the one used to create the store.",
            reason: "The model used to open the store is incompatible with the one used to create the store",
            advice: VersionDifference(
                model: model, configuration: usedConfiguration, metadata: metadata,
                stored: store.storedModel()
            ).advice,
            userInfo: ["metadata": metadata, NSURLErrorKey: location])
    }

    /// Adds the current model's version hashes to metadata without any, as many incremental stores have.
    private func completeMetadata(of store: NSPersistentStore) {
        var metadata: [String: Any] = store.metadata
        guard metadata[NSStoreModelVersionHashesKey] == nil else { return }
        metadata.merge(model.versionMetadata) { old, _ in old }
        let wasUnsaved = store.unsavedMetadata != nil
        store.metadata = metadata
        if !wasUnsaved { store.noteMetadataSaved() }
    }
}

extension NSManagedObjectModel {
    func versionHashes(forConfiguration configuration: String?) -> [String: Data] {
        let names = Set((entities(forConfigurationName: configuration) ?? []).compactMap(\.name))
        return entityVersionHashesByName.filter { names.contains($0.key) }
    }
}
