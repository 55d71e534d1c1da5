import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Numbers that value expressions give to attributes of other numeric types.
struct MappedValueTests {
    private func model(_ type: NSAttributeType, _ destination: Bool) -> NSManagedObjectModel {
        let item = LibraryModel.entity("Item")
        item.properties = [LibraryModel.attribute(destination ? "price" : "quantity", type)]
        let model = NSManagedObjectModel()
        model.entities = [item]
        return model
    }

    /// What a value expression makes of a value of one type in an attribute of another.
    private func result(
        _ value: Any, _ from: NSAttributeType, _ format: String, _ to: NSAttributeType
    ) throws -> Any? {
        let old = model(from, false), new = model(to, true)
        let property = NSPropertyMapping()
        property.name = "price"
        property.valueExpression = NSExpression(format: format)
        let entity = NSEntityMapping()
        entity.name = "ItemToItem"
        entity.mappingType = .transformEntityMappingType
        entity.sourceEntityName = "Item"
        entity.destinationEntityName = "Item"
        entity.attributeMappings = [property]
        let mapping = NSMappingModel()
        mapping.entityMappings = [entity]
        let store = try MigrationStore(type: StoreKind.onDisk.type),
            made = try MigrationStore(type: StoreKind.onDisk.type)
        try store.open(old) { $0.insert("Item", ["quantity": value]) }
        try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
            from: store.url, type: store.kind, mapping: mapping, to: made.url, type: made.kind)
        return try made.open(new) { try $0.fetchAll("Item").first?.value(forKey: "price") }
    }

    @Test func integersBecomeDecimals() throws {
        let found = try result(12_345_678, .integer64AttributeType, "$source.quantity", .decimalAttributeType)
        #expect(found as? NSDecimalNumber == NSDecimalNumber(string: "12345678"))
    }

    @Test func literalsBecomeDecimals() throws {
        let whole = try result(1, .integer64AttributeType, "3", .decimalAttributeType)
        #expect(whole as? NSDecimalNumber == 3)
        let fraction = try result(1, .integer64AttributeType, "2.35", .decimalAttributeType)
        #expect(fraction as? NSDecimalNumber == NSDecimalNumber(string: "2.35"))
    }

    @Test func floatingPointNumbersBecomeTheirShortestDecimal() throws {
        let found = try result(0.1, .doubleAttributeType, "$source.quantity", .decimalAttributeType)
        #expect(found as? NSDecimalNumber == NSDecimalNumber(string: "0.1"))
    }

    @Test func copiedNumbersMustFit() throws {
        #expect(
            try result(70, .integer64AttributeType, "$source.quantity", .integer16AttributeType) as? Int == 70)
        for (value, from) in [(70_000.0, NSAttributeType.integer64AttributeType), (1.5, .doubleAttributeType)] {
            do {
                _ = try result(value, from, "$source.quantity", .integer16AttributeType)
                Issue.record("\(value) passed.")
            } catch let error as NSError {
                #expect(error.code == NSMigrationError)
                #expect(error.localizedDescription.contains("Item.price"), "\(error.localizedDescription)")
                #expect(error.localizedDescription.contains("Integer 16"))
            }
        }
    }

    /// A fraction that was computed is dropped, as by a setter of the attribute's type.
    @Test func computedNumbersLoseTheirFractionOnly() throws {
        #expect(
            try result(5, .integer64AttributeType, "$source.quantity * 1.5", .integer16AttributeType) as? Int == 7)
        #expect(
            code {
                _ = try result(50_000, .integer64AttributeType, "$source.quantity * 2", .integer16AttributeType)
            } == NSMigrationError)
    }

    @Test func textIsNoNumber() {
        #expect(
            code { _ = try result("5", .stringAttributeType, "$source.quantity", .decimalAttributeType) }
                == NSEntityMigrationPolicyError)
    }
}

/// Mapping models are values: equal when they say the same.
struct MappingEqualityTests {
    private func inferred(_ identifier: String? = nil) throws -> NSMappingModel {
        let new = Versions.changed { entities, _ in
            entities["Club"]?.properties += [LibraryModel.attribute("note", .stringAttributeType)]
            if let identifier {
                entities["Club"]?.attributesByName["title"]?.renamingIdentifier = "title"
                entities["Club"]?.attributesByName["title"]?.name = identifier
            }
        }
        return try NSMappingModel.inferredMappingModel(forSourceModel: Versions.first(), destinationModel: new)
    }

    @Test func modelsOfTheSameContentAreEqual() throws {
        let one = try inferred(), other = try inferred()
        #expect(one == other && one.hash == other.hash)
        #expect(one.copy() as? NSMappingModel == one)
        #expect(try inferred("name") != one)
        #expect(one != NSMappingModel())
        #expect(NSMappingModel() == NSMappingModel())
    }

    @Test func everyPartCounts() throws {
        let one = try inferred()
        let changes: [(NSEntityMapping) -> Void] = [
            { $0.name = "x" }, { $0.mappingType = .customEntityMappingType }, { $0.sourceEntityName = "x" },
            { $0.destinationEntityName = "x" }, { $0.sourceEntityVersionHash = Data() },
            { $0.destinationEntityVersionHash = Data() }, { $0.sourceExpression = NSExpression(format: "1") },
            { $0.entityMigrationPolicyClassName = "x" }, { $0.userInfo = ["a": 1] }, { $0.attributeMappings = [] },
            { $0.relationshipMappings = [NSPropertyMapping()] },
            { $0.attributeMappings?.first?.valueExpression = NSExpression(format: "1") },
            { $0.attributeMappings?.first?.userInfo = ["a": 1] }, { $0.attributeMappings?.first?.name = "x" },
        ]
        for (number, change) in changes.enumerated() {
            let copy = try #require(one.copy() as? NSMappingModel)
            let entity = try #require(copy.entityMappingsByName["IEM_Transform_Club"])
            change(entity)
            #expect(copy != one, "change \(number)")
            #expect(entity != one.entityMappingsByName["IEM_Transform_Club"], "change \(number)")
        }
    }

    @Test func theOrderOfPropertyMappingsDoesNotMatter() throws {
        let one = try #require(inferred().entityMappingsByName["IEM_Transform_Club"])
        let other = try #require(one.copy() as? NSEntityMapping)
        other.attributeMappings = other.attributeMappings?.reversed()
        #expect(one == other && one.hash == other.hash)
    }
}
