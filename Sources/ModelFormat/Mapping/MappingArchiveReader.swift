import Foundation

/// Reads a compiled mapping model: an archive of an `NSMappingModel`.
struct MappingArchiveReader {
    private let archive: KeyedArchive
    private var expressions: PredicateArchiveReader

    init(_ data: Data) throws(ModelFormatError) {
        archive = try KeyedArchive(data)
        expressions = PredicateArchiveReader(objectCount: archive.indices.count)
    }

    mutating func read() throws(ModelFormatError) -> MappingModel {
        let root = try archive.root()
        guard root.className == "NSMappingModel" else {
            throw ModelFormatError(
                .malformed, "the archive holds \(root.className ?? "a plain value"), not a mapping model",
                advice: "Compiled models (.mom) are not mapping models")
        }
        var model = MappingModel()
        for object in root.array("NSEntityMappings") ?? [] { model.entityMappings.append(try entityMapping(object)) }
        try archive.checkEffort()
        return model
    }

    private mutating func entityMapping(_ object: ArchivedObject) throws(ModelFormatError) -> EntityMapping {
        let number = object.integer("NSMappingType") ?? 0
        guard let kind = UInt(exactly: number).flatMap(EntityMapping.Kind.init(rawValue:)) else {
            throw ModelFormatError(.invalidValue, "the mapping type \(number) is unknown")
        }
        var mapping = EntityMapping(name: object.string("NSMappingName") ?? "", kind: kind)
        mapping.sourceEntityName = object.string("NSSourceEntityName")
        mapping.sourceEntityVersionHash = data(object, "NSSourceEntityVersionHash")
        mapping.destinationEntityName = object.string("NSDestinationEntityName")
        mapping.destinationEntityVersionHash = data(object, "NSDestinationEntityVersionHash")
        mapping.migrationPolicyClassName = object.string("NSEntityMigrationPolicyClassName")
        do throws(ModelFormatError) {
            if let expression = object.object("NSSourceExpression") {
                mapping.sourceExpression = try expressions.expression(expression)
            }
            mapping.attributeMappings = try propertyMappings(object.array("NSAttributeMappings"))
            mapping.relationshipMappings = try propertyMappings(object.array("NSRelationshipMappings"))
            mapping.userInfo = try ArchivedValue.dictionary(object.object("NSUserInfo"))
        } catch {
            var error = error
            error.entity = error.entity ?? mapping.name
            throw error
        }
        return mapping
    }

    private mutating func propertyMappings(
        _ objects: [ArchivedObject]?
    ) throws(ModelFormatError) -> [PropertyMapping] {
        var mappings: [PropertyMapping] = []
        for object in objects ?? [] {
            var mapping = PropertyMapping(name: object.string("NSDestinationPropertyName") ?? "")
            if let expression = object.object("NSValueExpression") {
                do throws(ModelFormatError) {
                    mapping.valueExpression = try expressions.expression(expression)
                } catch {
                    var error = error
                    error.property = mapping.name
                    throw error
                }
            }
            mapping.userInfo = try ArchivedValue.dictionary(object.object("NSUserInfo"))
            mappings.append(mapping)
        }
        return mappings
    }

    /// Reads data, which is stored inline or as an object.
    private func data(_ object: ArchivedObject, _ key: String) -> Data? {
        object.data(key) ?? object.object(key)?.data("NS.data")
    }
}
