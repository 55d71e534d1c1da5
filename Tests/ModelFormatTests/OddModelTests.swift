import Foundation
import ModelFormat
import ModelPredicates
import Testing

/// What Xcode compiles although it is hardly what its author meant.
@Suite("Odd models that Xcode compiles")
struct OddModelTests {
    private func document(_ body: String) throws -> ModelDocument {
        try ModelDocument(xml: Data("<model>\n\(body)\n</model>".utf8), file: "M/contents")
    }

    private func warnings(_ body: String) throws -> [ModelFormatError] {
        let document = try document(body)
        #expect(document.model.problems(lines: document.lines) == [])
        return document.model.warnings(lines: document.lines, file: document.file)
    }

    @Test("ask for no code by leaving the choice out, by none or by manual", arguments: ["", "none", "manual"])
    func noCode(_ choice: String) throws {
        let model = try document("<entity name='E' representedClassName='E' codeGenerationType='\(choice)'/>").model
        #expect(model.entities[0].codeGeneration == .manual)
        #expect(model.entities[0].extraAttributes == [:])
    }

    @Test("do not ask for code in any other word")
    func unknownCode() {
        let error = #expect(throws: ModelFormatError.self) {
            try document("<entity name='E' codeGenerationType='sometimes'/>")
        }
        #expect(error?.line == 2)
        #expect(error?.advice?.contains("class or category") == true)
    }

    private static let inverses = """
        <entity name="Person">
        <relationship name="car" optional="YES" maxCount="1" destinationEntity="Car" inverseName="owner"/>
        <relationship name="oldCar" optional="YES" maxCount="1" destinationEntity="Car" inverseName="owner"/>
        </entity><entity name="Car">
        <relationship name="owner" optional="YES" maxCount="1" destinationEntity="Person" inverseName="car"/></entity>
        """

    @Test("have inverses that are another relationship's inverse, which is a warning")
    func inverseMismatch() throws {
        let found = try warnings(Self.inverses)
        #expect(found.map(\.code) == [.inverseMismatch])
        #expect(
            found.first?.description.hasPrefix(
                "M/contents:4: warning: the inverse Car.owner has the inverse car, not oldCar "
                    + "(entity Person, property oldCar). Make each the inverse of the other") == true)
        let model = try document(Self.inverses).model
        #expect(
            try Model(archive: try model.archive()).entities.first { $0.name == "Person" }?.relationships.count == 2)
    }

    @Test("have inverses that lead to an unrelated entity, which is a warning")
    func inverseDestination() throws {
        let found = try warnings(
            """
            <entity name="Person">
            <relationship name="car" optional="YES" maxCount="1" destinationEntity="Car" inverseName="owner"/></entity>
            <entity name="Firm">
            <relationship name="car" optional="YES" maxCount="1" destinationEntity="Car" inverseName="owner"/></entity>
            <entity name="Car">
            <relationship name="owner" optional="YES" maxCount="1" destinationEntity="Firm" inverseName="car"/></entity>
            """)
        #expect(found.map(\.message) == ["the inverse Car.owner has the destination Firm, not Person"])
        #expect(found.map(\.line) == [3])
    }

    private func family(inverseEntity: String) -> String {
        """
        <entity name="Animal"><relationship name="owner" optional="YES" maxCount="1" destinationEntity="Person" \
        inverseName="dogs" inverseEntity="Person"/></entity>
        <entity name="Dog" parentEntity="Animal"/><entity name="House"/>
        <entity name="Person"><relationship name="dogs" optional="YES" toMany="YES" destinationEntity="Dog" \
        inverseName="owner" inverseEntity="\(inverseEntity)"/></entity>
        """
    }

    @Test("name a parent of the destination as the inverse's entity, which is a warning and kept")
    func inverseEntity() throws {
        let found = try warnings(family(inverseEntity: "Animal"))
        #expect(found.map(\.code) == [.inverseEntity])
        #expect(found.map(\.line) == [4])
        #expect(found.map(\.message) == ["inverseEntity is Animal, a parent of the destination Dog"])
        #expect(try warnings(family(inverseEntity: "Dog")) == [])
        let model = try document(family(inverseEntity: "Animal")).model
        #expect(try ModelDocument(xml: model.xml()).model.entities == model.entities)
    }

    /// Xcode compiles it: a repository with a build workflow has such a model.
    @Test("name any other entity as the inverse's, which is a warning and kept")
    func strangeInverseEntity() throws {
        let found = try warnings(family(inverseEntity: "House"))
        #expect(found.map(\.code) == [.inverseEntity])
        #expect(found.map(\.line) == [4])
        #expect(found.map(\.message) == ["inverseEntity is House, but the destination is Dog"])
        let document = try document(family(inverseEntity: "House"))
        #expect(document.model.problems(lines: document.lines).isEmpty)
        #expect(try ModelDocument(xml: document.model.xml()).model.entities == document.model.entities)
    }

    @Test(
        "have defaults that are no values of their type, which are warnings and kept",
        arguments: [
            ("UUID", "nonsense", nil, "is ignored"), ("Decimal", "some", nil, "is ignored"),
            ("Date", "yesterday", nil, "is ignored"), ("Binary", "0", nil, "is ignored"),
            ("Integer 32", "NO", .integer(0), "is read as 0"), ("Integer 16", "1.5", .integer(1), "is read as 1"),
            ("Boolean", "perhaps", .bool(false), "is read as NO"), ("Double", "many", .double(0), "is read as 0"),
        ] as [(String, String, ModelValue?, String)])
    func defaults(_ type: String, _ text: String, _ value: ModelValue?, _ result: String) throws {
        let body = """
            <entity name="E">
            <attribute name="a" optional="YES" attributeType="\(type)" defaultValueString="\(text)"/>
            </entity>
            """
        let found = try warnings(body)
        #expect(found.map(\.message) == ["the default value \"\(text)\" is not a valid \(type) and \(result)"])
        #expect(found.map(\.line) == [3])
        #expect(found.map(\.code) == [.unreadableDefault])
        var model = try document(body).model
        #expect(model.entities[0].attributes[0].defaultValue == value)
        #expect(try ModelDocument(xml: model.xml()).model.entities == model.entities)
        // Another default takes the place of the text.
        model.entities[0].attributes[0] = Attribute(name: "a", type: .string)
        model.entities[0].attributes[0].extraAttributes["defaultValueString"] = text
        model.entities[0].attributes[0].defaultValue = .string("other")
        #expect(try ModelDocument(xml: model.xml()).model.entities[0].attributes[0].defaultValue == .string("other"))
    }

    @Test("have intervals that are no numbers, which are warnings and kept")
    func interval() throws {
        let body = """
            <entity name="E">
            <attribute name="a" optional="YES" attributeType="Date" defaultDateTimeInterval="soon"/></entity>
            """
        #expect(try warnings(body).map(\.code) == [.unreadableDefault])
        let model = try document(body).model
        #expect(try ModelDocument(xml: model.xml()).model.entities == model.entities)
    }

    @Test(
        "do not warn of defaults that stand for what they say",
        arguments: [
            ("Integer 16", "0"), ("Integer 16", "-3"), ("Integer 64", "2.0"), ("Boolean", "NO"), ("Boolean", "1"),
            ("Double", "1e3"), ("Float", "0.0"), ("Decimal", "-1.25"), ("String", "NO"), ("URI", "a:b"),
            ("UUID", "00112233-4455-6677-8899-AABBCCDDEEFF"), ("UUID", ""), ("Date", "86400"),
        ])
    func clearDefaults(_ type: String, _ text: String) throws {
        #expect(
            try warnings(
                """
                <entity name="E"><attribute name="a" optional="YES" attributeType="\(type)" \
                defaultValueString="\(text)"/></entity>
                """) == [])
    }

    @Test("misspell the standard transformer, which is a warning and kept")
    func transformer() throws {
        let body = """
            <entity name="E">
            <attribute name="a" optional="YES" attributeType="Transformable" \
            valueTransformerName="NSSecureUnarchiveFromDataTransformerName"/>
            </entity>
            """
        let found = try warnings(body)
        #expect(found.map(\.line) == [3])
        #expect(found.first?.advice?.contains("NSSecureUnarchiveFromData,") == true)
        let model = try document(body).model
        #expect(
            try Model(archive: model.archive()).entities[0].attributes[0].valueTransformerName
                == "NSSecureUnarchiveFromDataTransformerName")
    }
}

