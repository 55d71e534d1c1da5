import CoreDataRowStorage
import Foundation

extension NSManagedObjectModel {
    /// Returns the union of all models in the bundles; nil if there is none.
    ///
    /// nil searches the main bundle; off Apple's platforms, if the main bundle has no models, also the resource bundles beside
    /// the program, to which the package manager copies compiled models: those of the program's target, or else all. Traps if
    /// two models have different entities of one name, naming the bundles; ``NSPersistentContainer`` reports them as the error
    /// of loading its stores.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        do {
            return try ModelMerge.model(in: bundles)
        } catch {
            let error = error as NSError
            fatalError("\(error.localizedDescription) \(error.localizedRecoverySuggestion ?? "")")
        }
    }

    /// Returns a model of the entities with which a store with this metadata was written, found among all versions of the
    /// models in the bundles; nil if one is missing.
    public class func mergedModel(
        from bundles: [Bundle]?,
        forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        ModelMatch.model(among: ModelSearch.allVersions(in: bundles), metadata: metadata)
    }

    /// Creates the union of models; returns nil for no models. Traps if two models have different entities of one name.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        guard let models, !models.isEmpty else { return nil }
        self.init()
        ModelCopier.fill(self, from: models)
    }

    /// Creates a model of the entities with which a store with this metadata was written; returns nil if one is missing.
    public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
        guard let selection = ModelMatch.selection(among: models, metadata: metadata) else { return nil }
        self.init()
        ModelCopier.fill(self, from: models, selection: selection)
    }
}

/// Finds the entities with which a store was written.
enum ModelMatch {
    /// Returns a model of exactly the entities that the metadata names; nil if one is missing.
    ///
    /// A single model that matches as a whole takes precedence over entities of several models.
    static func model(among models: [NSManagedObjectModel], metadata: [String: Any]) -> NSManagedObjectModel? {
        if let whole = models.first(where: { $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) })
        {
            return whole
        }
        guard let selection = selection(among: models, metadata: metadata) else { return nil }
        return ModelCopier.copy(of: models, selection: selection)
    }

    /// Selects entities by version hash, each once; returns nil if an entity is missing for one of the metadata's hashes.
    static func selection(
        among models: [NSManagedObjectModel],
        metadata: [String: Any]
    ) -> ((NSEntityDescription) -> Bool)? {
        guard let wanted = StoreVersionHashes.hashes(in: metadata), !wanted.isEmpty else { return nil }
        var chosen: [String: ObjectIdentifier] = [:]
        for model in models {
            let hashes = model.entityVersionHashesByName
            for entity in model.storedEntities {
                guard let name = entity.name, chosen[name] == nil, let hash = wanted[name], hash == hashes[name]
                else { continue }
                chosen[name] = ObjectIdentifier(entity)
            }
        }
        guard chosen.count == wanted.count else { return nil }
        let identities = Set(chosen.values)
        return { identities.contains(ObjectIdentifier($0)) }
    }
}
