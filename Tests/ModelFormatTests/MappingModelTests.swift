import Foundation
import ModelFormat
import Testing

@Suite("Mapping models")
struct MappingModelTests {
    private static let everything: MappingModel = {
        var person = EntityMapping(name: "PersonToHuman", kind: .custom)
        person.sourceEntityName = "Person"
        person.sourceEntityVersionHash = Data(repeating: 1, count: 32)
        person.destinationEntityName = "Human"
        person.destinationEntityVersionHash = Data(repeating: 2, count: 32)
        person.migrationPolicyClassName = "App.Policy"
        person.userInfo = ["step": .integer(2)]
        person.sourceExpression = .fetch(
            request: .function(
                "fetchRequestForSourceEntityNamed:predicateString:", target: .variable("manager"),
                arguments: [.constant("Person"), .constant("age > 18")]),
            context: .keyPath("sourceContext", of: .variable("manager")), countOnly: false)
        person.attributeMappings = [
            PropertyMapping(name: "name", valueExpression: .keyPath("fullName", of: .variable("source"))),
            PropertyMapping(name: "nothing"),
            PropertyMapping(name: "one", valueExpression: .constant(.integer(1))),
        ]
        person.relationshipMappings = [
            PropertyMapping(
                name: "friends",
                valueExpression: .function(
                    "destinationInstancesForEntityMappingNamed:sourceInstances:", target: .variable("manager"),
                    arguments: [.constant("PersonToHuman"), .keyPath("friends", of: .variable("source"))]))
        ]
        var added = EntityMapping(name: "Pet", kind: .add)
        added.destinationEntityName = "Pet"
        return MappingModel(entityMappings: [person, added])
    }()

    @Test("survive being compiled and read")
    func roundTrip() throws {
        let data = Self.everything.archive()
        #expect(try MappingModel(archive: data) == Self.everything)
        #expect(Self.everything.entityMapping(named: "Pet")?.kind == .add)
    }

    @Test("print expressions in Apple's predicate format")
    func text() {
        let expression = Self.everything.entityMappings[0].sourceExpression
        #expect(
            expression?.text
                == "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Person\", "
                + "\"age > 18\"), $manager.sourceContext, NO)")
    }

    @Test("cut off anywhere are refused")
    func truncated() {
        let data = Self.everything.archive()
        for length in stride(from: 0, to: data.count, by: 7) {
            #expect(throws: ModelFormatError.self) { try MappingModel(archive: data.prefix(length)) }
        }
    }

    @Test("are not models, nor models mapping models")
    func mixedUp() throws {
        let mapping = #expect(throws: ModelFormatError.self) { try Model(archive: Self.everything.archive()) }
        #expect(mapping?.code == .malformed)
        let model = #expect(throws: ModelFormatError.self) { try MappingModel(archive: Model().archive()) }
        #expect(model?.code == .malformed)
    }

    // MARK: Sources

    /// Two models that differ by a renamed attribute, a new entity and one that goes.
    static let old: Model = {
        var person = Entity(name: "Person")
        person.attributes = [Attribute(name: "name", type: .string), Attribute(name: "years", type: .integer16)]
        person.relationships = [
            Relationship(name: "cars", destinationName: "Car", isToMany: true),
            Relationship(name: "house", destinationName: "House"),
        ]
        var sports = Entity(name: "SportsCar")
        sports.parentName = "Car"
        return Model(entities: [person, Entity(name: "Car"), sports, Entity(name: "House"), Entity(name: "Gone")])
    }()

    static let new: Model = {
        var model = old
        model.entities.removeLast()
        model.entities.append(Entity(name: "Pet"))
        model.entities[0].attributes[1].name = "age"
        return model
    }()

    private static let source = """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
        <database>
            <databaseInfo><version>134481920</version></databaseInfo>
            <object type="XDDEVMAPPINGMODEL" id="z1">
                <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z9 z2 z3 z4 z5 z6"></relationship>
            </object>
            <object type="XDDEVENTITYMAPPING" id="z2">
                <attribute name="mappingnumber" type="int16">1</attribute>
                <attribute name="sourcename" type="string">Person</attribute>
                <attribute name="destinationname" type="string">Person</attribute>
                <attribute name="sourcefilterpredicatestring" type="string">years > 3</attribute>
                <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z10 z11"></relationship>
                <relationship name="relationshipmappings" type="0/0" destination="XDDEVRELATIONSHIPMAPPING" idrefs="z12 z13"></relationship>
            </object>
            <object type="XDDEVENTITYMAPPING" id="z3">
                <attribute name="mappingnumber" type="int16">2</attribute>
                <attribute name="sourcename" type="string">Car</attribute>
                <attribute name="destinationname" type="string">Car</attribute>
                <attribute name="migrationpolicyclassname" type="string"></attribute>
            </object>
            <object type="XDDEVENTITYMAPPING" id="z4">
                <attribute name="mappingnumber" type="int16">3</attribute>
                <attribute name="sourcename" type="string">SportsCar</attribute>
                <attribute name="destinationname" type="string">SportsCar</attribute>
                <attribute name="migrationpolicyclassname" type="string">App.Policy</attribute>
            </object>
            <object type="XDDEVENTITYMAPPING" id="z5">
                <attribute name="mappingnumber" type="int16">4</attribute>
                <attribute name="sourcename" type="string">House</attribute>
                <attribute name="destinationname" type="string">House</attribute>
                <attribute name="name" type="string">Houses</attribute>
            </object>
            <object type="XDDEVENTITYMAPPING" id="z6">
                <attribute name="mappingnumber" type="int16">5</attribute>
                <attribute name="destinationname" type="string">Pet</attribute>
            </object>
            <object type="XDDEVENTITYMAPPING" id="z9">
                <attribute name="mappingnumber" type="int16">6</attribute>
                <attribute name="sourcename" type="string">Gone</attribute>
            </object>
            <object type="XDDEVATTRIBUTEMAPPING" id="z10"><attribute name="name" type="string">name</attribute></object>
            <object type="XDDEVATTRIBUTEMAPPING" id="z11"><attribute name="name" type="string">age</attribute></object>
            <object type="XDDEVRELATIONSHIPMAPPING" id="z12">
                <attribute name="name" type="string">cars</attribute>
                <attribute name="autogenerateexpression" type="bool">1</attribute>
            </object>
            <object type="XDDEVRELATIONSHIPMAPPING" id="z13"><attribute name="name" type="string">house</attribute></object>
        </database>
        """

    /// What the compiler fills in is laid down in the description of the one public pair of source and compiled file.
    @Test("in source form are completed as Apple's compiler does")
    func compiled() throws {
        let document = try MappingDocument(xml: Data(Self.source.utf8))
        let model = try document.compiled(source: Self.old, destination: Self.new)
        let mappings = model.entityMappings
        #expect(
            mappings.map(\.name)
                == ["PersonToPerson", "CarToCar", "SportsCarToSportsCar", "Houses", "Pet", "Gone"])
        #expect(mappings.map(\.kind) == [.copy, .copy, .custom, .copy, .add, .remove])
        #expect(mappings[0].sourceEntityVersionHash == (try Self.old.versionHashes())["Person"])
        #expect(mappings[0].destinationEntityVersionHash == (try Self.new.versionHashes())["Person"])
        #expect(mappings[4].sourceExpression == nil)
        #expect(
            mappings[0].sourceExpression?.text
                == "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Person\", "
                + "\"years > 3\"), $manager.sourceContext, NO)")
        #expect(mappings[0].attributeMappings.map(\.valueExpression?.text) == ["$source.name", nil])
        // Two mappings make cars, so the manager has to look for the relationship; one makes houses.
        #expect(
            mappings[0].relationshipMappings.map(\.valueExpression?.text) == [
                "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", \"cars\", "
                    + "$source.cars)",
                "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"Houses\", "
                    + "$source.house)",
            ])
    }

    @Test("without the models they map are refused")
    func withoutModels() throws {
        let document = try MappingDocument(xml: Data(Self.source.utf8))
        #expect(document.sourceModel == nil)
        let error = #expect(throws: ModelFormatError.self) { try document.compiled() }
        #expect(error?.code == .missingValue)
        let unknown = #expect(throws: ModelFormatError.self) {
            try document.compiled(source: Self.old, destination: Self.old)
        }
        #expect(unknown?.code == .unknownName)
        #expect(unknown?.line == 34)
    }

    @Test("with dangling references are refused")
    func dangling() {
        let text = Self.source.replacingOccurrences(of: "idrefs=\"z10 z11\"", with: "idrefs=\"z10 z99\"")
        let error = #expect(throws: ModelFormatError.self) { try MappingDocument(xml: Data(text.utf8)) }
        #expect(error?.code == .unknownName)
    }
}

