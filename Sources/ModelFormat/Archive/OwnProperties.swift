/// Removes inherited properties that subentities repeat.
enum OwnProperties {
    static func reduced(_ entities: [Entity]) throws(ModelFormatError) -> [Entity] {
        guard entities.contains(where: { $0.parentName != nil }) else { return entities }
        let byName = [String: Entity](entities, by: \.name)
        try checkCycles(entities, byName)
        var uses: [String: Int] = [:]
        for entity in entities { forEachName(of: entity) { uses[$0, default: 0] += 1 } }
        var result: [Entity] = []
        for entity in entities {
            var repeats = false
            if entity.parentName != nil { forEachName(of: entity) { if uses[$0] != 1 { repeats = true } } }
            result.append(repeats ? reduced(entity, byName) : entity)
        }
        return result
    }

    private static func reduced(_ entity: Entity, _ byName: [String: Entity]) -> Entity {
        var reduced = entity
        var parentName = entity.parentName
        while let name = parentName, let parent = byName[name] {
            let attributes = Set(parent.attributes)
            let relationships = Set(parent.relationships)
            let fetched = Set(parent.fetchedProperties)
            // An index flag may be on the ancestor's copy alone.
            reduced.attributes.removeAll { attributes.contains($0) || isCopy($0, of: parent.attributes) }
            reduced.relationships.removeAll { relationships.contains($0) || isCopy($0, of: parent.relationships) }
            reduced.fetchedProperties.removeAll { fetched.contains($0) }
            parentName = parent.parentName
        }
        return reduced
    }

    private static func forEachName(of entity: Entity, _ body: (String) -> Void) {
        for attribute in entity.attributes { body(attribute.name) }
        for relationship in entity.relationships { body(relationship.name) }
        for property in entity.fetchedProperties { body(property.name) }
    }

    private static func checkCycles(_ entities: [Entity], _ byName: [String: Entity]) throws(ModelFormatError) {
        var checked: Set<String> = []
        for entity in entities {
            var path: Set<String> = []
            var name: String? = entity.name
            while let current = name, !checked.contains(current), let ancestor = byName[current] {
                guard path.insert(current).inserted else {
                    throw ModelFormatError(.cycle, "the entity inherits from itself", entity: entity.name)
                }
                name = ancestor.parentName
            }
            checked.formUnion(path)
        }
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
