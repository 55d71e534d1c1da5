/// The entities of a model by name, with resolved inheritance.
package struct ModelIndex: Sendable {
    package let model: Model
    private let byName: [String: Entity]
    /// The entity and its ancestors, nearest first, by entity name.
    private let lineages: [String: [Entity]]
    /// The entity and its descendants, in the order of the model, by entity name.
    private let families: [String: [Entity]]

    package init(_ model: Model) {
        self.model = model
        let byName = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
        var lineages: [String: [Entity]] = [:]
        var families: [String: [Entity]] = [:]
        for entity in model.entities where lineages[entity.name] == nil {
            let lineage = Self.lineage(entity.name, byName)
            lineages[entity.name] = lineage
            for ancestor in lineage { families[ancestor.name, default: []].append(entity) }
        }
        self.byName = byName
        self.lineages = lineages
        self.families = families
    }

    /// Returns an entity and its ancestors; stops at an inheritance cycle.
    private static func lineage(_ name: String, _ byName: [String: Entity]) -> [Entity] {
        var lineage: [Entity] = []
        var visited: Set<String> = []
        var current = byName[name]
        while let entity = current, visited.insert(entity.name).inserted {
            lineage.append(entity)
            current = entity.parentName.flatMap { byName[$0] }
        }
        return lineage
    }

    package subscript(name: String?) -> Entity? { name.flatMap { byName[$0] } }

    /// Returns the entity and its ancestors, nearest first; stops at an inheritance cycle.
    package func lineage(_ name: String) -> [Entity] { lineages[name] ?? [] }

    /// Returns the root of the entity's hierarchy. Its table contains the rows of the entity.
    package func root(_ name: String) -> String { lineages[name]?.last?.name ?? name }

    /// Returns the entity and all its descendants.
    package func family(_ name: String) -> [Entity] { families[name] ?? [] }

    package func attributes(_ name: String) -> [Attribute] { lineage(name).flatMap(\.attributes) }
    package func relationships(_ name: String) -> [Relationship] { lineage(name).flatMap(\.relationships) }

    /// Returns the attributes and relationships of an entity, including inherited ones; declarations shadow those of ancestors.
    package func properties(_ name: String) -> [ModelProperty] {
        var names: Set<String> = []
        return lineage(name).flatMap { entity in
            ModelProperty.own(entity).filter { names.insert($0.name).inserted }
        }
    }

    /// Returns the elements of a composite attribute: its own, or those of its named type.
    package func elements(of attribute: Attribute) -> [Attribute] {
        guard attribute.elements.isEmpty, let name = attribute.compositeName else { return attribute.elements }
        return model.composites.first { $0.name == name }?.attributes ?? []
    }
}

/// An attribute or a relationship: the properties for which a store has values.
package enum ModelProperty: Sendable, Hashable {
    case attribute(Attribute)
    case relationship(Relationship)

    /// Returns the attributes and relationships that an entity declares.
    package static func own(_ entity: Entity) -> [ModelProperty] {
        entity.attributes.map { .attribute($0) } + entity.relationships.map { .relationship($0) }
    }

    package var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }

    package var identifier: String? {
        switch self {
        case .attribute(let attribute): attribute.renamingIdentifier
        case .relationship(let relationship): relationship.renamingIdentifier
        }
    }

    package var isTransient: Bool {
        switch self {
        case .attribute(let attribute): attribute.isTransient
        case .relationship(let relationship): relationship.isTransient
        }
    }

    package var kind: String {
        switch self {
        case .attribute: "attribute"
        case .relationship: "relationship"
        }
    }

    var item: Matching.Item { Matching.Item(name: name, identifier: identifier) }
}
