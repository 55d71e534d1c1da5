import CoreDataModelBuilding
import Foundation
import ModelFormat

/// Formats a model as JSON, omitting nil, false and empty values.
enum ModelJSON {
    static func model(_ version: ModelBundle.Version, in bundle: ModelBundle) throws -> JSON {
        let model = version.model
        let hashes = try version.placedHashes()
        return .sparse([
            ("name", .string(version.name)),
            ("currentVersion", .string(bundle.currentVersionName)),
            ("versions", .array(bundle.versions.map { .string($0.name) })),
            ("versionIdentifiers", strings(model.versionIdentifiers)),
            ("checksum", .string(Model.versionChecksum(hashes))),
            ("entities", .array(model.entities.map { entity($0, hash: hashes[$0.name] ?? Data()) })),
            (
                "composites",
                .array(
                    model.composites.map {
                        .sparse([("name", .string($0.name)), ("attributes", .array($0.attributes.map(attribute)))])
                    })
            ),
            ("fetchRequests", .array(model.fetchTemplates.map(template))),
            (
                "configurations",
                .array(
                    model.configurations.map {
                        .sparse([("name", .string($0.name)), ("entities", strings($0.entityNames))])
                    })
            ),
        ])
    }

    private static func strings(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }

    private static func entity(_ entity: Entity, hash: Data) -> JSON {
        .sparse([
            ("name", .string(entity.name)), ("class", .optional(entity.className)),
            ("parent", .optional(entity.parentName)), ("isAbstract", .bool(entity.isAbstract)),
            ("versionHash", .string(hash.map { String(format: "%02x", $0) }.joined())),
            ("versionHashModifier", .optional(entity.versionHashModifier)),
            ("renamingIdentifier", .optional(entity.renamingIdentifier)),
            ("codeGeneration", entity.codeGeneration == .manual ? .null : .string(entity.codeGeneration.rawValue)),
            ("attributes", .array(entity.attributes.map(attribute))),
            ("relationships", .array(entity.relationships.map(relationship))),
            ("fetchedProperties", .array(entity.fetchedProperties.map(fetchedProperty))),
            ("indexes", .array(entity.effectiveFetchIndexes.map(index))),
            ("uniquenessConstraints", .array(entity.uniquenessConstraints.map(strings))),
            ("userInfo", userInfo(entity.userInfo)),
        ])
    }

    private static func attribute(_ attribute: Attribute) -> JSON {
        .sparse([
            ("name", .string(attribute.name)), ("type", .string(attribute.type.xmlName)),
            ("isOptional", .bool(attribute.isOptional)), ("isTransient", .bool(attribute.isTransient)),
            ("default", attribute.defaultValue.map(constant) ?? .null),
            ("validation", strings(attribute.validation.map(\.predicateFormat))),
            ("derivation", .optional(attribute.derivation)), ("composite", .optional(attribute.compositeName)),
            ("elements", .array(attribute.elements.map(self.attribute))),
            ("valueClass", .optional(attribute.valueClassName)),
            ("valueTransformer", .optional(attribute.valueTransformerName)),
            ("usesScalar", .bool(attribute.usesScalarValueType ?? false)),
            ("allowsExternalStorage", .bool(attribute.allowsExternalBinaryDataStorage)),
            ("preservesInHistory", .bool(attribute.preservesValueInHistoryOnDeletion)),
            ("allowsCloudEncryption", .bool(attribute.allowsCloudEncryption)),
            ("versionHashModifier", .optional(attribute.versionHashModifier)),
            ("renamingIdentifier", .optional(attribute.renamingIdentifier)),
            ("userInfo", userInfo(attribute.userInfo)),
        ])
    }

    private static func relationship(_ relationship: Relationship) -> JSON {
        .sparse([
            ("name", .string(relationship.name)), ("destination", .string(relationship.destinationName)),
            ("inverse", .optional(relationship.inverseName)), ("isToMany", .bool(relationship.isToMany)),
            ("isOrdered", .bool(relationship.isOrdered)), ("isOptional", .bool(relationship.isOptional)),
            ("isTransient", .bool(relationship.isTransient)), ("minCount", .number(relationship.minCount)),
            ("maxCount", .number(relationship.maxCount)), ("deleteRule", .string(relationship.deleteRule.xmlName)),
            ("versionHashModifier", .optional(relationship.versionHashModifier)),
            ("renamingIdentifier", .optional(relationship.renamingIdentifier)),
            ("userInfo", userInfo(relationship.userInfo)),
        ])
    }

    private static func fetchedProperty(_ property: FetchedProperty) -> JSON {
        .sparse([
            ("name", .string(property.name)), ("isOptional", .bool(property.isOptional)),
            ("request", template(property.fetchRequest)), ("userInfo", userInfo(property.userInfo)),
        ])
    }

    private static func index(_ index: FetchIndex) -> JSON {
        .sparse([
            ("name", .string(index.name)),
            (
                "elements",
                .array(
                    index.elements.map { element in
                        var entries: [(String, JSON)] = []
                        switch element.subject {
                        case .property(let name): entries.append(("property", .string(name)))
                        case .expression(let text, let type):
                            entries.append(("expression", .string(text)))
                            entries.append(("type", .string(type.xmlName)))
                        }
                        entries.append(("kind", .string(element.kind == .binary ? "binary" : "rTree")))
                        entries.append(("isAscending", .bool(element.isAscending)))
                        return .object(entries)
                    })
            ),
            ("where", .optional(index.partialIndexPredicate)),
        ])
    }

    private static func template(_ template: FetchTemplate) -> JSON {
        .sparse([
            ("name", .string(template.name)), ("entity", .string(template.entityName)),
            ("predicate", .optional(template.predicate)),
            (
                "sortDescriptors",
                .array(
                    template.sortKeys.map {
                        .object([("key", .string($0.key)), ("isAscending", .bool($0.ascending))])
                    })
            ),
            ("fetchLimit", template.fetchLimit == 0 ? .null : .number(template.fetchLimit)),
            ("fetchBatchSize", template.fetchBatchSize == 0 ? .null : .number(template.fetchBatchSize)),
            ("resultType", template.resultType == .objects ? .null : .number(Int(template.resultType.rawValue))),
        ])
    }

    private static func userInfo(_ info: [String: ModelValue]) -> JSON {
        .object(info.sorted(byText: \.key).map { ($0.key, constant($0.value)) })
    }

    private static func constant(_ value: ModelValue) -> JSON {
        switch value {
        case .bool(let flag): .bool(flag)
        case .integer(let number): .number(Int(number))
        case .string(let text), .url(let text): .string(text)
        default: .string(PropertyWords.constant(value))
        }
    }
}
