import Foundation

extension MappingModel {
    /// Returns the keys in a compiled mapping model that are unknown to this module, as ``Model/unknownKeys(inArchive:)`` does.
    package static func unknownKeys(inArchive data: Data) throws(ModelFormatError) -> [String] {
        try KeyedArchive(data).unknownKeys(besides: [
            "NSMappingModel": ["NSEntityMappings", "NSEntityMappingsByName"],
            "NSEntityMapping": [
                "NSMappingName", "NSMappingType", "NSSourceEntityName", "NSSourceEntityVersionHash",
                "NSDestinationEntityName", "NSDestinationEntityVersionHash", "NSSourceExpression",
                "NSAttributeMappings", "NSRelationshipMappings", "NSEntityMigrationPolicyClassName", "NSUserInfo",
            ],
            "NSPropertyMapping": [
                "NSDestinationPropertyName", "NSValueExpression", "NSUserInfo", "NSPropertyTransforms",
            ],
        ])
    }

    /// Returns the unknown keys in a compiled mapping model. Empty if it cannot be read.
    package static func unknownKeys(at url: URL) -> [String] {
        guard let data = try? FileAccess.data(at: url) else { return [] }
        return (try? unknownKeys(inArchive: data)) ?? []
    }
}