/// Indexes over what is no property; compiled models note them a second time for old systems, as if it were one.
@Suite("Fetch indexes of expressions")
struct ExpressionIndexTests {
    private static let model: Model = {
        var thing = Entity(name: "Thing")
        thing.attributes = [Attribute(name: "name", type: .string, isOptional: true)]
        thing.fetchIndexes = [
            FetchIndex(
                name: "byEntity",
                elements: [
                    FetchIndexElement(.expression("entity", resultType: .string)), FetchIndexElement(property: "name"),
                ]),
            FetchIndex(
                name: "bySelf",
                elements: [
                    FetchIndexElement(.expression("SELF", resultType: .undefined), isAscending: false),
                    FetchIndexElement(property: "name"),
                ]),
            FetchIndex(
                name: "byLower",
                elements: [
                    FetchIndexElement(.expression("lowercase:(name)", resultType: .string)),
                    FetchIndexElement(property: "name"),
                ]),
        ]
        return Model(entities: [thing])
    }()

    private static var mirrored: Model {
        var model = model
        model.entities[0].compoundIndexes = [["entity", "name"], ["self", "name"]]
        return model
    }

    @Test("are read from compiled models without their mirror, and written without it")
    func mirror() throws {
        let archive = try Self.mirrored.archive(parser: FormatTextParser())
        let read = try Model(archive: archive)
        #expect(read == Self.model)
        #expect(read.problems() == [])
        #expect(read.entities[0].effectiveFetchIndexes == Self.model.entities[0].fetchIndexes)
        #expect(try Model(archive: read.archive(parser: FormatTextParser())) == Self.model)
        let cached = try Model(cacheContent: Self.mirrored.cacheContent(parser: FormatTextParser()))
        #expect(cached == Self.model)
    }

