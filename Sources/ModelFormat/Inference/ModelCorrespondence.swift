/// The correspondence of entities and properties between two versions of a model; determines whether a mapping can be inferred.
///
/// Both migration and the comparison of models use this type, so that tools and the framework agree.
package struct ModelCorrespondence: Sendable {
    package let source: ModelIndex
    package let destination: ModelIndex
    /// The names of source entities by the names of the destination entities made from them.
    package let sourceNames: [String: String]
    /// The names of destination entities by the names of their source entities.
    package let destinationNames: [String: String]
    /// The names of source properties by the names of destination properties, by destination entity.
    private let propertyNames: [String: [String: String]]
    /// The attributes and relationships by name, including inherited ones, by entity.
    private let sourceProperties: [String: [String: ModelProperty]]
    private let ambiguities: [InferenceRefusal]

    package init(source sourceModel: Model, destination destinationModel: Model) {
        source = ModelIndex(sourceModel)
        destination = ModelIndex(destinationModel)
        var ambiguities: [InferenceRefusal] = []
        let entities = Matching(
            source: sourceModel.entities.map { .init(name: $0.name, identifier: $0.renamingIdentifier) },
            destination: destinationModel.entities.map { .init(name: $0.name, identifier: $0.renamingIdentifier) })
        ambiguities += entities.ambiguities.map {
            InferenceRefusal(.ambiguity, reason: "the entities \($0) claim to be the same entity of the source")
        }
        var properties: [String: [String: String]] = [:]
        var sourceProperties: [String: [String: ModelProperty]] = [:]
        for (name, sourceName) in entities.pairs.sorted(byText: \.key) {
            let old = source.properties(sourceName)
            let matching = Matching(source: old.map(\.item), destination: destination.properties(name).map(\.item))
            properties[name] = matching.pairs
            sourceProperties[sourceName] = Dictionary(old.map { ($0.name, $0) }) { first, _ in first }
            ambiguities += matching.ambiguities.map {
                InferenceRefusal(
                    .ambiguity, entity: name,
                    reason: "the properties \($0) of \(name) claim to be the same property")
            }
        }
        sourceNames = entities.pairs
        destinationNames = Dictionary(entities.pairs.map { ($1, $0) }) { first, _ in first }
        propertyNames = properties
        self.sourceProperties = sourceProperties
        self.ambiguities = ambiguities
    }

    /// Returns the reasons why no mapping can be inferred; empty if one can.
    package func refusals() -> [InferenceRefusal] { ambiguities + InferenceRules(self).refusals() }

    /// Returns the data that stores of the source may contain and a migration by the inferred mapping cannot preserve.
    package func hazards() -> [MigrationHazard] { HazardRules(self).hazards() }

    /// Returns the names of the source entities, properties and elements that an inferred migration drops.
    package func losses() -> [String] { LossRules(self).losses() }

    /// Returns the names of source properties by the names of a destination entity's properties, including inherited ones.
    package func propertyNames(of entity: String) -> [String: String] { propertyNames[entity] ?? [:] }

    /// Returns the property of the source entity from which a property of a destination entity, declared or inherited, is made.
    package func sourceProperty(of property: String, in entity: String) -> ModelProperty? {
        guard let sourceName = sourceNames[entity], let name = propertyNames[entity]?[property] else { return nil }
        return sourceProperties[sourceName]?[name]
    }

    /// Returns the destination entities with a source that have a property as declared by an entity.
    package func heirs(of property: String, declaredIn entity: String) -> [String] {
        destination.family(entity).map(\.name).filter { heir in
            let owner = destination.lineage(heir).first { ancestor in
                ModelProperty.own(ancestor).contains { $0.name == property }
            }
            return owner?.name == entity && source[sourceNames[heir]]?.isAbstract == false
        }
    }

    /// Returns whether any entities remain to which the objects of a source relationship can belong.
    ///
    /// If the destination entity of a relationship is gone with its whole family, the relationship is new: its objects are
    /// dropped too.
    package func survives(_ relationship: Relationship) -> Bool { !successors(of: relationship).isEmpty }

    /// Returns the destination entities made from the family of the relationship's destination.
    package func successors(of relationship: Relationship) -> [String] {
        source.family(source.root(relationship.destinationName)).compactMap { destinationNames[$0.name] }
    }

    /// Returns the names of source elements by the names of destination elements of a composite attribute.
    package func elementNames(_ old: Attribute, _ new: Attribute) -> [String: String] {
        Matching(
            source: source.elements(of: old).map { .init(name: $0.name, identifier: $0.renamingIdentifier) },
            destination: destination.elements(of: new).map { .init(name: $0.name, identifier: $0.renamingIdentifier) }
        ).pairs
    }
}
