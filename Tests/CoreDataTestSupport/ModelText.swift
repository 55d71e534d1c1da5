import CoreData
import Foundation

/// Builds models from a short notation.
///
/// An entity is `Name`, optionally followed by `abstract`, `: Parent` and `unique=(a,b)`. Its properties are separated
/// by `;`: `name: type` for attributes (with `transient`, `external`, `preserve`, `modifier="…"`) and
/// `name -> Destination.inverse min..max` (with `ordered`) for relationships; `?` marks what is optional.
package func makeModel(_ entities: [(header: String, properties: String)]) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    var byName: [String: NSEntityDescription] = [:]
    var parents: [(child: NSEntityDescription, parent: String)] = []
    var inverses: [(relationship: NSRelationshipDescription, destination: String, inverse: String)] = []
    var order: [NSEntityDescription] = []
    for (header, text) in entities {
        var words = header.split(separator: " ").map(String.init)
        let entity = NSEntityDescription()
        entity.name = words.removeFirst()
        if let index = words.firstIndex(of: ":") { parents.append((entity, words[index + 1])) }
        entity.isAbstract = words.contains("abstract")
        entity.uniquenessConstraints = words.filter { $0.hasPrefix("unique=") }.map {
            $0.dropFirst("unique=(".count).dropLast().split(separator: ",").map(String.init)
        }
        entity.properties = text.split(separator: ";").map { part in
            let (property, ends) = makeProperty(part.trimmingCharacters(in: .whitespaces))
            if let relationship = property as? NSRelationshipDescription, let ends {
                inverses.append((relationship, ends.destination, ends.inverse))
            }
            return property
        }
        byName[entity.name ?? ""] = entity
        order.append(entity)
    }
    for (child, parent) in parents { byName[parent]?.subentities.append(child) }
    for (relationship, destination, inverse) in inverses {
        // An entity that is not part of the sample still lends its name to the relationship.
        if byName[destination] == nil {
            let entity = NSEntityDescription()
            entity.name = destination
            byName[destination] = entity
            order.append(entity)
        }
        let destination = byName[destination]
        relationship.destinationEntity = destination
        if destination?.relationshipsByName[inverse] == nil, !inverse.isEmpty {
            let other = NSRelationshipDescription()
            other.name = inverse
            destination?.properties.append(other)
        }
        relationship.inverseRelationship = destination?.relationshipsByName[inverse]
    }
    model.entities = order
    return model
}

private func makeProperty(
    _ text: String
) -> (property: NSPropertyDescription, ends: (destination: String, inverse: String)?) {
    var words = text.split(separator: " ").map(String.init)
    let property: NSPropertyDescription
    var ends: (destination: String, inverse: String)?
    if words.count > 2, words[1] == "->" {
        let relationship = NSRelationshipDescription()
        relationship.name = words[0]
        let target = words[2].split(separator: ".").map(String.init)
        ends = (target[0], target.count > 1 ? target[1] : "")
        let counts = words[3].replacingOccurrences(of: "?", with: "").components(separatedBy: "..")
        relationship.minCount = Int(counts[0]) ?? 0
        relationship.maxCount = Int(counts[1]) ?? 0
        relationship.isOrdered = words.contains("ordered")
        relationship.isOptional = words[3].hasSuffix("?")
        property = relationship
    } else {
        let attribute = NSAttributeDescription()
        attribute.name = String(words.removeFirst().dropLast())
        attribute.isOptional = words[0].hasSuffix("?")
        attribute.attributeType = types[words[0].replacingOccurrences(of: "?", with: "")] ?? .undefinedAttributeType
        attribute.allowsExternalBinaryDataStorage = words.contains("external")
        attribute.preservesValueInHistoryOnDeletion = words.contains("preserve")
        property = attribute
    }
    property.isTransient = words.contains("transient")
    if let modifier = words.first(where: { $0.hasPrefix("modifier=") }) {
        property.versionHashModifier = String(modifier.dropFirst("modifier=\"".count).dropLast())
    }
    return (property, ends)
}

private let types: [String: NSAttributeType] = [
    "i16": .integer16AttributeType, "i32": .integer32AttributeType, "i64": .integer64AttributeType,
    "decimal": .decimalAttributeType, "double": .doubleAttributeType, "float": .floatAttributeType,
    "string": .stringAttributeType, "bool": .booleanAttributeType, "date": .dateAttributeType,
    "data": .binaryDataAttributeType, "uuid": .UUIDAttributeType, "uri": .URIAttributeType,
    "transformable": .transformableAttributeType,
]

/// The text of bytes in hexadecimal.
package func hex(_ data: Data?) -> String? {
    data?.map { String(format: "%02x", $0) }.joined()
}
