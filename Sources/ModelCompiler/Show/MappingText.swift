import CoreDataModelBuilding
import Foundation
import ModelFormat

/// Formats a mapping model as text and JSON.
enum MappingText {
    static func text(_ mapping: MappingModel, name: String) -> String {
        var text = "mapping model \(name)\n"
        for entity in mapping.entityMappings {
            text += "\nmapping \(entity.name) (\(word(entity.kind)))\n"
            if let name = entity.sourceEntityName { text += "  from  \(name) \(hex(entity.sourceEntityVersionHash))\n" }
            if let name = entity.destinationEntityName {
                text += "  to    \(name) \(hex(entity.destinationEntityVersionHash))\n"
            }
            if let name = entity.migrationPolicyClassName { text += "  by    \(name)\n" }
            if let source = entity.sourceExpression { text += "  of    \(source.text)\n" }
            for property in entity.attributeMappings + entity.relationshipMappings {
                text += "  \(property.name) = \(property.valueExpression?.text ?? "(nothing)")\n"
            }
        }
        return text
    }

    static func json(_ mapping: MappingModel, name: String) -> JSON {
        .object([
            ("name", .string(name)),
            (
                "entityMappings",
                .array(
                    mapping.entityMappings.map { entity in
                        .sparse([
                            ("name", .string(entity.name)), ("kind", .string(word(entity.kind))),
                            ("source", .optional(entity.sourceEntityName)),
                            ("sourceVersionHash", entity.sourceEntityVersionHash.map { .string(hex($0)) } ?? .null),
                            ("destination", .optional(entity.destinationEntityName)),
                            (
                                "destinationVersionHash",
                                entity.destinationEntityVersionHash.map { .string(hex($0)) } ?? .null
                            ),
                            ("policy", .optional(entity.migrationPolicyClassName)),
                            ("sourceExpression", .optional(entity.sourceExpression?.text)),
                            ("attributes", properties(entity.attributeMappings)),
                            ("relationships", properties(entity.relationshipMappings)),
                        ])
                    })
            ),
        ])
    }

    private static func properties(_ mappings: [PropertyMapping]) -> JSON {
        .object(mappings.map { ($0.name, .optional($0.valueExpression?.text)) })
    }

    private static func word(_ kind: EntityMapping.Kind) -> String {
        switch kind {
        case .undefined: "undefined"
        case .custom: "custom"
        case .add: "add"
        case .remove: "remove"
        case .copy: "copy"
        case .transform: "transform"
        }
    }

    private static func hex(_ hash: Data?) -> String {
        (hash ?? Data()).map { String(format: "%02x", $0) }.joined()
    }
}
