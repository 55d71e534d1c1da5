import CoreData

extension MagicalRecord {
    /// One step of a migration over several versions of a model.
    public struct MigrationStep: Sendable {
        /// The places of the two versions in the list that was given.
        public let source: Int
        public let destination: Int
        /// Whether the mapping was worked out by Core Data, and not made for the two versions.
        public let isInferred: Bool
    }

    /// Brings a store to the newest of several versions of its model, over as many of those between as needed.
    ///
    /// ```swift
    /// let steps = try MagicalRecord.migrateStore(.sqlite(named: "Tasks"), through: versions)
    /// try MagicalRecord.setUp(.sqlite(named: "Tasks"), migration: .none, model: .model(versions.last!))
    /// ```
    /// A mapping model made for two versions may lead from any version to any later one. Where there is none, a mapping is
    /// inferred, but only from one version to the very next, so that no mapping in between is jumped over. Of all ways
    /// the one with the fewest steps is gone.
    ///
    /// The steps work on copies beside the store, which is replaced at the very end: whatever goes wrong before, it is
    /// as it was. Nobody may have the store open meanwhile. A step costs what migrating the whole store costs.
    ///
    /// - Parameters:
    ///   - store: the store. One that does not exist yet, or has the newest version, needs no step.
    ///   - versions: the versions of the model, the oldest first.
    ///   - bundles: where to look for mapping models; the main bundle unless told otherwise.
    ///   - progress: gets a unit for each step, and ends the migration between two when it is cancelled.
    ///   - mapping: a mapping model of your own between two versions, asked for before the bundles are.
    /// - Returns: the steps that were gone.
    /// - Throws: ``MagicalRecordError/Code/modelNotFound`` when no version fits the store,
    ///   ``MagicalRecordError/Code/noMigrationPath``, ``MagicalRecordError/Code/cancelled``, or Core Data's error of a step.
    @discardableResult
    public static func migrateStore(
        _ store: Store, through versions: [NSManagedObjectModel], mappingsIn bundles: [Bundle]? = nil,
        progress: Progress? = nil,
        mapping: (_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> NSMappingModel? = { _, _ in
            nil
        }
    ) throws -> [MigrationStep] {
        guard let url = store.url, FileManager.default.fileExists(atPath: url.path), let newest = versions.indices.last
        else { return [] }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: store.type, at: url, options: store.options)
        guard
            let present = versions.lastIndex(where: {
                $0.isConfiguration(withName: store.configuration, compatibleWithStoreMetadata: metadata)
            })
        else {
            throw MagicalRecordError(
                .modelNotFound, "None of the \(versions.count) versions fits the store \(url.lastPathComponent).",
                advice: "Give every version there has been, the oldest first.")
        }
        let path = try MigrationPath(versions, from: present, to: newest) { source, destination in
            mapping(versions[source], versions[destination])
                ?? NSMappingModel(
                    from: bundles, forSourceModel: versions[source], destinationModel: versions[destination])
        }
        progress?.totalUnitCount = Int64(path.legs.count)
        try path.run(on: store, at: url, versions, progress)
        return path.legs.map(\.step)
    }
}

extension MagicalRecord.ModelSource {
    /// All versions of a model that a compiled `.momd` folder holds, in the order of their names as people read them:
    /// Tasks, Tasks 2, … Tasks 10.
    ///
    /// - Throws: ``MagicalRecordError/Code/modelNotFound``.
    public static func versions(named name: String, in bundle: Bundle = .main) throws -> [NSManagedObjectModel] {
        let base = name.hasSuffix(".momd") ? String(name.dropLast(5)) : name
        guard let folder = bundle.url(forResource: base, withExtension: "momd") else {
            throw MagicalRecordError(
                .modelNotFound, "No model named \(base) with versions was found in \(bundle.bundlePath).",
                advice: "The name is that of the .xcdatamodeld file; in a package the bundle is .module.")
        }
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "mom" }
        let names = files.sorted {
            let names = [$0, $1].map { $0.deletingPathExtension().lastPathComponent }
            return names[0].compare(names[1], options: [.caseInsensitive, .numeric]) == .orderedAscending
        }
        return names.compactMap(NSManagedObjectModel.init(contentsOf:))
    }
}

/// The way from one version of a model to another.
struct MigrationPath {
    /// A step with its mapping.
    struct Leg {
        let step: MagicalRecord.MigrationStep
        let mapping: NSMappingModel
    }

    let legs: [Leg]

    /// - Parameter given: the mapping model made for two versions, if there is one.
    init(
        _ versions: [NSManagedObjectModel], from first: Int, to last: Int,
        given: (_ source: Int, _ destination: Int) -> NSMappingModel?
    ) throws {
        // By the number of steps: how each version is reached first.
        var arrivals: [Int: Leg] = [:]
        var waiting = [first][...]
        var reason: (any Error)?
        while arrivals[last] == nil, first != last, let source = waiting.popFirst() {
            for destination in (source + 1)..<(last + 1) where arrivals[destination] == nil {
                let made = given(source, destination)
                var mapping = made
                if mapping == nil, destination == source + 1 {
                    do {
                        mapping = try NSMappingModel.inferredMappingModel(
                            forSourceModel: versions[source], destinationModel: versions[destination])
                    } catch {
                        reason = error
                    }
                }
                guard let mapping else { continue }
                let step = MagicalRecord.MigrationStep(
                    source: source, destination: destination, isInferred: made == nil)
                arrivals[destination] = Leg(step: step, mapping: mapping)
                waiting.append(destination)
            }
        }
        var legs: [Leg] = []
        var place = last
        while place != first {
            guard let leg = arrivals[place] else {
                throw MagicalRecordError(
                    .noMigrationPath, "No mappings lead from version \(first + 1) of the model to version \(last + 1).",
                    advice: "Make a mapping model for the versions between which nothing can be inferred.",
                    underlying: reason)
            }
            legs.insert(leg, at: 0)
            place = leg.step.source
        }
        self.legs = legs
    }

    /// Goes the way in a folder beside the store, and puts the result in its place.
    func run(
        on store: MagicalRecord.Store, at url: URL, _ versions: [NSManagedObjectModel], _ progress: Progress?
    ) throws {
        guard !legs.isEmpty else { return }
        let folder = url.deletingLastPathComponent().appendingPathComponent(".migration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var present = url
        for (number, leg) in legs.enumerated() {
            guard progress?.isCancelled != true else {
                throw MagicalRecordError(.cancelled, "The migration was cancelled; the store is as it was.")
            }
            let next = folder.appendingPathComponent("\(number)-" + url.lastPathComponent)
            let manager = NSMigrationManager(
                sourceModel: versions[leg.step.source], destinationModel: versions[leg.step.destination])
            try autoreleasepool {
                try manager.migrateStore(
                    from: present, sourceType: store.type, options: store.options, with: leg.mapping,
                    toDestinationURL: next, destinationType: store.type, destinationOptions: store.options)
            }
            if present != url { try? MagicalRecord.removeStoreFiles(at: present) }
            present = next
            progress?.completedUnitCount += 1
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: versions[versions.count - 1])
        try coordinator.replacePersistentStore(
            at: url, destinationOptions: store.options, withPersistentStoreFrom: present,
            sourceOptions: store.options, ofType: store.type)
    }
}
