import Foundation
import ModelFormat
import Testing

@Suite("Models written as XML")
struct XMLWriterTests {
    /// A model with one of everything XML can hold.
    private static let everything: Model = {
        var model = ArchiveTests.everything
        for index in model.entities.indices {
            model.entities[index].userInfo = model.entities[index].userInfo.filter { $0.value.string != nil }
            model.entities[index].className = model.entities[index].className ?? "Plain"
            for at in model.entities[index].attributes.indices {
                switch model.entities[index].attributes[at].name {
                case "photo": model.entities[index].attributes[at].defaultValue = nil
                case "place": model.entities[index].attributes[at].compositeName = "Point"
                default: break
                }
            }
            for at in model.entities[index].fetchedProperties.indices {
                model.entities[index].fetchedProperties[at].fetchRequest.sortKeys = []
            }
        }
        let point = [Attribute(name: "x", type: .double), Attribute(name: "y", type: .double)]
        model.composites = [CompositeType(name: "Point", attributes: point)]
        model.diagram = [DiagramElement(name: "Person", positionX: -12.5, positionY: 3, width: 128, height: 44)]
        var template = FetchTemplate(
            name: "Named", entityName: model.entities[0].name, predicate: "name == \"<a & 'b'>\" AND name != $X")
        template.fetchLimit = 7
        template.resultType = .dictionaries
        template.includesSubentities = false
        template.returnsDistinctResults = true
        model.fetchTemplates = [template]
        model.versionIdentifiers = ["v1"]
        model.sourceLanguage = "Swift"
        model.extraAttributes = [
            "type": "com.apple.IDECoreDataModeler.DataModel", "documentVersion": "1.0",
            "minimumToolsVersion": "Automatic", "unheardOf": "kept",
        ]
        return model
    }()

    @Test("read back the same")
    func roundTrip() throws {
        #expect(Self.everything.partsWithoutXMLForm().isEmpty)
        let expected = Self.everything
        let read = try ModelDocument(xml: expected.xml()).model
        for (left, right) in zip(read.entities, expected.entities) {
            #expect(left.attributes == right.attributes)
            #expect(left == right)
        }
        #expect(read == expected)
    }

    @Test("escape what XML would take for markup, and keep line breaks")
    func escaping() throws {
        var entity = Entity(name: "E")
        entity.userInfo = ["a<b>&\"'": "line\nbreak\ttab\r", "control": "\u{1}"]
        entity.className = "C"
        let model = try ModelDocument(xml: Model(entities: [entity]).xml()).model
        #expect(model.entities[0].userInfo == ["a<b>&\"'": "line\nbreak\ttab\r", "control": "\u{FFFD}"])
    }

    @Test("name what XML has no place for")
    func losses() {
        var tags = Attribute(name: "tags", type: .transformable)
        tags.defaultValue = .archive(Data([1]))
        tags.validation = [.predicate("SELF != nil", .text("no"))]
        var entity = Entity(name: "E")
        entity.attributes = [tags]
        entity.userInfo = ["n": .integer(1)]
        entity.fetchIndexes = [FetchIndex(name: "i", elements: [FetchIndexElement(property: "tags")])]
        entity.fetchIndexes[0].partialIndexPredicate = "tags != nil"
        var model = Model(entities: [entity])
        model.versionIdentifiers = ["a", "b"]
        let losses = model.partsWithoutXMLForm()
        #expect(losses.count == 5)
        #expect(losses.allSatisfy { $0.code == .unsupported })
        #expect(losses.contains { $0.property == "tags" && $0.message.contains("SELF != nil") })
    }

    @Test("give nameless composite types names")
    func composites() throws {
        var place = Attribute(name: "place", type: .composite)
        place.elements = [Attribute(name: "x", type: .double)]
        var other = place
        other.name = "origin"
        var entity = Entity(name: "E", className: "E")
        entity.attributes = [place, other]
        let model = Model(entities: [entity])
        let read = try ModelDocument(xml: model.xml()).model
        #expect(read.composites.map(\.name) == ["Place"])
        #expect(read.entities[0].attributes.map(\.compositeName) == ["Place", "Place"])
        #expect(try read.versionHashes() == model.versionHashes())
    }

    @Test("stand in a bundle with its current version, which replaces what was there")
    func bundle() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("M.xcdatamodeld")
        var bundle = ModelBundle(
            name: "M",
            versions: [.init(name: "M", model: Self.everything), .init(name: "M 2", model: Self.everything)],
            currentVersionName: "M")
        try bundle.writeSource(to: url)
        bundle.currentVersionName = "M 2"
        try bundle.writeSource(to: url)
        let read = try ModelBundle(contentsOf: url)
        #expect(read.currentVersionName == "M 2")
        #expect(read.versions.map(\.name) == ["M", "M 2"])
        let lone = folder.appendingPathComponent("Lone.xcdatamodel")
        try bundle.writeSource(to: lone)
        #expect(try Model(contentsOf: lone).entities.count == Self.everything.entities.count)
        bundle.currentVersionName = "none"
        #expect(throws: ModelFormatError.self) { try bundle.writeSource(to: url) }
    }
}

