import CoreDataRowStorage
import Foundation

extension NSManagedObjectModel {
    /// The union of all models in the bundles; nil when there is none.
    ///
    /// For nil, the main bundle is searched; off Apple, resource bundles beside the program too, since that is where
    /// the package manager puts compiled models: that of the program's own target, else all. Two different entities of
    /// one name trap, naming the bundles; ``NSPersistentContainer`` reports them as the error of loading its stores.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        do {
            return try ModelMerge.model(in: bundles)
        } catch {
            let error = error as NSError
            fatalError("\(error.localizedDescription) \(error.localizedRecoverySuggestion ?? "")")
        }
    }

    /// The entities, among all versions of the models in the bundles, that a store with that metadata was written
    /// with; nil when one is missing.
    public class func mergedModel(
        from bundles: [Bundle]?,
        forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        ModelMatch.model(among: ModelSearch.allVersions(in: bundles), metadata: metadata)
    }

    /// The union of models. Two different entities of one name trap; nil for no models.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        guard let models, !models.isEmpty else { return nil }
        self.init()
        ModelCopier.fill(self, from: models)
    }

    /// The entities of the models that a store with that metadata was written with; nil when one is missing.
    public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
        guard let selection = ModelMatch.selection(among: models, metadata: metadata) else { return nil }
        self.init()
        ModelCopier.fill(self, from: models, selection: selection)
    }
}

/// Finds the entities a store was written with.
enum ModelMatch {
    /// A model of exactly the entities the metadata names; nil when one is missing.
    ///
    /// A single model that matches as a whole is preferred over entities gathered from several.
    static func model(among models: [NSManagedObjectModel], metadata: [String: Any]) -> NSManagedObjectModel? {
        if let whole = models.first(where: { $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) })
        {
            return whole
        }
        guard let selection = selection(among: models, metadata: metadata) else { return nil }
        return ModelCopier.copy(of: models, selection: selection)
    }

    /// Chooses entities by hash, each once; nil when not all of the metadata's hashes are met.
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
