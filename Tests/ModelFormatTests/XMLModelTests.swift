import Foundation
import ModelFormat
import Testing

@Suite("Models in XML")
struct XMLModelTests {
    private func model(_ body: String) throws -> Model {
        try ModelDocument(xml: Data("<model userDefinedModelVersionIdentifier=\"v1\">\(body)</model>".utf8)).model
    }

    private func attribute(_ attributes: String) throws -> Attribute {
        try #require(
            try model("<entity name='E'><attribute name='a' \(attributes)/></entity>").entities[0].attributes.first)
    }

    @Test("give entities with every setting")
    func entity() throws {
        let model = try model(
            """
            <entity name="Car" representedClassName=".Car" parentEntity="Thing" isAbstract="YES" elementID="Auto"
                versionHashModifier="3" codeGenerationType="class" syncable="YES" handmade="x">
                <fetchIndex name="byMaker">
                    <fetchIndexElement property="maker" type="Binary" order="descending"/>
                    <fetchIndexElement expression="length:(maker)" expressionType="Integer 64" type="RTree"/>
                </fetchIndex>
                <uniquenessConstraints>
                    <uniquenessConstraint><constraint value="b"/><constraint value="a"/></uniquenessConstraint>
                </uniquenessConstraints>
                <compoundIndexes><compoundIndex><index value="a"/><index value="b"/></compoundIndex></compoundIndexes>
                <userInfo><entry key="k" value="v"/></userInfo>
            </entity>
            <configuration name="Local"><memberEntity name="Car"/></configuration>
            """)
        let car = try #require(model.entity(named: "Car"))
        #expect(model.versionIdentifiers == ["v1"])
        #expect(car.className == ".Car")
        #expect(car.parentName == "Thing")
        #expect(car.isAbstract)
        #expect(car.renamingIdentifier == "Auto")
        #expect(car.versionHashModifier == "3")
        #expect(car.codeGeneration == .classDefinition)
        #expect(car.extraAttributes == ["syncable": "YES", "handmade": "x"])
        #expect(car.uniquenessConstraints == [["b", "a"]])
        #expect(car.userInfo == ["k": "v"])
        #expect(model.configurations == [Configuration(name: "Local", entityNames: ["Car"])])
        #expect(car.effectiveFetchIndexes.map(\.name) == ["byMaker", "a_b"])
        #expect(
            car.fetchIndexes[0].elements == [
                FetchIndexElement(property: "maker", isAscending: false),
                FetchIndexElement(.expression("length:(maker)", resultType: .integer64), kind: .rTree),
            ])
    }

    @Test("convert defaults by type, as C reads numbers")
    func defaults() throws {
        #expect(try attribute("attributeType='Integer 16' defaultValueString='NO'").defaultValue == .integer(0))
        #expect(try attribute("attributeType='Integer 64' defaultValueString='-12'").defaultValue == .integer(-12))
        #expect(try attribute("attributeType='Boolean' defaultValueString='YES'").defaultValue == .bool(true))
        #expect(try attribute("attributeType='Boolean' defaultValueString='1'").defaultValue == .bool(true))
        #expect(try attribute("attributeType='Double' defaultValueString='0.25'").defaultValue == .double(0.25))
        #expect(
            try attribute("attributeType='Decimal' defaultValueString='1.10'").defaultValue
                == .decimal(Decimal(string: "1.1")!))
        #expect(try attribute("attributeType='String' defaultValueString=''").defaultValue == .string(""))
        #expect(
            try attribute("attributeType='Date' defaultDateTimeInterval='86400' defaultValueString='x'").defaultValue
                == .date(86400))
        #expect(try attribute("attributeType='URI' defaultValueString='a:b'").defaultValue == .url("a:b"))
        #expect(try attribute("attributeType='Integer 16'").defaultValue == nil)
        #expect(try attribute("attributeType='UUID' defaultValueString='nonsense'").defaultValue == nil)
    }

    @Test("turn limits into rules with Core Data's predicates and codes")
    func validation() throws {
        let number = try attribute("attributeType='Integer 16' minValueString='1' maxValueString='10'")
        #expect(number.validation == [.minimum(.integer(1)), .maximum(.integer(10))])
        #expect(number.validation.map(\.predicateFormat) == ["SELF >= 1", "SELF <= 10"])
        #expect(number.validation.map(\.warning) == [.code(1620), .code(1610)])
        let text = try attribute(
            "attributeType='String' minValueString='2' maxValueString='5' regularExpressionString='a\"+'")
        #expect(text.validation.map(\.predicateFormat) == ["length >= 2", "length <= 5", "SELF MATCHES \"a\\\"+\""])
        #expect(text.validation.map(\.warning) == [.code(1670), .code(1660), .code(1680)])
        let date = try attribute("attributeType='Date' minDateTimeInterval='60' maxDateTimeInterval='90.5'")
        #expect(
            date.validation.map(\.predicateFormat) == [
                "timeIntervalSinceReferenceDate >= 60", "timeIntervalSinceReferenceDate <= 90.5",
            ])
        #expect(date.validation.map(\.warning) == [.code(1640), .code(1630)])
    }

    @Test("tell a to-many from a to-one by its count")
    func relationships() throws {
        let model = try model(
            """
            <entity name="E">
                <relationship name="one" destinationEntity="E" deletionRule="Cascade"/>
                <relationship name="many" toMany="YES" ordered="YES" destinationEntity="E" optional="YES"/>
                <relationship name="few" toMany="YES" minCount="1" maxCount="3" destinationEntity="E"/>
            </entity>
            """)
        let relationships = model.entities[0].relationships
        #expect(relationships.map(\.maxCount) == [1, 0, 3])
        #expect(relationships.map(\.isToMany) == [false, true, true])
        #expect(relationships.map(\.deleteRule) == [.cascade, .nullify, .nullify])
        #expect(relationships[1].isOrdered && relationships[1].isOptional)
    }

    @Test("leave a fetch request's defaults where a flag is absent")
    func templates() throws {
        let model = try model(
            """
            <entity name="E">
                <fetchedProperty name="f" optional="YES">
                    <fetchRequest name="fetchedPropertyFetchRequest" entity="E" predicateString="a == $FETCH_SOURCE.b"/>
                </fetchedProperty>
            </entity>
            <fetchRequest name="T" entity="E" predicateString="a == $A" fetchLimit="5" resultType="1"
                includeSubentities="NO" returnDistinctResults="YES"/>
            """)
        let template = model.fetchTemplates[0]
        #expect(template.predicate == "a == $A")
        #expect(template.fetchLimit == 5)
        #expect(template.resultType == .objectIDs)
        #expect(!template.includesSubentities && template.includesPendingChanges && template.returnsDistinctResults)
        #expect(model.entities[0].fetchedProperties[0].fetchRequest.predicate == "a == $FETCH_SOURCE.b")
    }

    @Test("resolve composite attributes, nested ones too")
    func composites() throws {
        let model = try model(
            """
            <entity name="E"><attribute name="home" attributeType="Composite" composite="Address"/></entity>
            <composite name="Point"><attribute name="x" attributeType="Double"/></composite>
            <composite name="Address">
                <attribute name="street" attributeType="String"/>
                <attribute name="place" attributeType="Composite" composite="Point"/>
            </composite>
            """)
        let home = model.entities[0].attributes[0]
        #expect(home.elements.map(\.name) == ["street", "place"])
        #expect(home.elements[1].elements.map(\.name) == ["x"])
        #expect(throws: ModelFormatError.self) {
            try self.model(
                """
                <composite name="A"><attribute name="b" attributeType="Composite" composite="A"/></composite>
                <entity name="E"><attribute name="a" attributeType="Composite" composite="A"/></entity>
                """)
        }
    }

    @Test("name the line, entity and property of what is wrong")
    func errors() throws {
        let text = "<model>\n<entity name='E'>\n<attribute name='a' attributeType='Wide'/>\n</entity>\n</model>"
        let error = #expect(throws: ModelFormatError.self) {
            try ModelDocument(xml: Data(text.utf8), file: "M/contents")
        }
        #expect(error?.line == 3)
        #expect(error?.entity == "E")
        #expect(error?.property == "a")
        #expect(
            error?.description
                == "M/contents:3: error: attributeType=\"Wide\" is unknown (entity E, property a)")
    }

    @Test(
        "are refused when they are not models",
        arguments: [
            "", "<", "<model>", "<plist/>", "<!DOCTYPE m [<!ENTITY a 'b'>]><model/>", "\u{0}\u{1}\u{2}",
            String(repeating: "<a>", count: 10_000),
        ])
    func rubbish(_ text: String) {
        #expect(throws: ModelFormatError.self) { try ModelDocument(xml: Data(text.utf8)) }
    }

    @Test("report references to nothing")
    func problems() throws {
        let document = try ModelDocument(
            xml: Data(
                """
                <model>
                <entity name="A" parentEntity="Nobody"/>
                <entity name="B">
                <relationship name="r" destinationEntity="C" inverseName="q"/>
                <relationship name="s" destinationEntity="B" inverseName="t"/>
                <attribute name="s" attributeType="String"/>
                </entity>
                </model>
                """.utf8))
        let problems = document.model.problems(lines: document.lines, file: "f")
        #expect(problems.map(\.line) == [2, 6, 4, 6])
        #expect(problems.map(\.code) == [.unknownName, .duplicateName, .unknownName, .unknownName])
    }
}

