/// Which entities and properties of two versions of a model correspond to each other, and whether a mapping between the
/// versions can be inferred.
///
/// Migration and the comparison of models both ask this type, so that a tool says what the framework does.
package struct ModelCorrespondence: Sendable {
    package let source: ModelIndex
    package let destination: ModelIndex
    /// Names of source entities by the names of the destination entities made from them.
    package let sourceNames: [String: String]
    /// The reverse.
    package let destinationNames: [String: String]
    /// Names of source properties by those of the destination properties, by destination entity.
    private let propertyNames: [String: [String: String]]
    /// Attributes and relationships by name, inherited ones included, by entity.
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

    /// Why no mapping can be inferred; empty when one can.
    package func refusals() -> [InferenceRefusal] { ambiguities + InferenceRules(self).refusals() }

    /// What stores of the source may hold that a migration by the inferred mapping cannot carry over.
    package func hazards() -> [MigrationHazard] { HazardRules(self).hazards() }

    /// What an inferred migration drops: the entities, properties and elements of the source, by name.
    package func losses() -> [String] { LossRules(self).losses() }

    /// Names of source properties by those of the properties, own and inherited, of a destination entity.
    package func propertyNames(of entity: String) -> [String: String] { propertyNames[entity] ?? [:] }

    /// The property of the source entity that a property of a destination entity, own or inherited, is made from.
    package func sourceProperty(of property: String, in entity: String) -> ModelProperty? {
        guard let sourceName = sourceNames[entity], let name = propertyNames[entity]?[property] else { return nil }
        return sourceProperties[sourceName]?[name]
    }

    /// The destination entities with objects of the source that have a property as an entity declares it.
    package func heirs(of property: String, declaredIn entity: String) -> [String] {
        destination.family(entity).map(\.name).filter { heir in
            let owner = destination.lineage(heir).first { ancestor in
                ModelProperty.own(ancestor).contains { $0.name == property }
            }
            return owner?.name == entity && source[sourceNames[heir]]?.isAbstract == false
        }
    }

    /// Whether entities are left that objects of a source relationship can have become.
    ///
    /// A relationship whose destination entity is gone with all its relatives is a new one: its objects are gone too.
    package func survives(_ relationship: Relationship) -> Bool { !successors(of: relationship).isEmpty }

    /// The destination entities that entities related to the relationship's destination have become.
    package func successors(of relationship: Relationship) -> [String] {
        source.family(source.root(relationship.destinationName)).compactMap { destinationNames[$0.name] }
    }

    /// Names of source elements by those of destination elements of a composite attribute.
    package func elementNames(_ old: Attribute, _ new: Attribute) -> [String: String] {
        Matching(
            source: source.elements(of: old).map { .init(name: $0.name, identifier: $0.renamingIdentifier) },
            destination: destination.elements(of: new).map { .init(name: $0.name, identifier: $0.renamingIdentifier) }
        ).pairs
    }
}
