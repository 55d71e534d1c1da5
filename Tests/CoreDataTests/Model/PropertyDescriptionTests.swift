import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Property descriptions")
struct PropertyDescriptionTests {
    @Test("New properties have the documented defaults")
    func defaults() {
        let attribute = NSAttributeDescription()
        #expect(attribute.name == "")
        #expect(attribute.isOptional)
        #expect(!attribute.isTransient)
        #expect(attribute.attributeType == .undefinedAttributeType)
        #expect(attribute.attributeValueClassName == nil)
        #expect(attribute.defaultValue == nil)
        #expect(attribute.valueTransformerName == nil)
        #expect(!attribute.allowsExternalBinaryDataStorage)
        #expect(!attribute.preservesValueInHistoryOnDeletion)
        #expect(!attribute.allowsCloudEncryption)
        #expect(attribute.validationPredicates.isEmpty)
        #expect(attribute.validationWarnings.isEmpty)

        let relationship = NSRelationshipDescription()
        #expect(relationship.maxCount == 0)
        #expect(relationship.minCount == 0)
        #expect(relationship.isToMany)
        #expect(!relationship.isOrdered)
        #expect(relationship.deleteRule == .nullifyDeleteRule)
        #expect(relationship.destinationEntity == nil)

        let fetched = NSFetchedPropertyDescription()
        #expect(fetched.isTransient)
        #expect(fetched.fetchRequest == nil)
    }

    @Test("A relationship is to-one when its largest count is 1")
    func toOne() {
        let relationship = NSRelationshipDescription()
        relationship.maxCount = 1
        #expect(!relationship.isToMany)
        relationship.maxCount = 2
        #expect(relationship.isToMany)
    }

    @Test(
        "Each attribute type has its raw value and value class",
        arguments: [
            (NSAttributeType.undefinedAttributeType, 0, nil, NSAttributeDescription.AttributeType.undefined),
            (.integer16AttributeType, 100, "NSNumber", .integer16),
            (.integer32AttributeType, 200, "NSNumber", .integer32),
            (.integer64AttributeType, 300, "NSNumber", .integer64),
            (.decimalAttributeType, 400, "NSDecimalNumber", .decimal), (.doubleAttributeType, 500, "NSNumber", .double),
            (.floatAttributeType, 600, "NSNumber", .float), (.stringAttributeType, 700, "NSString", .string),
            (.booleanAttributeType, 800, "NSNumber", .boolean), (.dateAttributeType, 900, "NSDate", .date),
            (.binaryDataAttributeType, 1000, "NSData", .binaryData), (.UUIDAttributeType, 1100, "NSUUID", .uuid),
            (.URIAttributeType, 1200, "NSURL", .uri), (.transformableAttributeType, 1800, nil, .transformable),
            (.objectIDAttributeType, 2000, "NSManagedObjectID", .objectID),
            (.compositeAttributeType, 2100, "NSDictionary", .composite),
        ] as [(NSAttributeType, UInt, String?, NSAttributeDescription.AttributeType)])
    func types(
        type: NSAttributeType, rawValue: UInt, className: String?, newer: NSAttributeDescription.AttributeType
    ) {
        #expect(type.rawValue == rawValue)
        #expect(NSAttributeType(rawValue: rawValue) == type)
        let attribute = NSAttributeDescription()
        attribute.attributeType = type
        #expect(attribute.attributeValueClassName == className)
        #expect(attribute.type == newer)
        attribute.attributeType = .undefinedAttributeType
        attribute.type = newer
        #expect(attribute.attributeType == type)
    }

    @Test("A transformable attribute keeps a value class of its own")
    func transformableClass() {
        let attribute = NSAttributeDescription()
        attribute.type = .transformable
        attribute.attributeValueClassName = "Color"
        #expect(attribute.attributeValueClassName == "Color")
    }

    @Test("Default values are kept in the form the type hands out")
    func defaultValues() {
        func stored(_ value: Any, _ type: NSAttributeType) -> Any? {
            let attribute = NSAttributeDescription()
            attribute.attributeType = type
            attribute.defaultValue = value
            return attribute.defaultValue
        }
        #expect(stored(7, .integer16AttributeType) as? Int == 7)
        #expect(stored(7, .integer16AttributeType) is NSNumber)
        #expect(stored(true, .booleanAttributeType) as? Bool == true)
        #expect(stored(1.5, .doubleAttributeType) as? Double == 1.5)
        #expect(stored("x", .stringAttributeType) as? String == "x")
        #expect(stored(Decimal(2), .decimalAttributeType) as? NSDecimalNumber == NSDecimalNumber(value: 2))
        let date = Date(timeIntervalSinceReferenceDate: 5)
        #expect(stored(date, .dateAttributeType) as? Date == date)
    }

    @Test("Validation predicates and warnings go together")
    func validation() {
        let attribute = NSAttributeDescription()
        let predicate = NSPredicate(value: true)
        attribute.setValidationPredicates([predicate], withValidationWarnings: ["Must be true"])
        #expect(attribute.validationPredicates == [predicate])
        #expect(attribute.validationWarnings as? [String] == ["Must be true"])
        attribute.setValidationPredicates(nil, withValidationWarnings: nil)
        #expect(attribute.validationPredicates.isEmpty)
    }

    @Test("A copy says the same and belongs to nobody")
    func copying() throws {
        let model = makeModel([
            ("E", "a: data? external preserve modifier=\"2\"; r -> E.s 2..5? ordered; s -> E.r 0..1?")
        ])
        let entity = try #require(model.entitiesByName["E"])
        let attribute = try #require(entity.attributesByName["a"])
        attribute.renamingIdentifier = "old"
        let copy = try #require(attribute.copy() as? NSAttributeDescription)
        #expect(copy.allowsExternalBinaryDataStorage)
        #expect(copy.preservesValueInHistoryOnDeletion)
        #expect(copy.versionHashModifier == "2")
        #expect(copy.renamingIdentifier == "old")
        #expect(copy.versionHash == attribute.versionHash)

        let relationship = try #require(entity.relationshipsByName["r"])
        let other = try #require(relationship.copy() as? NSRelationshipDescription)
        #expect(other.minCount == 2)
        #expect(other.maxCount == 5)
        #expect(other.isOrdered)
        #expect(other.destinationEntity === entity)
        #expect(other.versionHash == relationship.versionHash)
    }

    @Test("A composite attribute is of composite type and copies its elements")
    func composite() throws {
        let city = NSAttributeDescription()
        city.name = "city"
        city.type = .string
        let address = NSCompositeAttributeDescription()
        address.name = "address"
        address.elements = [city]
        #expect(address.attributeType == .compositeAttributeType)
        let copy = try #require(address.copy() as? NSCompositeAttributeDescription)
        #expect(copy == address)
        copy.elements[0].name = "town"
        #expect(address.elements[0].name == "city")
        #expect(copy != address)
    }

    @Test("An expression description names a computed column")
    func expression() throws {
        let description = NSExpressionDescription()
        description.name = "total"
        description.resultType = .double
        #expect(description.expressionResultType == .doubleAttributeType)
        let copy = try #require(description.copy() as? NSExpressionDescription)
        #expect(copy == description)
    }
}
