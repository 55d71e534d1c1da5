import CoreDataRowStorage
import Foundation

/// One call of `migrateStore`: opens the stores, performs the mappings in three steps, and saves.
struct MigrationRun {
    struct Place {
        var url: URL
        var type: String
        var options: [AnyHashable: Any]?
        /// The configuration with which the store is opened.
        var configuration: String?

        var place: StorePlace { StorePlace(url, StoreOptions(options)) }
        /// The class registered for the type.
        var storeClass: NSPersistentStore.Type { get throws { try StoreRegistry.requireClass(for: type) } }
    }

    let manager: NSMigrationManager
    let mapping: NSMappingModel
    let source: Place
    let destination: Place

    func run() throws {
        try MappingCheck(
            mapping: mapping, source: manager.sourceModel, destination: manager.destinationModel,
            subject: "\(source.url.lastPathComponent) could not be migrated to \(destination.url.lastPathComponent)"
        ).run()
        try MigrationPlaces(source: source, destination: destination, model: manager.sourceModel).check()
        manager.state.withLock { $0 = NSMigrationManager.State(progress: 0, cancellation: $0.cancellation) }
        try manager.checkCancellation()
        // An unregistered type is reported as an error of opening the destination.
        let storeClass = try? destination.storeClass
        let wasOccupied = storeClass?.isOccupied(destination.place) == true
        let existed = wasOccupied && storeClass?.isEmpty(destination.place) == false
        do {
            if !existed, let request = try engineMigration() {
                try copySource()
                try migrateCopy(request)
            } else {
                try migrateObjects()
            }
            manager.setProgress(1)
            manager.state.withLock { $0.cancellation = nil }
        } catch {
            manager.state.withLock { $0.cancellation = nil }
            if !existed {
                storeClass?.discardStore(at: destination.place, keepsPlace: wasOccupied)
            }
            throw error
        }
    }

    /// The comparison from which the mapping was inferred, if neither it nor its entity mappings have been edited.
    private var inferredComparison: ModelComparison? {
        guard let comparison = mapping.comparison, comparison.source === manager.sourceModel,
            comparison.destination === manager.destinationModel,
            // Entity mappings are separate objects, each of which may have been edited.
            mapping.entityMappings == InferredMapping(comparison).make().entityMappings
        else { return nil }
        return comparison
    }

    /// Copies the source to the destination, for the database to migrate there.
    private func copySource() throws {
        let places = MigrationPlaces(source: source, destination: destination, model: manager.sourceModel)
        try places.checkVersion()
        do {
            let timeout = min(source.place.timeout, destination.place.timeout)
            try destination.storeClass.copyStore(
                at: source.place, to: StorePlace(destination.url, StoreOptions(timeout: timeout)))
        } catch {
            throw places.destinationFailure(error)
        }
    }

    /// Migrates the copy of the source in place. Errors about the copy's data are reported for the source, because the caller
    /// deletes the copy.
    private func migrateCopy(_ request: EngineMigrationRequest) throws {
        do {
            // The copy is opened for writing, regardless of the options for the migrated store.
            let place = StorePlace(destination.url, StoreOptions(timeout: destination.place.timeout))
            let copy = try destination.storeClass.find(place)
            defer { copy.closeStore() }
            try copy.migrate(request, manager)
        } catch let error as NSError
            where [NSMigrationError, NSMigrationConstraintViolationError].contains(error.code)
        {
            throw RetoldError(copy: destination.url, store: source.url).retell(error)
        }
    }

    /// Returns the migration that the store's engine can perform, for an inferred mapping that has not been edited; nil
    /// otherwise.
    private func engineMigration() throws -> EngineMigrationRequest? {
        guard manager.usesStoreSpecificMigrationManager, let comparison = inferredComparison,
            source.type == destination.type
        else { return nil }
        let request = comparison.engineRequest(leadsBack: manager.leadsBack)
        return try destination.storeClass.canMigrate(request) ? request : nil
    }

    // MARK: Object by object

    private func migrateObjects() throws {
        manager.contexts = nil
        manager.runningMapping = mapping
        let (from, to) = (manager.sourceContext, manager.destinationContext)
        defer { close(from, to) }
        try open(from, to)
        try to.performAndWait {
            try from.performAndWait {
                manager.associations =
                    manager.savedAssociations.map { Associations($0, source: from, destination: to) } ?? Associations()
                defer { manager.runningEntityMapping = nil }
                let inferred = inferredComparison
                let objects = SourceObjects(from)
                if let inferred { try ObjectHazardCheck(comparison: inferred, objects: objects).run(at: source.url) }
                do { try carryOut() } catch { throw from.missingValue ?? error }
                if let inferred { try JoinedLinks(comparison: inferred, objects: objects).restore(manager) }
                // Code in a policy may have read an unreadable value as nil.
                if let missing = from.missingValue { throw missing }
                try from.throwReadError()
                noteVersion(of: from, in: to)
                try save(to)
                manager.savedAssociations = manager.associations.saved()
            }
        }
    }