@Suite("Real mapping models", .enabled(if: RealData.isAvailable, Comment(rawValue: RealData.reason)))
struct RealMappingModelTests {
    @Test("carry both models, whose hashes are those of the XML versions", arguments: RealData.all("xcmappingmodel"))
    func embeddedModels(_ url: URL) throws {
        let document = try MappingDocument(contentsOf: url)
        let bundle = try #require(
            try FileManager.default.contentsOfDirectory(
                at: url.deletingLastPathComponent(), includingPropertiesForKeys: nil
            ).first { $0.pathExtension == "xcdatamodeld" })
        let versions = try ModelBundle(contentsOf: bundle).versions
        for (model, path) in [
            (document.sourceModel, document.sourceModelPath),
            (document.destinationModel, document.destinationModelPath),
        ] {
            let hashes = try #require(try model?.versionHashes())
            let name = try #require(path.map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent })
            let version = try #require(versions.first { $0.name == name })
            // The sample's XML was edited after the mapping was saved; where the entity is the same, the hash is.
            let expected = try version.model.versionHashes()
            #expect(hashes.contains { expected[$0.key] == $0.value })
            #expect(hashes.keys.sorted() == expected.keys.sorted())
        }
    }

    @Test("compile, and survive being written and read", arguments: RealData.all("xcmappingmodel"))
    func roundTrip(_ url: URL) throws {
        let model = try MappingModel(contentsOf: url)
        #expect(!model.entityMappings.isEmpty)
        #expect(try MappingModel(archive: model.archive()) == model)
    }

    @Test("give the expressions of the published compiled file")
    func sample() throws {
        let model = try MappingModel(contentsOf: RealData.url("stores/sample/V2toV3.xcmappingmodel"))
        #expect(
            model.entityMappings.map(\.name)
                == ["CarToCar", "LuxuryCarToLuxuryCar", "PersonToPerson", "SportCarToSportCar", "Maker"])
        #expect(model.entityMappings.map(\.kind) == [.custom, .custom, .copy, .custom, .add])
        let person = model.entityMappings[2]
        let expressions = Dictionary(
            uniqueKeysWithValues: person.relationshipMappings.map { ($0.name, $0.valueExpression?.text ?? "") })
        let call = "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", \"cars\", "
        #expect(expressions == ["cars": call + "$source.cars)", "previousCars": call + "$source.cars)"])
    }
}
