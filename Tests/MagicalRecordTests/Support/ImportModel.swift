import MagicalRecord

/// Entities of the shape of the original's import fixtures, as plain managed objects.
enum ImportModel {
    static func model() -> NSManagedObjectModel {
        let single = Build.entity("SingleEntityWithNoRelationships")
        single.properties = [
            Build.attribute("booleanTestAttribute", .booleanAttributeType),
            Build.attribute("booleanAsStringTestAttribute", .booleanAttributeType),
            Build.attribute("dateTestAttribute", .dateAttributeType),
            Build.attribute("dateWithCustomFormat", .dateAttributeType, info: ["dateFormat": "M/d/yyyy H-mm-ss"]),
            Build.attribute("decimalTestAttribute", .decimalAttributeType, default: NSDecimalNumber.zero),
            Build.attribute("doubleTestAttribute", .doubleAttributeType, default: 0.0),
            Build.attribute("floatTestAttribute", .floatAttributeType, default: Float(0)),
            Build.attribute("int16TestAttribute", .integer16AttributeType, default: 0),
            Build.attribute("int32TestAttribute", .integer32AttributeType, default: 0),
            Build.attribute("int64TestAttribute", .integer64AttributeType, default: 0),
            Build.attribute(
                "mappedStringAttribute", .stringAttributeType, info: ["mappedKeyName": "mappedAttributeWithStringValue"]
            ),
            Build.attribute("notInJsonAttribute", .stringAttributeType, default: "Set From Core Data Model Editor"),
            Build.attribute("nullTestAttribute", .integer64AttributeType, default: 100),
            Build.attribute("numberAsStringTestAttribute", .stringAttributeType),
            Build.attribute("stringTestAttribute", .stringAttributeType),
            Build.attribute("unixTimeTestAttribute", .dateAttributeType),
            Build.attribute("unixTime13TestAttribute", .dateAttributeType, info: ["dateFormat": "UnixTime"]),
        ]
        let mapped = Build.entity("MappedEntity")
        // There is no such attribute, in the original neither.
        mapped.userInfo = ["relatedByAttribute": "mapped"]
        mapped.properties = [
            Build.attribute("mappedEntityID", .integer16AttributeType, default: 0),
            Build.attribute(
                "nestedAttribute", .stringAttributeType, info: ["mappedKeyName": "attributeValue.nestedValue"]),
            Build.attribute("sampleAttribute", .stringAttributeType),
            Build.attribute("testMappedEntityID", .integer64AttributeType, default: 0, info: ["mappedKeyName": "id"]),
        ]
        let secondary = Build.entity("SecondaryMappings")
        secondary.properties = [
            Build.attribute("notImportedAttribute", .booleanAttributeType, default: true, optional: false),
            Build.attribute(
                "secondaryMappedAttribute", .stringAttributeType,
                info: [
                    "mappedKeyName": "no_in_use", "mappedKeyName.1": "getting_warmer",
                    "mappedKeyName.2": "actualMappedKey",
                ]),
        ]
        Build.relationship(
            "mappedRelationship", of: secondary, to: mapped, rule: .cascadeDeleteRule,
            info: [
                "mappedKeyName": "not_in_use", "mappedKeyName.1": "almost_there",
                "mappedKeyName.2": "actualRelatedObject",
            ])
        let nested = Build.entity("NestedMappedAttributes")
        Build.relationship("mappedEntity", of: nested, to: mapped, rule: .cascadeDeleteRule)
        let many = Build.entity("ManyMapped")
        many.userInfo = ["relatedByAttribute": "testPrimaryKey"]
        many.properties = [Build.attribute("testPrimaryKey", .integer16AttributeType, default: 0)]
        Build.relationship(
            "mappedEntities", of: many, to: mapped, many: true, rule: .cascadeDeleteRule,
            info: ["relatedByAttribute": "testMappedEntityID"])
        // Not in the original, which could not import ordered relationships.
        let list = Build.entity("OrderedList")
        list.properties = [Build.attribute("orderedListID", .integer64AttributeType, default: 0)]
        Build.relationship(
            "items", of: list, to: mapped, many: true, ordered: true,
            info: ["relatedByAttribute": "testMappedEntityID"])
        return Build.model(single, mapped, secondary, nested, many, list)
    }

    static func stack(shape: MagicalRecord.Shape = .rootSaving) throws -> MagicalRecord.Stack {
        try MagicalRecord.Stack(
            [ScratchStores.new("Import.sqlite")], shape: shape, model: .model(model()))
    }
}
