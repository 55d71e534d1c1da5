import MagicalRecord
import Testing

/// The original's import tests on related entities, on fixtures of the same shape.
@Suite struct ImportFixtureTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try ImportModel.stack()
        context = stack.newContext()
    }

    private func new(_ entity: String, _ values: [String: Any] = [:]) throws -> NSManagedObject {
        try context.runAndWait {
            let object = try MagicalRecord.Query<NSManagedObject>(entityNamed: entity).entity(in: context)
                .mr_createInstance(in: context)
            for (key, value) in values { object.setValue(value, forKey: key) }
            return object
        }
    }

    private func count(_ entity: String) throws -> Int {
        try MagicalRecord.Query<NSManagedObject>(entityNamed: entity).count(in: context)
    }

    private static let four: [[String: any Sendable]] = (1...4).map {
        ["id": $0, "sampleAttribute": "Sample Attribute Value \($0)"]
    }

    @Test func aToManyThenNothingThenNull() throws {
        let owner = try new("ManyMapped")
        try owner.importValues(from: ["mappedEntities": Self.four])
        func members() -> Int {
            context.runAndWait { (owner.value(forKey: "mappedEntities") as? NSSet)?.count ?? -1 }
        }
        #expect(members() == 4)
        try owner.importValues(from: [String: Any]())
        #expect(members() == 4)
        try owner.importValues(from: ["mappedEntities": NSNull()])
        #expect(members() == 0)
        #expect(try count("MappedEntity") == 4)
    }

    @Test func listsOfIDsAddInTheLegacyFunctions() throws {
        let mapped = try (0...9).map {
            try new("MappedEntity", ["testMappedEntityID": $0, "sampleAttribute": "Text \($0)"])
        }
        let owner = try new("ManyMapped", ["testPrimaryKey": 84])
        context.runAndWait { owner.setValue(NSSet(object: mapped[9]), forKey: "mappedEntities") }
        #expect(owner.mr_importValuesForKeys(with: ["mappedEntities": [1, 2, 3, 4], "testPrimaryKey": 84]))
        context.runAndWait {
            #expect((owner.value(forKey: "mappedEntities") as? NSSet)?.count == 5)
            #expect(mapped[1].value(forKey: "sampleAttribute") as? String == "Text 1")
        }
        #expect(try count("MappedEntity") == 10)
        #expect(try count("ManyMapped") == 1)
    }

    @Test func nestedAndNullPaths() throws {
        let object = try new("MappedEntity")
        try object.importValues(from: ["mappedEntityID": 42, "attributeValue": ["nestedValue": "This is nested"]])
        context.runAndWait {
            #expect(object.value(forKey: "nestedAttribute") as? String == "This is nested")
            #expect(object.value(forKey: "mappedEntityID") as? Int == 42)
        }
        // A null on the way is no error.
        try object.importValues(from: ["attributeValue": NSNull()])
        #expect(context.runAndWait { object.value(forKey: "nestedAttribute") as? String } == "This is nested")
    }

    /// `mappedEntity` has no userInfo: related records are matched by `mappedEntityID`, the destination's name with "ID".
    @Test func aRelatedRecordWithNestedValues() throws {
        let owner = try new("NestedMappedAttributes")
        let record: [String: any Sendable] = [
            "mappedEntityID": 42, "attributeValue": ["nestedValue": "This is nested"],
        ]
        for _ in 1...2 { try owner.importValues(from: ["mappedEntity": record]) }
        context.runAndWait {
            let related = owner.value(forKey: "mappedEntity") as? NSManagedObject
            #expect(related?.value(forKey: "mappedEntityID") as? Int == 42)
            #expect(related?.value(forKey: "nestedAttribute") as? String == "This is nested")
        }
        #expect(try count("MappedEntity") == 1)
    }

    @Test func secondaryKeysOfAttributesAndRelationships() throws {
        let object = try new("SecondaryMappings")
        try object.importValues(from: [
            "actualMappedKey": "from the sample",
            "actualRelatedObject": ["id": 50, "sampleAttribute": "text"] as [String: Any],
        ])
        context.runAndWait {
            #expect(object.value(forKey: "secondaryMappedAttribute") as? String == "from the sample")
            let related = object.value(forKey: "mappedRelationship") as? NSManagedObject
            #expect(related?.value(forKey: "testMappedEntityID") as? Int == 50)
        }
    }

    @Test func orderedRelationshipsKeepTheirOrder() throws {
        let list = try new("OrderedList")
        try list.importValues(from: ["items": [3, 1, 2, 3]])
        func ids() -> [Int] {
            context.runAndWait {
                let members = (list.value(forKey: "items") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
                return members.compactMap { $0.value(forKey: "testMappedEntityID") as? Int }
            }
        }
        #expect(ids() == [3, 1, 2])
        try list.importValues(from: ["items": [2, 1]])
        #expect(ids() == [2, 1])
    }

    @Test func aListForOneObjectIsAnError() throws {
        let object = try new("SecondaryMappings")
        let error = #expect(throws: MagicalRecordError.self) {
            try object.importValues(from: ["almost_there": [["id": 1]]])
        }
        #expect(error?.code == .malformedRecord)
    }

    @Test func helpers() throws {
        try context.runAndWait {
            let mapped = try MagicalRecord.Query<NSManagedObject>(entityNamed: "MappedEntity").entity(in: context)
            let nested = try #require(mapped.mr_attributeDescription(forName: "nestedAttribute"))
            let record: [String: Any] = ["attributeValue": ["nestedValue": "x"]]
            #expect(record.mr_lookupKey(forAttribute: nested) == "attributeValue.nestedValue")
            #expect(record.mr_value(forAttribute: nested) as? String == "x")
            #expect(mapped.mr_primaryAttributeToRelateBy() == nil)
            let many = try MagicalRecord.Query<NSManagedObject>(entityNamed: "ManyMapped").entity(in: context)
            #expect(many.mr_primaryAttributeToRelateBy()?.name == "testPrimaryKey")
            let relationship = try #require(many.relationshipsByName["mappedEntities"])
            #expect(relationship.mr_primaryKey() == "testMappedEntityID")
            #expect(["id": 3].mr_relatedValue(forRelationship: relationship) as? Int == 3)
            #expect("3".mr_relatedValue(forRelationship: relationship) as? String == "3")
        }
    }

    @Test func functions() {
        #expect(MR_dateFromString("2011", "yyyy") == Date(timeIntervalSince1970: 1_293_840_000))
        #expect(MR_dateFromNumber(1_500, true) == Date(timeIntervalSince1970: 1.5))
        #expect(MR_numberFromString("9007199254740993") == NSNumber(value: Int64(9_007_199_254_740_993)))
        #expect(MR_attributeNameFromString("name") == "Name")
        #expect(MR_primaryKeyNameFromString("User") == "userID")
        #expect(MR_colorFromString("blue") == nil)
        #expect(MR_colorFromString("rgba(64,128,225,0.5)") != nil)
        let components = MR_newColorComponentsFromString("rgba(64,128,225,1)")
        #expect(components.map { Array(UnsafeBufferPointer(start: $0, count: 4)) } == [64, 128, 225, 1])
        free(components)
    }
}
