import Foundation

/// Copies whole models, so that references between descriptions refer to the copies.
enum ModelCopier {
    /// Returns an editable model with copies of the entities, configurations and templates of all given models.
    ///
    /// Entities of the same name must be equal; the first is copied. `selection` filters the entities.
    static func copy(
        of models: [NSManagedObjectModel],
        selection: ((NSEntityDescription) -> Bool)? = nil
    ) -> NSManagedObjectModel {
        let result = NSManagedObjectModel()
        fill(result, from: models, selection: selection)
        return result
    }

    /// Fills an empty model with copies of the entities, configurations and templates of all given models.
    static func fill(
        _ result: NSManagedObjectModel,
        from models: [NSManagedObjectModel],
        selection: ((NSEntityDescription) -> Bool)? = nil
    ) {
        var copies: [String: NSEntityDescription] = [:]
        var originals: [(original: NSEntityDescription, copy: NSEntityDescription)] = []
        for original in models.flatMap(\.storedEntities) {
            guard let name = original.name, selection?(original) ?? true else { continue }
            if let known = originals.first(where: { $0.original.name == name }) {
                precondition(
                    known.original == original,
                    "Can't merge models with two different entities named '\(name)'.")
                continue
            }
            guard let copy = original.copy() as? NSEntityDescription else { continue }
            copies[name] = copy
            originals.append((original, copy))
        }
        for (original, copy) in originals {
            copy.subentities = original.children.compactMap { $0.name.flatMap { copies[$0] } }
        }
        result.entities = originals.map(\.copy)
        for (original, copy) in originals { connect(copy, like: original, copies: copies) }
        for model in models { copySettings(of: model, to: result, copies: copies) }
        let bundles = models.compactMap(\.versionBundles)
        result.versionBundles = bundles.count == models.count ? bundles.reduce(into: []) { $0.formUnion($1) } : nil
    }

    /// Replaces the destinations of the copied entity's relationships, fetched properties and indexes by copies.
    private static func connect(
        _ copy: NSEntityDescription,
        like original: NSEntityDescription,
        copies: [String: NSEntityDescription]
    ) {
        for (property, source) in zip(copy.ownProperties, original.ownProperties) {
            if let relationship = property as? NSRelationshipDescription,
                let source = source as? NSRelationshipDescription
            {
                let destination = source.destinationEntity?.name.flatMap { copies[$0] }
                relationship.destinationEntity = destination
                relationship.inverseRelationship = source.inverseRelationship.flatMap { inverse in
                    inverse.owner?.name.flatMap { copies[$0] }?.ownProperties
                        .first { $0.name == inverse.name } as? NSRelationshipDescription
                }
            } else if let request = (property as? NSFetchedPropertyDescription)?.fetchRequest {
                request.rebindEntity { copies[$0] }
            }
        }
        copy.rebindIndexes()
    }

    private static func copySettings(
        of model: NSManagedObjectModel,
        to result: NSManagedObjectModel,
        copies: [String: NSEntityDescription]
    ) {
        for (name, entities) in model.configurationEntities {
            let members = entities.compactMap { $0.name.flatMap { copies[$0] } }
            let known = result.configurationEntities[name] ?? []
            result.configurationEntities[name] = known + members.filter { member in !known.contains { $0 === member } }
        }
        for (name, template) in model.templates {
            guard let copy = template.copy() as? NSFetchRequest<any NSFetchRequestResult> else { continue }
            copy.rebindEntity { copies[$0] }
            result.templates[name] = copy
        }
        result.versionIdentifiers.formUnion(model.versionIdentifiers)
        result.localization.merge(model.localization)
    }
}
