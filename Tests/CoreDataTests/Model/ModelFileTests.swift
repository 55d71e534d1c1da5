import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// What source models say, read from text written for the test.
@Suite("Models from files")
struct ModelFileTests {
    private func load(_ xml: String) throws -> NSManagedObjectModel {
        let folder = try TemporaryFolder()
        let bundle = folder.file("Test.xcdatamodel")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
            userDefinedModelVersionIdentifier="v7">\(xml)</model>
            """
        try Data(text.utf8).write(to: bundle.appendingPathComponent("contents"))
        return try NSManagedObjectModel(fileURL: bundle)
    }

    @Test("Attributes: defaults, limits and patterns")
    func attributes() throws {
        let model = try load(
            """
            <entity name="Person" representedClassName=".Person">
              <attribute name="age" optional="YES" attributeType="Integer 16" minValueString="1" maxValueString="130" \
            defaultValueString="18" usesScalarValueType="YES"/>
              <attribute name="name" attributeType="String" minValueString="2" regularExpressionString="[A-Z].*"/>
              <attribute name="vip" attributeType="Boolean" defaultValueString="YES"/>
              <attribute name="balance" attributeType="Decimal" defaultValueString="1.50"/>
              <userInfo><entry key="k" value="v"/></userInfo>
            </entity>
            """)
        #expect(model.versionIdentifiers == ["v7"])
        let person = try #require(model.entitiesByName["Person"])
        #expect(person.managedObjectClassName == ".Person")
        #expect(person.userInfo?["k"] as? String == "v")
        let age = try #require(person.attributesByName["age"])
        #expect(age.defaultValue as? Int == 18)
        #expect(age.validationPredicates.map { $0.evaluate(with: 0) } == [false, true])
        #expect(age.validationPredicates.map { $0.evaluate(with: 131) } == [true, false])
        #expect(age.validationWarnings as? [Int] == [NSValidationNumberTooSmallError, NSValidationNumberTooLargeError])
        let name = try #require(person.attributesByName["name"])
        #expect(!name.isOptional)
        #expect(name.validationPredicates.map { $0.evaluate(with: "a") } == [false, false])
        #expect(name.validationPredicates.map { $0.evaluate(with: "Anna") } == [true, true])
        #expect(
            name.validationWarnings as? [Int] == [
                NSValidationStringTooShortError, NSValidationStringPatternMatchingError,
            ])
        #expect(person.attributesByName["vip"]?.defaultValue as? Bool == true)
        #expect(
            person.attributesByName["balance"]?.defaultValue as? NSDecimalNumber == NSDecimalNumber(string: "1.5"))
    }

    @Test("Relationships, inheritance, constraints, indexes and configurations")
    func structure() throws {
        let model = try load(
            """
            <entity name="Thing" isAbstract="YES" elementID="OldThing">
              <attribute name="id" attributeType="UUID" optional="YES"/>
              <uniquenessConstraints><uniquenessConstraint><constraint value="id"/></uniquenessConstraint>\
            </uniquenessConstraints>
            </entity>
            <entity name="Box" parentEntity="Thing">
              <relationship name="items" toMany="YES" ordered="YES" deletionRule="Cascade" optional="YES" \
            destinationEntity="Item" inverseName="box" inverseEntity="Item"/>
              <fetchIndex name="byID"><fetchIndexElement property="id" type="Binary" order="descending"/></fetchIndex>
            </entity>
            <entity name="Item">
              <attribute name="tag" attributeType="String" indexed="YES" optional="YES"/>
              <relationship name="box" maxCount="1" deletionRule="Nullify" destinationEntity="Box" \
            inverseName="items" inverseEntity="Box"/>
            </entity>
            <configuration name="Boxes"><memberEntity name="Box"/></configuration>
            """)
        let thing = try #require(model.entitiesByName["Thing"])
        let box = try #require(model.entitiesByName["Box"])
        #expect(thing.isAbstract)
        #expect(thing.renamingIdentifier == "OldThing")
        #expect(box.superentity === thing)
        #expect(thing.uniquenessConstraints as? [[String]] == [["id"]])
        #expect(box.allUniquenessConstraints == [["id"]])
        let items = try #require(box.relationshipsByName["items"])
        #expect(items.isToMany && items.isOrdered && items.deleteRule == .cascadeDeleteRule)
        #expect(items.inverseRelationship?.inverseRelationship === items)
        #expect(items.inverseRelationship?.isToMany == false)
        #expect(box.indexes.first?.elements.first?.property === thing.attributesByName["id"])
        #expect(box.indexes.first?.elements.first?.isAscending == false)
        #expect(model.entitiesByName["Item"]?.indexes.map(\.name) == ["tag"])
        #expect(model.entities(forConfigurationName: "Boxes") == [box])
        #expect(box.rootEntity === thing)
        #expect(box.orderedProperties.map(\.name) == ["id", "items"])
    }

    @Test("Fetch request templates with variables, and fetched properties")
    func templates() throws {
        let model = try load(
            """
            <entity name="Person">
              <attribute name="name" attributeType="String" optional="YES"/>
              <fetchedProperty name="namesakes" optional="YES">
                <fetchRequest name="fetchedPropertyFetchRequest" entity="Person" \
            predicateString="name == $FETCH_SOURCE.name"/>
              </fetchedProperty>
            </entity>
            <fetchRequest name="Named" entity="Person" predicateString="name == $NAME" fetchLimit="3"/>
            """)
        let request = try #require(
            model.fetchRequestFromTemplate(withName: "Named", substitutionVariables: ["NAME": "Ann"]))
        #expect(request.entityName == "Person")
        #expect(request.fetchLimit == 3)
        #expect(request.predicate == NSPredicate(format: "name == 'Ann'"))
        #expect(model.fetchRequestTemplate(forName: "Named")?.predicate == NSPredicate(format: "name == $NAME"))
        let fetched = model.entitiesByName["Person"]?.propertiesByName["namesakes"] as? NSFetchedPropertyDescription
        #expect(fetched?.isTransient == true)
        #expect(fetched?.fetchRequest?.entity === model.entitiesByName["Person"])
    }

    @Test("Derived and composite attributes")
    func special() throws {
        let model = try load(
            """
            <entity name="Person">
              <attribute name="name" attributeType="String" optional="YES"/>
              <attribute name="plain" attributeType="String" derived="YES" derivationExpression="canonical:(name)"/>
              <attribute name="home" attributeType="Composite" composite="Address"/>
            </entity>
            <composite name="Address">
              <attribute name="city" attributeType="String" optional="YES"/>
              <attribute name="zip" attributeType="Integer 32" optional="YES"/>
            </composite>
            """)
        let person = try #require(model.entitiesByName["Person"])
        let plain = try #require(person.attributesByName["plain"] as? NSDerivedAttributeDescription)
        #expect(plain.derivationExpression.map(ModelText.format) == "canonical:(name)")
        let home = try #require(person.attributesByName["home"] as? NSCompositeAttributeDescription)
        #expect(home.elements.map(\.name).sorted() == ["city", "zip"])
        #expect(home.leaves.map(\.path).sorted() == ["home.city", "home.zip"])
    }

    @Test("What is wrong is said with entity and property")
    func errors() throws {
        let unknown = #expect(throws: CocoaError.self) {
            try load("<entity name='A'><relationship name='r' destinationEntity='Nothing'/></entity>")
        }
        #expect(unknown?.code == .coreData)
        #expect(unknown?.userInfo["entity"] as? String == "A")
        let predicate = #expect(throws: CocoaError.self) {
            try load("<entity name='A'/><fetchRequest name='T' entity='A' predicateString='a === ('/>")
        }
        #expect(predicate?.localizedDescription.contains("T") == true)
    }

    @Test(
        "Turned into plain values and back, a real model stays the same",
        .enabled(if: RealModels.areAvailable, RealModels.comment), arguments: RealModels.all)
    func roundTrip(_ path: String) throws {
        let model = try RealModels.load(path)
        let again = try NSManagedObjectModel(values: ModelValues.model(model))
        #expect(again == model)
        #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
        for entity in model.entities {
            let other = try #require(again.entitiesByName[entity.name ?? ""])
            #expect(other.orderedProperties.map(\.name) == entity.orderedProperties.map(\.name))
            for (name, property) in entity.propertiesByName {
                #expect(other.propertiesByName[name]?.validationPredicates == property.validationPredicates)
                #expect(other.propertiesByName[name]?.userInfo?.count == property.userInfo?.count)
            }
        }
    }
}
