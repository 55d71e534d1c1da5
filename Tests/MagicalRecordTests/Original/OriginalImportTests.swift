import MagicalRecord
import Testing

/// The original's import tests, by their names, in our words. Those of a single entity's attributes are in
/// `ImportAttributeTests`.
extension DefaultStackTests {
    private func related(_ object: NSManagedObject, _ name: String) -> NSManagedObject? {
        object.value(forKey: name) as? NSManagedObject
    }

    private func count(_ entity: String, in context: NSManagedObjectContext) -> Int? {
        try? MagicalRecord.Query<NSManagedObject>(entityNamed: entity).count(in: context)
    }

    @Test("testImportOfMultipleEntities") func recordsWithoutKey() {
        setUpAsTheOriginal()
        inDefault { context in
            let records = [[AnyHashable: Any]](
                repeating: ["stringTestAttribute": "This is a test value"], count: 4)
            #expect(SingleEntity.mr_import(from: records, in: context).count == 4)
            #expect(SingleEntity.mr_countOfEntities(with: context) == 4)
        }
    }

    @Test("testImportMappedEntityViaToOneRelationship") func toOneByDefault() {
        setUpAsTheOriginal()
        inDefault { context in
            let mapped = MappedEntity.mr_createEntity(in: context)
            mapped?.setValue(42, forKey: "mappedEntityID")
            mapped?.setValue("This attribute created in the test", forKey: "sampleAttribute")
            UsingDefaults.mr_createEntity(in: context)?.setValue(24, forKey: "usingDefaultsID")
            context.mr_saveToPersistentStoreAndWait()
            let text = "This is from the sample"
            let owner = UsingDefaults.mr_import(
                from: ["mappedEntity": ["mappedEntityID": 42, "sampleAttribute": text]], in: context)
            #expect(related(owner, "mappedEntity")?.value(forKey: "sampleAttribute") as? String == text)
            #expect(MappedEntity.mr_countOfEntities(with: context) == 1)
        }
    }

    @Test("testImportMappedEntityRelatedViaToOneRelationship, testImportMappedEntityUsingPrimaryRelationshipKey")
    func toOneByMappedKey() {
        setUpAsTheOriginal()
        inDefault { context in
            let mapped = MappedEntity.mr_createEntity(in: context)
            mapped?.setValue(42, forKey: "testMappedEntityID")
            mapped?.setValue("This attribute created in the test", forKey: "sampleAttribute")
            context.mr_saveToPersistentStoreAndWait()
            let text = "This is from the sample"
            let owner = UsingMappedPrimaryKey.mr_import(
                from: ["someRandomAttributeName": ["id": 42, "sampleAttribute": text]], in: context)
            #expect(UsingMappedPrimaryKey.mr_countOfEntities(with: context) == 1)
            #expect(MappedEntity.mr_countOfEntities(with: context) == 1)
            #expect(related(owner, "mappedEntity") === mapped)
            #expect(mapped?.value(forKey: "sampleAttribute") as? String == text)
            #expect(mapped?.value(forKey: "testMappedEntityID") as? Int == 42)
            let relationship = owner.entity.relationshipsByName["mappedEntity"]
            #expect(relationship?.userInfo?["mappedKeyName"] as? String == "someRandomAttributeName")
        }
    }

    @Test("testDataImport") func nestedAttributes() {
        setUpAsTheOriginal()
        inDefault { context in
            let record: [String: any Sendable] = [
                "mappedEntityID": 42, "attributeValue": ["nestedValue": "This is a nested value"],
            ]
            let owner = WithNestedMappedAttributes.mr_import(from: ["mappedEntity": record], in: context)
            let object = related(owner, "mappedEntity")
            #expect(object?.value(forKey: "mappedEntityID") as? Int == 42)
            #expect(text(object, "nestedAttribute").contains("nested value"))
        }
    }

    @Test("testImportMappedAttributeUsingSecondaryMappedKeyName") func secondaryKeys() {
        setUpAsTheOriginal()
        inDefault { context in
            let record: [String: any Sendable] = [
                "actualMappedKey": "mapped value from sample json file",
                "actualRelatedObject": ["id": 50, "sampleAttribute": "from sample json file"] as [String: any Sendable],
            ]
            let owner = WithSecondaryMappings.mr_import(from: record, in: context)
            #expect(text(owner, "secondaryMappedAttribute").contains("sample json file"))
        }
    }

    private func members(_ owner: NSManagedObject) -> Set<NSManagedObject> {
        owner.value(forKey: "mappedEntities") as? Set<NSManagedObject> ?? []
    }

    @Test("testImportData, testImportNilData") func toManyThenNothingThenNull() {
        setUpAsTheOriginal()
        inDefault { context in
            let records: [[String: any Sendable]] = (1...4).map {
                ["id": $0, "sampleAttribute": "Sample Attribute Value \($0)"]
            }
            let owner = ManyUsingMappedPrimaryKey.mr_import(from: ["mappedEntities": records], in: context)
            #expect(members(owner).count == 4)
            #expect(owner.mr_importValuesForKeys(with: [String: Any]()))
            #expect(members(owner).count == 4)
            #expect(owner.mr_importValuesForKeys(with: ["mappedEntities": NSNull()]))
            #expect(members(owner).isEmpty)
        }
    }

