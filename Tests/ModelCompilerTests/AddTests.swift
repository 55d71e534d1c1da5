import Foundation
import ModelCompiler
import ModelFormat
import Testing

@Suite("modelc add")
struct AddTests {
    private let models: TemporaryModels
    private let path: String

    init() throws {
        models = try TemporaryModels()
        path = try models.model(
            "Model",
            """
                <!-- Records -->
                <entity name="Album" representedClassName="Album">
                    <attribute name="title" attributeType="String" defaultValueString=""/> <!-- of the sleeve -->
                    <relationship name="songs" optional="YES" toMany="YES" destinationEntity="Song"/>
                    <mystery kind="unknown"/>
                </entity>
                <entity name="Single" parentEntity="Album"/>
                <entity name="Song"/>
                <composite name="Place"><attribute name="city" optional="YES" attributeType="String"/></composite>
            """)
    }

    private var text: String {
        get throws { try String(contentsOfFile: path + "/contents", encoding: .utf8) }
    }

    private var model: Model {
        get throws { try Model(contentsOf: URL(fileURLWithPath: path)) }
    }

    private func add(_ words: String...) -> ModelTool.Result {
        ModelTool.run(["add", words[0], path] + words.dropFirst())
    }

    private func attribute(_ name: String) throws -> Attribute {
        try #require(try model.entity(named: "Album")?.attributes.first { $0.name == name })
    }

