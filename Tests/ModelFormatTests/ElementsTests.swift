import Foundation
import Testing

@testable import ModelFormat

/// Models in the binary form of Xcode 3. Nobody writes it any more, so the tests put the archives together themselves.
@Suite("Binary models of Xcode 3")
struct ElementsTests {
    /// Builds the archive of the design tool's objects.
    private struct Builder {
        var archive = KeyedArchiveBuilder()

        mutating func value(_ value: PropertyListNode) -> PropertyListNode { archive.add(value) }
        mutating func text(_ text: String) -> PropertyListNode { archive.add(string: text) }

        mutating func tags(_ tags: [String: PropertyListNode]) -> PropertyListNode {
            let properties = tags.map { name, value in
                (
                    key: name,
                    value: archive.add(class: "XDUMLPropertyImp", ["_name": text(name), "_default": value])
                )
            }
            let bucket = archive.add(dictionary: properties)
            let stereotype = archive.add(class: "XDUMLStereotypeImp", ["XDBucketForOwnedAttributesstorage": bucket])
            return archive.add(dictionary: [("XD_Stereotype", stereotype)])
        }

        /// A lone attribute in an entity.
        mutating func model(entity: [String: PropertyListNode], attribute: [String: PropertyListNode]) -> Data {
            let property = archive.add(
                class: "XDPMAttribute",
                ["_name": text("name"), "XDBucketForStereotypesstorage": tags(attribute)])
            let thing = archive.add(
                class: "XDPMEntity",
                [
                    "_name": text("Thing"), "XDBucketForStereotypesstorage": tags(entity),
                    "XDBucketForOwnedAttributesstorage": archive.add(dictionary: [("name", property)]),
                ])
            let package = archive.add(
                class: "XDModelPackage",
                ["XDBucketForClassesstorage": archive.add(dictionary: [("Thing", thing)])])
            let root = archive.add(
                class: "XDPMModel",
                ["_xd_rootPackage": package, "_modelVersionIdentifier": text("7")])
            return archive.finished(root: root)
        }
    }

    @Test("give entities, attributes, defaults and limits")
    func reading() throws {
        var builder = Builder()
        let entity = [
            "XD_PSK_entityClassName": builder.text("App.Thing"), "XD_PSK_isAbstract": builder.value(.bool(true)),
            "XD_PSK_elementID": builder.text("Old"), "XD_PSK_fetchRequestsArray": builder.archive.add(array: []),
            "XDPMUniquenessConstraints": builder.archive.add(array: [
                builder.archive.add(array: [builder.text("name")])
            ]),
        ]
        let attribute = [
            "XD_PAttK_attributeType": builder.value(.integer(200)),
            "XD_PAttK_defaultValueAsString": builder.text("12"), "XD_PAttK_minValueString": builder.text("3"),
            "XD_PPSK_isOptional": builder.value(.bool(true)), "XD_PPSK_isIndexed": builder.value(.bool(true)),
            "XD_PPSK_somethingNew": builder.text("x"),
        ]
        let model = try Model(elements: builder.model(entity: entity, attribute: attribute))
        #expect(model.versionIdentifiers == ["7"])
        let thing = try #require(model.entity(named: "Thing"))
        #expect(thing.className == "App.Thing")
        #expect(thing.isAbstract)
        #expect(thing.renamingIdentifier == "Old")
        #expect(thing.uniquenessConstraints == [["name"]])
        let name = try #require(thing.attributes.first)
        #expect(name.type == .integer32)
        #expect(name.isOptional && name.isIndexed && !name.isTransient)
        #expect(name.defaultValue == .integer(12))
        #expect(name.validation == [.minimum(.integer(3))])
        #expect(name.extraAttributes == ["XD_PPSK_somethingNew": "x"])
    }

    @Test("of unknown types are refused by name")
    func unknownType() {
        var builder = Builder()
        let attribute = ["XD_PAttK_attributeType": builder.value(.integer(777))]
        let data = builder.model(entity: [:], attribute: attribute)
        let error = #expect(throws: ModelFormatError.self) { try Model(elements: data) }
        #expect(error?.code == .invalidValue)
        #expect(error?.entity == "Thing")
        #expect(error?.property == "name")
    }

    @Test("cut off, or of another kind, are refused")
    func damaged() throws {
        var builder = Builder()
        let data = builder.model(entity: [:], attribute: [:])
        for length in 0..<data.count {
            #expect(throws: ModelFormatError.self) { try Model(elements: data.prefix(length)) }
        }
        let compiled = try Model().archive()
        #expect(throws: ModelFormatError.self) { try Model(elements: compiled) }
    }

    @Test(
        "have the hashes their stores record",
        .enabled(if: RealData.isAvailable, Comment(rawValue: RealData.reason)))
    func recipes() throws {
        let bundle = try ModelBundle(contentsOf: RealData.url("stores/recipes/Recipes.xcdatamodeld"))
        #expect(bundle.currentVersionName == "Recipes")
        #expect(bundle.versions.count == 2)
        for version in bundle.versions { #expect(version.model.problems().isEmpty) }
        let hashes = try StoreFile(copyOf: RealData.url("stores/recipes/Recipes.sqlite")).hashes
        #expect(!hashes.isEmpty)
        #expect(try bundle.versions.contains { try $0.model.versionHashes() == hashes })
    }
}