@Suite("What is unknown in models")
struct UnknownPartsTests {
    @Test("in XML is carried along")
    func carried() throws {
        let text = """
            <model tint="red"><entity name="A" hue="1"><attribute name="a" attributeType="String" future="x"><hint level="2">\
            <part/></hint></attribute><relationship name="r" maxCount="1" destinationEntity="A"><note/></relationship>\
            <fetchedProperty name="f"><fetchRequest name="q" entity="A"/><note n="3"/></fetchedProperty><shadow><deep x="y"/></shadow>\
            </entity><theme name="dark"/></model>
            """
        let model = try ModelDocument(xml: Data(text.utf8)).model
        let entity = try #require(model.entities.first)
        #expect(model.extraElements == [ExtraElement(name: "theme", attributes: ["name": "dark"])])
        #expect(
            entity.extraElements == [
                ExtraElement(name: "shadow", children: [ExtraElement(name: "deep", attributes: ["x": "y"])])
            ])
        #expect(entity.attributes[0].extraElements.first?.children.map(\.name) == ["part"])
        #expect(entity.relationships[0].extraElements.map(\.name) == ["note"])
        #expect(entity.fetchedProperties[0].extraElements.first?.attributes == ["n": "3"])
        let again = try ModelDocument(xml: model.xml()).model
        #expect(again.entities == model.entities)
        #expect(again.extraElements == model.extraElements)
        #expect(again.extraAttributes["tint"] == "red")
        #expect(try Model(archive: model.archive()).entities.count == 1)
    }

    @Test("in archives is told by name")
    func told() throws {
        #expect(try Model.unknownKeys(inArchive: ArchiveTests.everything.archive()).isEmpty)
        var list = try #require(
            try PropertyListSerialization.propertyList(
                from: ArchiveTests.everything.archive(), format: nil) as? [String: Any])
        var objects = try #require(list["$objects"] as? [Any])
        let place = try #require(objects.firstIndex { ($0 as? [String: Any])?["NSEntityName"] != nil })
        var entity = try #require(objects[place] as? [String: Any])
        entity["NSTint"] = 3
        objects[place] = entity
        list["$objects"] = objects
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        #expect(try Model.unknownKeys(inArchive: data) == ["NSTint of NSEntityDescription"])
        #expect(throws: ModelFormatError.self) { try Model.unknownKeys(inArchive: Data("no archive".utf8)) }
    }

    @Test(
        "is nothing in Apple's own", .enabled(if: RealData.isAvailable, Comment(rawValue: RealData.reason)),
        arguments: RealData.all("mom"))
    func real(_ url: URL) throws {
        #expect(try Model.unknownKeys(inArchive: Data(contentsOf: url)).isEmpty)
    }
}

@Suite("Real models written as XML", .enabled(if: RealData.isAvailable, Comment(rawValue: RealData.reason)))
struct RealXMLWriterTests {
    private static let contents = RealData.all("xcdatamodel").map { $0.appendingPathComponent("contents") }
        .filter { FileManager.default.fileExists(atPath: $0.path) }

    @Test("read back the same", arguments: contents)
    func roundTrip(_ url: URL) throws {
        let model = try ModelDocument(xml: Data(contentsOf: url)).model
        #expect(model.partsWithoutXMLForm().isEmpty)
        #expect(try ModelDocument(xml: model.xml()).model == model)
    }

    /// Byte for byte, so that saving a model shows in a diff only what changed. The exceptions were saved by an Xcode that
    /// put one attribute of the root elsewhere, or hold numbers spelled otherwise (`0.0` for a decimal).
    @Test("are mostly what Xcode wrote, byte for byte")
    func bytes() throws {
        var equal = 0
        for url in Self.contents {
            let data = try Data(contentsOf: url)
            if try ModelDocument(xml: data).model.xml() == data { equal += 1 }
        }
        #expect(equal >= Self.contents.count * 3 / 4, "\(equal) of \(Self.contents.count)")
    }

    @Test("keep the hashes of Xcode's compiled and binary models")
    func fromOtherForms() throws {
        for url in RealData.all("mom") + RealData.all("xcdatamodel").filter({ $0.path.contains("Recipes") }) {
            let model = try Model(contentsOf: url)
            let read = try ModelDocument(xml: model.xml()).model
            #expect(try read.versionHashes() == model.versionHashes())
            #expect(read.problems().isEmpty)
        }
    }
}

@Suite("What XML cannot hold")
struct XMLLossTests {
    @Test("includes control characters, each with its place")
    func controlCharacters() {
        var thing = Entity(name: "Thing")
        var note = Attribute(name: "note", type: .string)
        note.defaultValue = "a\u{1}b"
        thing.attributes = [note]
        thing.userInfo = ["tint": "\u{7}", "plain": "line\nbreak\t"]
        let found = Model(entities: [thing]).partsWithoutXMLForm().map(\.message)
        #expect(
            found == [
                "XML models cannot hold the control characters in defaultValueString of the attribute note",
                "XML models cannot hold the control characters in value of the entry tint",
            ])
    }
}
