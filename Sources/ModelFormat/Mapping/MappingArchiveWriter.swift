import Foundation

/// Writes a compiled mapping model: an archive of an `NSMappingModel` with the classes and keys Apple's tools use.
struct MappingArchiveWriter {
    private var builder = KeyedArchiveBuilder()

    static func write(_ model: MappingModel) -> Data {
        var writer = MappingArchiveWriter()
        let root = writer.builder.reserve()
        let mappings = model.entityMappings.map { (key: $0.name, value: writer.add($0)) }
        writer.builder.fill(
            root, class: "NSMappingModel",
            [
                "NSEntityMappings": writer.builder.add(array: mappings.map(\.value)),
                "NSEntityMappingsByName": writer.builder.add(dictionary: mappings),
            ])
        return writer.builder.finished(root: .uid(root))
    }

    private mutating func add(_ mapping: EntityMapping) -> PropertyListNode {
        builder.add(
            class: "NSEntityMapping",
            [
                "NSMappingName": builder.add(string: mapping.name),
                "NSMappingType": .integer(Int64(mapping.kind.rawValue)),
                "NSSourceEntityName": builder.add(string: mapping.sourceEntityName),
                "NSSourceEntityVersionHash": add(mapping.sourceEntityVersionHash),
                "NSDestinationEntityName": builder.add(string: mapping.destinationEntityName),
                "NSDestinationEntityVersionHash": add(mapping.destinationEntityVersionHash),
                "NSSourceExpression": add(mapping.sourceExpression),
                "NSAttributeMappings": add(mapping.attributeMappings),
                "NSRelationshipMappings": add(mapping.relationshipMappings),
                "NSEntityMigrationPolicyClassName": builder.add(string: mapping.migrationPolicyClassName),
                "NSUserInfo": add(mapping.userInfo),
            ])
    }

    private mutating func add(_ mappings: [PropertyMapping]) -> PropertyListNode {
        let references = mappings.map { mapping in
            builder.add(
                class: "NSPropertyMapping",
                [
                    "NSDestinationPropertyName": builder.add(string: mapping.name),
                    "NSValueExpression": add(mapping.valueExpression),
                    "NSUserInfo": add(mapping.userInfo),
                    "NSPropertyTransforms": KeyedArchiveBuilder.null,
                ])
        }
        return builder.add(array: references)
    }

    private mutating func add(_ expression: ArchivedExpression?) -> PropertyListNode {
        expression.map { builder.add(expression: $0) } ?? KeyedArchiveBuilder.null
    }

    private mutating func add(_ data: Data?) -> PropertyListNode {
        data.map { builder.add(.data($0)) } ?? KeyedArchiveBuilder.null
    }

    private mutating func add(_ userInfo: [String: ModelValue]) -> PropertyListNode {
        userInfo.isEmpty ? KeyedArchiveBuilder.null : builder.add(values: userInfo)
    }
}
