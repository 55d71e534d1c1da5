import MagicalRecord

/// Short ways to write a model in code.
enum Build {
    static func entity(_ name: String, class type: NSManagedObject.Type = NSManagedObject.self) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = NSStringFromClass(type)
        return entity
    }

    static func attribute(
        _ name: String, _ type: NSAttributeType, default value: Any? = nil, optional: Bool = true,
        info: [String: String] = [:]
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.defaultValue = value
        attribute.isOptional = optional
        if !info.isEmpty { attribute.userInfo = info }
        return attribute
    }

    /// A relationship without inverse, as the original's fixtures have them.
    @discardableResult
    static func relationship(
        _ name: String, of entity: NSEntityDescription, to destination: NSEntityDescription, many: Bool = false,
        ordered: Bool = false, rule: NSDeleteRule = .nullifyDeleteRule, info: [String: String] = [:]
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = many ? 0 : 1
        relationship.isOrdered = ordered
        relationship.deleteRule = rule
        if !info.isEmpty { relationship.userInfo = info }
        entity.properties.append(relationship)
        return relationship
    }

    static func inverse(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
        one.inverseRelationship = other
        other.inverseRelationship = one
    }

    static func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }
}
