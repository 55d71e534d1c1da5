import Foundation

/// Which entities and properties of two versions of a model correspond to each other, and in what they differ.
///
/// An entity or property corresponds to the one of the same renaming identifier; failing that, to the one whose name its
/// identifier is; failing that, to the one of its own name.
final class ModelComparison {
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel
    /// Names of source entities by the names of the destination entities made from them.
    let sourceNames: [String: String]
    /// The reverse.
    let destinationNames: [String: String]
    /// Names of source properties by those of the destination properties, by destination entity.
    private let propertyNames: [String: [String: String]]
    private let ambiguities: [String]

    /// Freezes both models.
    init(source: NSManagedObjectModel, destination: NSManagedObjectModel) {
        source.freeze()
        destination.freeze()
        self.source = source
        self.destination = destination
        var ambiguities: [String] = []
        let entities = Matching(
            source: source.entities.map { .init(name: $0.name ?? "", identifier: $0.renamingIdentifier) },
            destination: destination.entities.map { .init(name: $0.name ?? "", identifier: $0.renamingIdentifier) })
        ambiguities += entities.ambiguities.map { "the entities \($0) claim to be the same entity of the source" }
        var properties: [String: [String: String]] = [:]
        for (name, sourceName) in entities.pairs {
            guard let new = destination.entitiesByName[name], let old = source.entitiesByName[sourceName] else {
                continue
            }
            let matching = Matching(source: Self.items(old), destination: Self.items(new))
            properties[name] = matching.pairs
            ambiguities += matching.ambiguities.map { "the properties \($0) of \(name) claim to be the same property" }
        }
        sourceNames = entities.pairs
        destinationNames = Dictionary(entities.pairs.map { ($1, $0) }) { first, _ in first }
        propertyNames = properties
        self.ambiguities = ambiguities
    }

    private static func items(_ entity: NSEntityDescription) -> [Matching.Item] {
        entity.properties.filter { !($0 is NSFetchedPropertyDescription) }.map {
            .init(name: $0.name, identifier: $0.renamingIdentifier)
        }
    }

    // MARK: Asking

    func sourceEntity(of entity: NSEntityDescription) -> NSEntityDescription? {
        entity.name.flatMap { sourceNames[$0] }.flatMap { source.entitiesByName[$0] }
    }

    func destinationEntity(of entity: NSEntityDescription) -> NSEntityDescription? {
        entity.name.flatMap { destinationNames[$0] }.flatMap { destination.entitiesByName[$0] }
    }

    /// The property of the source entity that a property of a destination entity, own or inherited, is made from.
    func sourceProperty(of property: String, in entity: NSEntityDescription) -> NSPropertyDescription? {
        guard let name = entity.name, let sourceName = propertyNames[name]?[property] else { return nil }
        return sourceEntity(of: entity)?.propertiesByName[sourceName]
    }

    /// The stored attribute whose values a destination attribute takes over.
    func sourceAttribute(of attribute: NSAttributeDescription, in entity: NSEntityDescription)
        -> NSAttributeDescription?
    {
        guard let found = sourceProperty(of: attribute.name, in: entity) as? NSAttributeDescription,
            !found.isTransient, !attribute.isTransient
        else { return nil }
        return found
    }

    /// The stored relationship whose objects a destination relationship takes over.
    ///
    /// A relationship whose destination entity is gone is a new one: its objects are gone too.
    func sourceRelationship(of relationship: NSRelationshipDescription, in entity: NSEntityDescription)
        -> NSRelationshipDescription?
    {
        guard let found = sourceProperty(of: relationship.name, in: entity) as? NSRelationshipDescription,
            !found.isTransient, !relationship.isTransient, let old = found.destinationEntity
        else { return nil }
        let survives = old.rootEntity.selfAndDescendants.contains { destinationEntity(of: $0) != nil }
        return survives ? found : nil
    }

    /// Why no mapping can be inferred; empty when one can.
    lazy var refusals: [String] = ambiguities + InferenceRules(self).refusals()

    /// - Throws: 134190 with all reasons.
    func checkInferable() throws {
        guard !refusals.isEmpty else { return }
        throw CoreDataError.make(
            NSInferredMappingModelError,
            description: "Persistent store migration failed, unable to infer a mapping model.",
            reason: "Can't infer mapping model for migration: " + refusals.joined(separator: "; ") + ".",
            advice:
                "Add a mapping model, migrate in several steps, or change the model: give new required attributes a "
                + "default value, and renamed entities and properties the old name as their renaming identifier.",
            userInfo: ["sourceModel": source, "destinationModel": destination, "reasons": refusals])
    }
}

/// Finds the pairs of two lists of named things.
struct Matching {
    struct Item {
        var name: String
        var identifier: String?
    }

    /// Source names by destination names.
    private(set) var pairs: [String: String] = [:]
    /// Groups of destination names that claim one source, in words.
    private(set) var ambiguities: [String] = []

    init(source: [Item], destination: [Item]) {
        var free = source
        var open = destination
        func pass(_ matches: (Item, Item) -> Bool) -> ([(Item, Item)], [[Item]]) {
            var found: [(Item, Item)] = []
            var clashes: [[Item]] = []
            for candidate in free {
                let claims = open.filter { matches(candidate, $0) }
                guard let first = claims.first(where: { $0.name == candidate.name }) ?? claims.first else { continue }
                if claims.count > 1, first.name != candidate.name { clashes.append(claims) }
                found.append((candidate, first))
                open.removeAll { $0.name == first.name }
            }
            return (found, clashes)
        }
        let rules: [(Item, Item) -> Bool] = [
            { $0.identifier ?? $0.name == $1.identifier ?? $1.name },
            { $0.name == $1.identifier ?? $1.name },
            { $0.name == $1.name },
        ]
        for rule in rules {
            let (found, clashes) = pass(rule)
            for (old, new) in found { pairs[new.name] = old.name }
            free.removeAll { old in found.contains { $0.0.name == old.name } }
            ambiguities += clashes.map { $0.map(\.name).sorted().joined(separator: " and ") }
        }
    }
}
