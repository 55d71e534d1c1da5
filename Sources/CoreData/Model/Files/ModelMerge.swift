import CoreDataRowStorage
import Foundation

/// Merges the models of bundles, and reports models that cannot be merged.
enum ModelMerge {
    /// Returns the union of all models in the bundles; nil if there is none.
    ///
    /// - Throws: `NSCoreDataError` naming the bundles if two models have different entities of one name.
    static func model(in bundles: [Bundle]?) throws -> NSManagedObjectModel? {
        let found = ModelSearch.modelFiles(in: bundles).compactMap { url in
            NSManagedObjectModel(contentsOf: url).map { (url: url, model: $0) }
        }
        guard !found.isEmpty else { return nil }
        try check(found)
        return ModelCopier.copy(of: found.map(\.model))
    }

    private static func check(_ found: [(url: URL, model: NSManagedObjectModel)]) throws {
        var known: [String: (url: URL, entity: NSEntityDescription)] = [:]
        for (url, model) in found {
            for entity in model.storedEntities {
                guard let name = entity.name else { continue }
                guard let other = known[name] else {
                    known[name] = (url, entity)
                    continue
                }
                guard other.entity != entity else { continue }
                throw conflict(name, other.url, url, all: found.map(\.url))
            }
        }
    }

    private static func conflict(_ entity: String, _ one: URL, _ other: URL, all: [URL]) -> NSError {
        CoreDataError.make(
            NSCoreDataError,
            description:
                "The models beside the program cannot be merged: \(place(one)) and \(place(other)) have different "
                + "entities named \(entity).",
            reason: "No model was named, so all were to be merged: \(all.map(place).joined(separator: ", ")).",
            advice: "Name the model's bundle: NSManagedObjectModel.mergedModel(from: [.module]) and "
                + "NSPersistentContainer(name:managedObjectModel:), or model: .merged(from: [.module]) for MagicalRecord.",
            entity: entity, userInfo: ["bundles": all.map { $0.deletingLastPathComponent().path }])
    }

    /// Returns the name of a file and of its bundle.
    private static func place(_ url: URL) -> String {
        "\(url.deletingLastPathComponent().lastPathComponent)/\(url.lastPathComponent)"
    }
}

extension NSManagedObjectModel {
    /// Returns the union of all models in the bundles, like ``mergedModel(from:)``, but throws if models cannot be merged.
    ///
    /// - Throws: `NSCoreDataError` naming the bundles if two models have different entities of one name.
    package static func merging(bundles: [Bundle]?) throws -> NSManagedObjectModel? {
        try ModelMerge.model(in: bundles)
    }
}