    @Test("keep compound indexes that are no mirror")
    func otherCompoundIndexes() throws {
        var model = Self.model
        model.entities[0].attributes.append(Attribute(name: "place", type: .string))
        model.entities[0].compoundIndexes = [["name", "place"]]
        #expect(try Model(archive: model.archive(parser: FormatTextParser())) == model)
    }

    @Test("survive the way through XML")
    func xml() throws {
        #expect(try ModelDocument(xml: Self.model.xml()).model.entities == Self.model.entities)
        #expect(Self.model.partsWithoutXMLForm() == [])
    }

    @Test("are no part of the version hash")
    func hash() throws {
        var plain = Self.model
        plain.entities[0].fetchIndexes = []
        #expect(try Self.model.versionHashes() == plain.versionHashes())
        #expect(
            try Model(archive: Self.mirrored.archive(parser: FormatTextParser())).versionHashes()
                == plain.versionHashes())
    }

    @Test("may be named as if they were over a property")
    func named() throws {
        let document = try ModelDocument(
            xml: Data(
                """
                <model><entity name="E"><fetchIndex name="i">
                <fetchIndexElement property="self" type="Binary" order="ascending"/></fetchIndex>
                <compoundIndexes><compoundIndex><index value="entity"/></compoundIndex></compoundIndexes></entity></model>
                """.utf8))
        #expect(document.model.problems() == [])
        #expect(
            document.model.entities[0].fetchIndexes[0].elements
                == [FetchIndexElement(.expression("self", resultType: .undefined))])
    }
}