    /// The record has the owner's key, and adds to the members there are.
    @Test("testDataImportUsingListOfPrimaryKeyIDs") func toManyByListOfKeys() {
        setUpAsTheOriginal()
        inDefault { context in
            let mapped = (0...9).map { number in
                let object = MappedEntity.mr_createEntity(in: context)
                object?.setValue(number, forKey: "testMappedEntityID")
                object?.setValue("test attribute \(number)", forKey: "sampleAttribute")
                return object
            }
            let owner = ManyUsingMappedPrimaryKey.mr_createEntity(in: context)
            owner?.setValue(84, forKey: "testPrimaryKey")
            owner?.setValue(Set([mapped[9]]), forKey: "mappedEntities")
            context.mr_saveToPersistentStoreAndWait()
            let record: [String: any Sendable] = ["mappedEntities": [1, 2, 3, 4], "testPrimaryKey": 84]
            let imported = ManyUsingMappedPrimaryKey.mr_import(from: record, in: context)
            #expect(imported === owner)
            #expect(ManyUsingMappedPrimaryKey.mr_countOfEntities(with: context) == 1)
            #expect(MappedEntity.mr_countOfEntities(with: context) == 10)
            #expect(members(imported).count == 5)
            #expect(members(imported).allSatisfy { text($0, "sampleAttribute").hasPrefix("test attribute") })
        }
    }

    /// Members of the two to-many relationships have the same texts, as in the original's file.
    private static func member(_ number: String) -> [String: any Sendable] {
        ["sampleBaseAttribute": "BASE\(number)", "sampleConcreteAttribute": "DESCENDANT\(number)"]
    }

    private func importRelated(in context: NSManagedObjectContext) -> SingleRelatedEntity {
        MappedEntity.mr_createEntity(in: context)?.setValue(42, forKey: "testMappedEntityID")
        return SingleRelatedEntity.mr_import(
            from: [
                "testAbstractToOneRelationship": Self.member(", the only one"),
                "testAbstractToManyRelationship": [Self.member(" 1"), Self.member(" 2")],
                "testConcreteToOneRelationship": Self.member(""),
                "testConcreteToManyRelationship": [Self.member(" 1"), Self.member(" 2"), Self.member(" 3")],
            ], in: context)
    }

    private func text(_ object: NSManagedObject?, _ key: String) -> String {
        object?.value(forKey: key) as? String ?? ""
    }

    @Test("testImportAnEntityRelatedToAbstractEntityViaToOneRelationship, …ViaToManyRelationship") func toAbstract() {
        setUpAsTheOriginal()
        inDefault { context in
            let owner = importRelated(in: context)
            let members = owner.value(forKey: "testAbstractToManyRelationship") as? Set<NSManagedObject>
            #expect(members?.count == 2)
            for object in [related(owner, "testAbstractToOneRelationship"), members?.first] {
                #expect(text(object, "sampleBaseAttribute").contains("BASE"))
                // The original made objects of the abstract entity itself; here they are of the one sub-entity.
                #expect(object?.entity.name == "ConcreteRelatedEntity")
            }
        }
    }

    @Test("testImportAnEntityRelatedToAConcreteSubEntityViaToOneRelationship, …ASubEntityViaToManyRelationship")
    func toConcrete() {
        setUpAsTheOriginal()
        inDefault { context in
            let owner = importRelated(in: context)
            let members = owner.value(forKey: "testConcreteToManyRelationship") as? Set<NSManagedObject>
            #expect(members?.count == 3)
            for object in [related(owner, "testConcreteToOneRelationship"), members?.first] {
                #expect(text(object, "sampleBaseAttribute").contains("BASE"))
                #expect(text(object, "sampleConcreteAttribute").contains("DESCENDANT"))
            }
        }
    }

    /// Sub-entities are told apart by the keys of the record; a record that fits several is refused.
    @Test func whichSubentity() throws {
        let shape = Build.entity("Shape")
        shape.isAbstract = true
        shape.properties = [Build.attribute("shapeID", .integer64AttributeType)]
        let circle = Build.entity("Circle")
        circle.properties = [Build.attribute("radius", .doubleAttributeType)]
        let square = Build.entity("Square")
        square.properties = [Build.attribute("side", .doubleAttributeType)]
        shape.subentities = [circle, square]
        let drawing = Build.entity("Drawing")
        Build.relationship("shape", of: drawing, to: shape)
        let model = Build.model(shape, circle, square, drawing)
        let stack = try MagicalRecord.Stack([.inMemory], shape: .server, model: .model(model))
        let context = stack.mainContext
        try context.runAndWait { () throws -> Void in
            let owner = NSEntityDescription.insertNewObject(forEntityName: "Drawing", into: context)
            func kind(_ record: [String: Any]) throws -> String? {
                try owner.importValues(from: ["shape": record])
                return related(owner, "shape")?.entity.name
            }
            #expect(try kind(["shapeID": 1, "radius": 2.0]) == "Circle")
            #expect(try kind(["shapeID": 2, "side": 2.0]) == "Square")
            // Known by its id, whatever else the record says.
            #expect(try kind(["shapeID": 1, "side": 3.0]) == "Circle")
            let error = #expect(throws: MagicalRecordError.self) { _ = try kind(["shapeID": 3]) }
            #expect(error?.code == .abstractEntity)
        }
    }

    @Test("testImportUIColorAttributeToEntity, testImportNSColorAttributeToEntity") func colors() {
        setUpAsTheOriginal()
        inDefault { context in
            let object = SingleEntity.mr_import(from: ["colorTestAttribute": "rgba(64,128,225,1)"], in: context)
            let color = object.value(forKey: "colorTestAttribute")
            #expect(color != nil)
            #if !canImport(UIKit) && !canImport(AppKit)
            let expected: [Double] = [64.0 / 255.0, 128.0 / 255.0, 225.0 / 255.0, 1.0]
            #expect((color as? [Double]) == expected)
            #endif
        }
    }
}