@Suite("Models with problems")
struct ModelProblemTests {
    @Test("say what is wrong, all of it, at its place")
    func problems() throws {
        let text = """
            <model><entity name="A" parentEntity="Nothing"><attribute name="a" attributeType="Double"/>
            <attribute name="a" attributeType="Double"/><attribute name="b" attributeType="Double"/>
            <fetchIndex name="mixed"><fetchIndexElement property="a" type="Binary" order="ascending"/>
            <fetchIndexElement property="b" type="RTree" order="ascending"/></fetchIndex></entity></model>
            """
        let document = try ModelDocument(xml: Data(text.utf8))
        let problems = document.model.problems(lines: document.lines)
        #expect(
            problems.map(\.message) == [
                "two properties are named a", "fetch index mixed mixes binary and R-tree elements",
                "the parent entity Nothing does not exist",
            ])
        #expect(problems.map(\.entity) == ["A", "A", "A"])
        #expect(problems.map(\.line) == [2, 3, 1])
    }

    @Test("name the lines of fetch requests, configurations and indexes")
    func lines() throws {
        let document = try ModelDocument(
            xml: Data(
                """
                <model><entity name="A">
                <fetchIndex name="i"><fetchIndexElement property="x" type="Binary" order="ascending"/></fetchIndex></entity>
                <fetchRequest name="f" entity="B"/>
                <configuration name="c">
                <memberEntity name="C"/></configuration></model>
                """.utf8))
        #expect(document.model.problems(lines: document.lines).map(\.line) == [2, 4, 3])
    }
}

@Suite("Real models", .enabled(if: RealData.isAvailable, Comment(rawValue: RealData.reason)))
struct RealModelTests {
    @Test("in XML read without problems", arguments: RealData.all("xcdatamodel"))
    func xml(_ url: URL) throws {
        guard FileManager.default.fileExists(atPath: url.appendingPathComponent("contents").path) else { return }
        let version = try #require(try ModelBundle(contentsOf: url).currentVersion)
        #expect(!version.model.entities.isEmpty)
        #expect(version.model.problems(lines: version.lines, file: version.file).isEmpty)
    }

    @Test("name their current version")
    func current() throws {
        let bundle = try ModelBundle(contentsOf: RealData.url("stores/bookmarks/BookmarksModel.xcdatamodeld"))
        #expect(bundle.versions.map(\.name).first == "BookmarksModel")
        #expect(bundle.versions.count == 6)
        #expect(bundle.currentVersion != nil)
    }
}
