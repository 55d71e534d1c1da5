import Foundation

extension Model {
    /// Returns the keys in a compiled model that are unknown to this module, and would therefore be lost by writing the model
    /// again. Each is listed with its class, such as `NSTint of NSEntityDescription`.
    ///
    /// - Throws: ``ModelFormatError`` for any data that is not a keyed archive.
    public static func unknownKeys(inArchive data: Data) throws(ModelFormatError) -> [String] {
        try KeyedArchive(data).unknownKeys(besides: knownKeys)
    }

    /// Returns the unknown keys in the model that a SQLite store contains in its table `Z_MODELCACHE`.
    package static func unknownKeys(inCacheContent data: Data) throws(ModelFormatError) -> [String] {
        try unknownKeys(inArchive: RawDeflate.expand(data))
    }

    private static let knownKeys: [String: Set<String>] = {
        let property: Set<String> = [
            "NSPropertyName", "NSEntity", "NSIsOptional", "NSIsTransient", "NSIsReadOnly", "NSIsIndexed",
            "NSIndexedBySpotlight", "NSStoredInTruthFile", "NSUserInfo", "NSVersionHashModifier",
            "NSRenamingIdentifier", "NSValidationPredicates", "NSValidationWarnings", "_P",
        ]
        let attribute = property.union([
            "NSAttributeType", "NSAttributeValueClassName", "NSDefaultValue", "NSValueTransformerName", "NSFlagsKey",
            "NSAllowsCloudEncryption",
        ])
        return [
            "NSManagedObjectModel": [
                "NSEntities", "NSFetchRequestTemplates", "NSVersionIdentifiers", "NSConfigurations",
                "CDMCompilerToolVersion", "CDMCompilerXcodeVersion",
            ],
            "NSEntityDescription": [
                "NSEntityName", "NSClassNameForEntity", "NSSuperentity", "NSSubentities", "NSProperties",
                "NSIsAbstract", "NSUserInfo", "NSVersionHashModifier", "NSRenamingIdentifier", "NSUniqueTuples",
                "NSFetchIndexDescriptions", "NSCompoundIndexes", "NSManagedObjectModel",
            ],
            "NSAttributeDescription": attribute,
            "NSDerivedAttributeDescription": attribute.union(["NSDerivationExpression", "NSFilteringPredicate"]),
            "NSCompositeAttributeDescription": attribute.union(["NSCompositeElements"]),
            "NSRelationshipDescription": property.union([
                "NSDestinationEntity", "_NSDestinationEntityName", "NSInverseRelationship",
                "_NSInverseRelationshipName", "NSMinCount", "NSMaxCount", "NSDeleteRule", "NSIsOrdered",
            ]),
            "NSFetchedPropertyDescription": property.union(["NSFetchRequest", "_NSFetchRequestEntityName"]),
            "NSFetchIndexDescription": ["NSIndexName", "NSIndexElements", "NSPartialIndexPredicate", "NSEntity"],
            "NSFetchIndexElementDescription": [
                "NSPropertyName", "NSFetchIndexElementType", "NSAscending", "NSFetchIndexDescription",
                "NSIndexedProperty",
            ],
            "NSFetchRequest": [
                "NSEntity", "NSEntityName", "NSPredicate", "NSSortDescriptors", "NSFetchLimit", "NSFetchOffset",
                "NSBatchSize", "NSResultType", "NSHasFetchRequestFlags", "NSFetchRequestFlags", "NSValuesToFetch",
                "NSValuesToGroupBy", "NSHavingPredicate", "NSRelationshipKeyPathsForPrefetching", "NSAllocationType",
            ],
        ]
    }()
}

extension KeyedArchive {
    /// Returns the keys of objects, each with its class, that are not among the known keys of the class.
    func unknownKeys(besides knownKeys: [String: Set<String>]) -> [String] {
        var found: Set<String> = []
        for index in indices {
            guard let keys = node(index).dictionary?.keys,
                let name = ArchivedObject(archive: self, index: index).className, let known = knownKeys[name]
            else { continue }
            for key in keys where key != "$class" && !known.contains(key) { found.insert("\(key) of \(name)") }
        }
        return found.sorted(byText: \.self, .literal)
    }
}
