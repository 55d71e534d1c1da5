import CoreData
import Foundation

extension Schema {
    /// Returns the schema as a Core Data model created in code.
    ///
    /// - Throws: ``InteropError`` if the system does not support a type of attribute.
    public func model() throws -> NSManagedObjectModel {
        var descriptions: [String: NSEntityDescription] = [:]
        for entity in entities {
            let description = NSEntityDescription()
            description.name = entity.name
            description.isAbstract = entity.isAbstract
            description.renamingIdentifier = entity.formerName
            descriptions[entity.name] = description
        }
        var relationships: [String: NSRelationshipDescription] = [:]
        for entity in entities {
            guard let description = descriptions[entity.name] else { continue }
            let links = entity.links.map { link in
                let relationship = link.description(to: descriptions[link.destination])
                relationships["\(entity.name).\(link.name)"] = relationship
                return relationship
            }
            description.properties = try entity.attributes.map { try $0.description() } + links
            description.subentities = entities.filter { $0.parent == entity.name }.compactMap { descriptions[$0.name] }
        }
        for entity in entities {
            for link in entity.links {
                relationships["\(entity.name).\(link.name)"]?.inverseRelationship =
                    relationships["\(link.destination).\(link.inverse)"]
            }
            if !entity.constraints.isEmpty {
                descriptions[entity.name]?.uniquenessConstraints = entity.constraints.map { $0 as [Any] }
            }
        }
        let model = NSManagedObjectModel()
        model.entities = entities.compactMap { descriptions[$0.name] }
        return model
    }
}

extension LinkShape {
    fileprivate func description(to destination: NSEntityDescription?) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.minCount = 0
        relationship.maxCount = isToMany ? 0 : 1
        relationship.isOptional = true
        relationship.isOrdered = isOrdered
        relationship.deleteRule = cascades ? .cascadeDeleteRule : .nullifyDeleteRule
        relationship.renamingIdentifier = formerName
        return relationship
    }
}

extension AttributeShape {
    fileprivate func description() throws -> NSAttributeDescription {
        let attribute = try plainDescription()
        attribute.name = name
        attribute.isOptional = isOptional
        attribute.renamingIdentifier = formerName
        attribute.preservesValueInHistoryOnDeletion = outlivesObject
        if let value = defaultValue.object { attribute.defaultValue = value }
        return attribute
    }

    private func plainDescription() throws -> NSAttributeDescription {
        if case .composite(let elements) = kind {
            guard #available(macOS 14, *) else { throw InteropError("composite attributes need macOS 14") }
            let attribute = NSCompositeAttributeDescription()
            attribute.elements = try elements.map { try $0.description() }
            return attribute
        }
        let attribute: NSAttributeDescription
        if let derivation {
            let derived = NSDerivedAttributeDescription()
            derived.derivationExpression = NSExpression(format: derivation.format)
            attribute = derived
        } else {
            attribute = NSAttributeDescription()
        }
        attribute.attributeType = kind.attributeType
        if case .externalData = kind { attribute.allowsExternalBinaryDataStorage = true }
        if case .transformable = kind { attribute.valueTransformerName = "NSSecureUnarchiveFromData" }
        return attribute
    }
}

extension Kind {
    fileprivate var attributeType: NSAttributeType {
        switch self {
        case .integer16: .integer16AttributeType
        case .integer32: .integer32AttributeType
        case .integer64: .integer64AttributeType
        case .decimal: .decimalAttributeType
        case .double: .doubleAttributeType
        case .float: .floatAttributeType
        case .text: .stringAttributeType
        case .bool: .booleanAttributeType
        case .date: .dateAttributeType
        case .data, .externalData: .binaryDataAttributeType
        case .uuid: .UUIDAttributeType
        case .uri: .URIAttributeType
        case .transformable, .composite: .transformableAttributeType
        }
    }
}