    @Test("leaves every other line as it is, with comments and unknown elements")
    func untouched() throws {
        let old = try text.components(separatedBy: "\n")
        #expect(add("attribute", "Album.year", "Integer 16", "--index").status == 0)
        #expect(add("entity", "Label").status == 0)
        #expect(add("relationship", "Label.albums", "Album", "--to-many", "--inverse", "label").status == 0)
        let new = try text.components(separatedBy: "\n")
        var rest = new[...]
        for line in old {
            let place = try #require(rest.firstIndex(of: line), "\(line)")
            rest = rest[(place + 1)...]
        }
        let year = try #require(new.firstIndex { $0.contains("\"year\"") })
        #expect(
            new[year]
                == "        <attribute name=\"year\" optional=\"YES\" attributeType=\"Integer 16\" usesScalarValueType=\"YES\"/>"
        )
        #expect(new[year - 1].hasSuffix("<!-- of the sleeve -->"))
    }

    @Test("adds entities with parent, class and code generation")
    func entities() throws {
        #expect(
            add("entity", "Live", "--parent", "Album", "--abstract", "--class", "Concert", "--codegen", "category")
                .status == 0)
        #expect(add("entity", "Plain", "--class", "NSManagedObject", "--renamed-from", "Old").status == 0)
        #expect(add("entity", "Usual", "--user-info", "relatedByAttribute=a=b").status == 0)
        let live = try #require(try model.entity(named: "Live"))
        #expect(live.parentName == "Album" && live.isAbstract && live.className == "Concert")
        #expect(live.codeGeneration == .categoryExtension)
        let plain = try #require(try model.entity(named: "Plain"))
        #expect(plain.className == nil && plain.codeGeneration == .manual && plain.renamingIdentifier == "Old")
        let usual = try #require(try model.entity(named: "Usual"))
        #expect(usual.className == "Usual" && usual.codeGeneration == .classDefinition)
        #expect(usual.userInfo == ["relatedByAttribute": "a=b"])
        // The entities were sorted by name, and are still.
        #expect(try model.entities.map(\.name) == ["Album", "Live", "Plain", "Single", "Song", "Usual"])
    }

    @Test(
        "reads a default value as the attribute's type",
        arguments: [
            ("Integer 16", "-7", ModelValue.integer(-7)), ("int64", "9223372036854775807", .integer(.max)),
            ("Bool", "true", .bool(true)), ("boolean", "NO", .bool(false)), ("Double", "1.5", .double(1.5)),
            ("float", "-0.25", .double(-0.25)), ("Decimal", "0.10", .decimal(Decimal(string: "0.1")!)),
            ("string", "a \"b\" <c> & d\n", .string("a \"b\" <c> & d\n")), ("String", "", .string("")),
            ("URL", "https://a.org/?b&c", .url("https://a.org/?b&c")),
            // 2002-01-01 is 365 days after the reference date.
            ("Date", "2002-01-01", .date(31_536_000)), ("date", "2001-01-01T00:01:00Z", .date(60)),
            ("Date", "-5.5", .date(-5.5)),
        ])
    func defaults(type: String, text: String, value: ModelValue) throws {
        #expect(add("attribute", "Album.new", type, "--default", text).status == 0)
        #expect(try attribute("new").defaultValue == value)
        #expect(try attribute("new").isOptional)
    }

    @Test(
        "refuses values that are none of the type",
        arguments: [
            ["Integer 16", "--default", "32768"], ["Integer 32", "--default", "1x"], ["Double", "--default", "nan"],
            ["Boolean", "--default", "maybe"], ["UUID", "--default", "1"], ["Date", "--default", "yesterday"],
            ["Binary", "--default", "0"], ["String", "--min", "-1"], ["Boolean", "--min", "0"],
            ["Integer 16", "--regex", "a"],
            ["String", "--external"], ["String", "--transformer", "T"], ["String", "--scalar"],
            ["String", "--required", "--optional"], ["String", "--unknown"],
        ])
    func wrongOptions(words: [String]) throws {
        let old = try text
        let result = ModelTool.run(["add", "attribute", path, "Album.new"] + words)
        #expect(result.status == 2, "\(result.errors)")
        #expect(try text == old)
    }

    @Test("adds attributes with limits, keys and options of their types")
    func attributes() throws {
        #expect(
            add(
                "attribute", "Album.code", "String", "--required", "--default", "AB", "--min", "2", "--max", "4",
                "--regex", "[A-Z]+", "--unique", "--index"
            ).status == 0)
        let code = try attribute("code")
        #expect(!code.isOptional && code.validation == [.minimumLength(2), .maximumLength(4), .pattern("[A-Z]+")])
        let album = try #require(try model.entity(named: "Album"))
        #expect(album.uniquenessConstraints == [["code"]])
        #expect(album.fetchIndexes == [FetchIndex(name: "byCode", elements: [FetchIndexElement(property: "code")])])
        #expect(add("attribute", "Album.cover", "Data", "--external", "--renamed-from", "image").status == 0)
        let cover = try attribute("cover")
        #expect(cover.allowsExternalBinaryDataStorage && cover.renamingIdentifier == "image")
        #expect(add("attribute", "Album.count", "Integer 64", "--derived", "songs.@count").status == 0)
        let count = try attribute("count")
        #expect(count.derivation == "songs.@count" && count.usesScalarValueType == false)
        #expect(
            add(
                "attribute", "Album.genres", "Transformable", "--transformer", "NSSecureUnarchiveFromData",
                "--value-class", "[String]"
            ).status == 0)
        let genres = try attribute("genres")
        #expect(genres.valueTransformerName == "NSSecureUnarchiveFromData" && genres.valueClassName == "[String]")
        #expect(add("attribute", "Album.home", "Place").status == 0)
        let home = try attribute("home")
        #expect(home.type == .composite && home.elements.map(\.name) == ["city"])
        #expect(
            add("attribute", "Album.size", "Int32", "--object", "--transient", "--user-info", "mappedKeyName=s").status
                == 0)
        let size = try attribute("size")
        #expect(size.usesScalarValueType == false && size.isTransient && size.userInfo == ["mappedKeyName": "s"])
        #expect(models.run("compile", path, "-o", models.path("Out.mom")).status == 0)
    }

    @Test("adds the inverse of a relationship, or links an existing one")
    func inverses() throws {
        let linked = add("relationship", "Song.album", "Album", "--inverse", "songs", "--delete-rule", "deny")
        #expect(linked.status == 0 && linked.errors.isEmpty, "\(linked.errors)")
        let album = try #require(try model.entity(named: "Song")?.relationships.first)
        #expect(album.deleteRule == .deny && album.inverseName == "songs" && !album.isToMany && album.isOptional)
        #expect(try model.entity(named: "Album")?.relationships.first?.inverseName == "album")

        #expect(
            add("relationship", "Song.covers", "Song", "--to-many", "--ordered", "--max", "9", "--inverse", "original")
                .status == 0)
        let song = try #require(try model.entity(named: "Song"))
        let covers = try #require(song.relationships.first { $0.name == "covers" })
        #expect(covers.isOrdered && covers.maxCount == 9 && covers.inverseName == "original")
        let original = try #require(song.relationships.first { $0.name == "original" })
        #expect(original.inverseName == "covers" && !original.isToMany && original.isOptional)

        #expect(add("relationship", "Song.likes", "Song", "--to-many", "--inverse", "likes").status == 0)
        #expect(
            add("relationship", "Album.fans", "Song", "--inverse", "favorites", "--inverse-to-many", "--required")
                .status == 0)
        let favorites = try model.entity(named: "Song")?.relationships.first { $0.name == "favorites" }
        #expect(favorites?.isToMany == true)
        #expect(try model.problems().isEmpty && model.warnings().isEmpty)
    }

    @Test("warns of what lint warns of, at the lines of the new file")
    func warnings() throws {
        let result = add("relationship", "Song.label", "Album")
        #expect(result.status == 0)
        let line = try #require(try text.components(separatedBy: "\n").firstIndex { $0.contains("\"label\"") })
        #expect(result.errors.contains("contents:\(line + 1): warning: the relationship has no inverse"))
    }

    @Test(
        "refuses names that are taken or unknown, with the line and a remedy",
        arguments: [
            (["entity", "Album"], "contents:3: error: there is an entity Album already"),
            (
                ["entity", "New", "--parent", "None"],
                "the parent None does not exist (The entities are Album, Single, Song"
            ),
            (["entity", "1st"], "\"1st\" is no name for an entity"),
            (["attribute", "Album.title", "String"], "contents:4: error: there is a property Album.title already"),
            (["attribute", "Single.songs", "String"], "contents:5: error: there is a property Album.songs already"),
            (["attribute", "None.a", "String"], "the entity None does not exist"),
            (["attribute", "Album.a", "Text"], "there is no type Text"),
            (["attribute", "Album.hash", "String"], "every managed object already has \"hash\""),
            (["attribute", "Album.a", "Integer 64", "--derived", "sons.@count"], "Album has no property sons"),
            (["relationship", "Album.a", "None"], "the destination None does not exist"),
            (
                ["relationship", "Song.a", "Album", "--inverse", "title"],
                "contents:4: error: there is a property Album.title"
            ),
            (
                ["relationship", "Single.a", "Album", "--inverse", "songs"],
                "contents:5: error: Album.songs leads to Song"
            ),
        ])
    func refused(words: [String], message: String) throws {
        let old = try text
        let result = ModelTool.run(["add", words[0], path] + words.dropFirst())
        #expect(result.status == 3)
        for part in message.components(separatedBy: " (") { #expect(result.errors.contains(part), "\(result.errors)") }
        #expect(try text == old)
    }

    @Test("refuses an inverse that another relationship has")
    func takenInverse() throws {
        #expect(add("relationship", "Song.album", "Album", "--inverse", "songs").status == 0)
        let result = add("relationship", "Song.other", "Album", "--inverse", "songs")
        #expect(result.status == 3 && result.errors.contains("Album.songs has the inverse Song.album already"))
    }

    @Test("explains wrong command lines, and the order of the operands")
    func usage() {
        #expect(ModelTool.run(["add"]).status == 2)
        #expect(ModelTool.run(["add", "index", path]).status == 2)
        #expect(add("entity").errors.contains("give MODEL, then NAME"))
        #expect(ModelTool.run(["add", "entity", "New", path]).errors.contains("MODEL comes first"))
        #expect(add("attribute", "title", "String").errors.contains("write ENTITY.NAME"))
        #expect(add("relationship", "Album.a", "Song", "--ordered").errors.contains("--ordered goes with --to-many"))
        #expect(add("relationship", "Album.a", "Song", "--to-many", "--max", "1").status == 2)
        #expect(add("relationship", "Album.a", "Song", "--delete-rule", "drop").status == 2)
        #expect(ModelTool.run(["help", "add"]).output.hasPrefix("usage: modelc add entity"))
    }

    @Test("takes source models only, and a version by its name")
    func inputs() throws {
        #expect(models.run("compile", path, "-o", models.path("Model.mom")).status == 0)
        let compiled = models.run("add", "entity", models.path("Model.mom"), "New")
        #expect(compiled.status == 3 && compiled.errors.contains("modelc decompile"))
        #expect(models.run("add", "entity", models.path("None.xcdatamodeld"), "New").errors.contains("modelc new"))
        #expect(models.run("add", "entity", path + "/contents", "New").status == 0)
        let bundle = models.path("B.xcdatamodeld")
        #expect(models.run("new", bundle, "--empty").status == 0)
        #expect(models.run("version", "add", bundle, "B 2").status == 0)
        #expect(models.run("add", "entity", bundle, "New").status == 0)
        #expect(models.run("add", "entity", bundle, "Old", "--version", "B").status == 0)
        #expect(models.run("add", "entity", bundle, "New", "--version", "3").errors.contains("The versions are B, B 2"))
        let versions = try ModelBundle(contentsOf: URL(fileURLWithPath: bundle)).versions
        #expect(versions.map { $0.model.entities.map(\.name) } == [["Old"], ["New"]])
    }

    @Test("lists in JSON what it wrote")
    func json() throws {
        let result = add("entity", "New", "--json")
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        #expect(object?["written"] as? [String] == [path + "/contents"])
    }

    @Test("follows a symbolic link, and keeps it")
    func link() throws {
        let file = path + "/contents"
        let real = models.path("real.xml")
        try FileManager.default.moveItem(atPath: file, toPath: real)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: real)
        #expect(add("entity", "New").status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file) == real)
        #expect(try String(contentsOfFile: real, encoding: .utf8).contains("\"New\""))
    }

    @Test("adds to real models without changing a line", .enabled(if: RealModels.areAvailable))
    func realModels() throws {
        let walk = try #require(FileManager.default.enumerator(atPath: RealModels.folder.path))
        var count = 0
        for case let name as String in walk where name.hasSuffix(".xcdatamodel/contents") {
            let file = models.path("\(UUID().uuidString).xml")
            try FileManager.default.copyItem(atPath: RealModels.path(name), toPath: file)
            let old = try String(contentsOfFile: file, encoding: .utf8)
            let before = try ModelDocument(xml: Data(old.utf8)).model
            guard let first = before.entities.first, before.problems().isEmpty else { continue }
            #expect(models.run("add", "entity", file, "Zzz").status == 0, "\(name)")
            let added = models.run("add", "relationship", file, "Zzz.\(first.name)s", first.name, "--inverse", "zzz")
            #expect(added.status == 0, "\(name): \(added.errors)")
            let new = try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "\n")
            let kept = old.components(separatedBy: "\n")
            var rest = new[...]
            // An entity without properties gets an end tag, which changes its line.
            for line in kept where !line.contains("<entity ") {
                let place = try #require(rest.firstIndex(of: line), "\(name): \(line)")
                rest = rest[(place + 1)...]
            }
            let after = try ModelDocument(xml: Data(contentsOf: URL(fileURLWithPath: file))).model
            #expect(after.entities.count == before.entities.count + 1)
            count += 1
        }
        #expect(count > 0)
    }
}
