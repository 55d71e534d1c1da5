/// Takes out of subentities what they only repeat from their ancestors.
enum OwnProperties {
    static func reduced(_ entities: [Entity]) throws(ModelFormatError) -> [Entity] {
        guard entities.contains(where: { $0.parentName != nil }) else { return entities }
        let byName = [String: Entity](entities, by: \.name)
        var result: [Entity] = []
        for entity in entities {
            var reduced = entity
            var visited: Set = [entity.name]
            var parentName = entity.parentName
            while let name = parentName, let parent = byName[name] {
                guard visited.insert(name).inserted else {
                    throw ModelFormatError(.cycle, "the entity inherits from itself", entity: entity.name)
                }
                let attributes = Set(parent.attributes)
                let relationships = Set(parent.relationships)
                let fetched = Set(parent.fetchedProperties)
                // An index flag may be on the ancestor's copy alone.
                reduced.attributes.removeAll { attributes.contains($0) || isCopy($0, of: parent.attributes) }
                reduced.relationships.removeAll { relationships.contains($0) || isCopy($0, of: parent.relationships) }
                reduced.fetchedProperties.removeAll { fetched.contains($0) }
                parentName = parent.parentName
            }
            result.append(reduced)
        }
        return result
    }

    private static func isCopy(_ attribute: Attribute, of others: [Attribute]) -> Bool {
        guard var other = others.first(where: { $0.name == attribute.name }) else { return false }
        other.isIndexed = attribute.isIndexed
        return other == attribute
    }

    private static func isCopy(_ relationship: Relationship, of others: [Relationship]) -> Bool {
        guard var other = others.first(where: { $0.name == relationship.name }) else { return false }
        other.isIndexed = relationship.isIndexed
        return other == relationship
    }
}
