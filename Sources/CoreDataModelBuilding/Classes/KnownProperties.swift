import ModelFormat

/// The properties of an entity in a model, including inherited ones.
struct KnownProperties {
    private var attributes: [String: Attribute] = [:]
    private var relationships: [String: Relationship] = [:]
    private var others: Set<String> = []

    init(of entity: Entity, in model: Model) {
        for ancestor in model.lineage(of: entity).reversed() {
            for attribute in ancestor.attributes { attributes[attribute.name] = attribute }
            for relationship in ancestor.relationships { relationships[relationship.name] = relationship }
            others.formUnion(ancestor.fetchedProperties.map(\.name))
        }
    }

    func attribute(_ name: String) -> Attribute? { attributes[name] }

    func relationship(_ name: String) -> Relationship? { relationships[name] }

    func contains(_ name: String) -> Bool {
        attributes[name] != nil || relationships[name] != nil || others.contains(name)
    }
}