    private func open(_ from: NSManagedObjectContext, _ to: NSManagedObjectContext) throws {
        let places = MigrationPlaces(source: source, destination: destination, model: manager.sourceModel)
        do {
            var options = source.options ?? [:]
            options[NSReadOnlyPersistentStoreOption] = true
            for key in [
                NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
                NSPersistentStoreStagedMigrationManagerOptionKey, NSPersistentHistoryTrackingKey,
            ] {
                options[key] = nil
            }
            guard try source.type == NSInMemoryStoreType || source.storeClass.isOccupied(source.place) else {
                throw CoreDataError.make(
                    NSFileReadNoSuchFileError, description: "There is no store at \(source.url.path).")
            }
            let url = try source.storeClass.migrationSource(source.place, for: destination.place).url
            _ = try from.persistentStoreCoordinator?.addPersistentStore(
                ofType: source.type, configurationName: source.configuration, at: url, options: options)
        } catch {
            throw places.sourceFailure(error)
        }
        do {
            var options = destination.options ?? [:]
            options[NSMigratePersistentStoresAutomaticallyOption] = nil
            options[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
            _ = try to.persistentStoreCoordinator?.addPersistentStore(
                ofType: destination.type, configurationName: destination.configuration, at: destination.url,
                options: options)
        } catch {
            throw places.destinationFailure(error)
        }
    }

    private func close(_ from: NSManagedObjectContext, _ to: NSManagedObjectContext) {
        manager.associations = Associations()
        for context in [from, to] {
            context.performAndWait { context.reset() }
            guard let coordinator = context.persistentStoreCoordinator else { continue }
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
        }
    }

    /// Adds the source's version to the former versions listed in the destination's metadata.
    private func noteVersion(of from: NSManagedObjectContext, in to: NSManagedObjectContext) {
        guard let source = from.persistentStoreCoordinator?.persistentStores.first,
            let store = to.persistentStoreCoordinator?.persistentStores.first, store.rowStore != nil
        else { return }
        var metadata: [String: Any] = store.metadata
        FormerVersions.note(
            migrationFrom: source.metadata, in: &metadata,
            manager.leadsBack ? .back : inferredComparison?.direction ?? .forward)
        store.metadata = metadata
    }

    private func carryOut() throws {
        let mappings = mapping.entityMappings ?? []
        let policies = try mappings.map(MigrationPolicies.make)
        let steps = zip(mappings, policies)
        var meter = MigrationMeter(manager, mappings: mappings)
        for (mapping, policy) in steps { try createInstances(mapping, policy, &meter) }
        for (mapping, policy) in steps { try createRelationships(mapping, policy, &meter) }
        for (mapping, policy) in steps {
            manager.runningEntityMapping = mapping
            try manager.checkCancellation()
            try policy.performCustomValidation(forMapping: mapping, manager: manager)
            try policy.end(mapping, manager: manager)
        }
        try manager.checkCancellation()
    }

    private func createInstances(
        _ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy, _ meter: inout MigrationMeter
    ) throws {
        manager.runningEntityMapping = mapping
        try manager.checkCancellation()
        try policy.begin(mapping, with: manager)
        if mapping.mappingType != .addEntityMappingType, mapping.mappingType != .removeEntityMappingType {
            for object in try manager.sourceObjects(of: mapping) {
                try manager.checkCancellation()
                try policy.createDestinationInstances(forSource: object, in: mapping, manager: manager)
                meter.advance()
            }
        }
        try policy.endInstanceCreation(forMapping: mapping, manager: manager)
    }

    private func createRelationships(
        _ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy, _ meter: inout MigrationMeter
    ) throws {
        manager.runningEntityMapping = mapping
        try manager.checkCancellation()
        for object in manager.destinationInstances(forEntityMappingName: mapping.name ?? "", sourceInstances: nil)
        where !object.isDeleted {
            try manager.checkCancellation()
            try policy.createRelationships(forDestination: object, in: mapping, manager: manager)
            meter.advance()
        }
        try policy.endRelationshipCreation(forMapping: mapping, manager: manager)
    }

    /// Saves the destination. Errors of individual objects include descriptions of the objects, which no longer exist when the
    /// errors are read.
    private func save(_ context: NSManagedObjectContext) throws {
        do {
            try context.save()
        } catch {
            let details = ((error as NSError).userInfo[NSDetailedErrorsKey] as? [NSError]) ?? [error as NSError]
            let isDuplicate = (error as NSError).code == NSManagedObjectConstraintMergeError
            throw CoreDataError.make(
                isDuplicate ? NSMigrationConstraintViolationError : NSMigrationError,
                description: "The migrated objects could not be saved.",
                reason: details.prefix(20).map(describe).joined(separator: "\n"),
                advice: "Correct the values in the source, or compute valid ones in the mapping model.",
                entity: (details.first?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject)?.entity.name,
                key: details.first?.userInfo[NSValidationKeyErrorKey] as? String, underlying: error,
                userInfo: [NSDetailedErrorsKey: details])
        }
    }

    private func describe(_ error: NSError) -> String {
        let object = error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject
        let key = error.userInfo[NSValidationKeyErrorKey] as? String
        let origin = object.flatMap { object in
            (mapping.entityMappings ?? []).lazy.compactMap {
                manager.sourceInstances(forEntityMappingName: $0.name ?? "", destinationInstances: [object]).first
            }.first
        }
        var words = object.map { $0.entity.name ?? "?" } ?? ""
        if let key { words += words.isEmpty ? key : ".\(key)" }
        if let origin { words += " of \(origin.objectID.uriRepresentation().absoluteString)" }
        return (words.isEmpty ? "" : words + ": ") + error.localizedDescription
    }
}

/// A counter of migrated objects that updates the migration's progress.
struct MigrationMeter {
    private let manager: NSMigrationManager
    private let total: Float
    private var done = 0

    /// Creates a counter for all objects to migrate, at the cost of one count request per mapping.
    init(_ manager: NSMigrationManager, mappings: [NSEntityMapping]) {
        self.manager = manager
        var count = 0
        for mapping in mappings where mapping.destinationEntityName != nil {
            guard let name = mapping.sourceEntityName else { continue }
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.includesSubentities = false
            count += (try? manager.sourceContext.count(for: request)) ?? 0
        }
        total = Float(max(1, count * 2))
    }

    mutating func advance() {
        done += 1
        // Saving takes the remaining share.
        if done % 16 == 0 { manager.setProgress(min(1, Float(done) / total) * 0.9) }
    }
}
