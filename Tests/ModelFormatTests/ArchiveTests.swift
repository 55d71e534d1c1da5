import Foundation
import ModelFormat
import Testing

@Suite("Compiled models")
struct ArchiveTests {
    /// A model with one of everything that needs no parser.
    static let everything: Model = {
        var person = Entity(name: "Person", className: ".Person")
        person.isAbstract = true
        person.versionHashModifier = "2"
        person.renamingIdentifier = "Human"
        person.userInfo = ["note": "x", "count": .integer(3), "list": .array([.bool(true), .double(1.5)])]
        var name = Attribute(name: "name", type: .string, isOptional: true)
        name.defaultValue = ""
        name.validation = [.minimumLength(1), .maximumLength(9), .pattern("[a-z]+")]
        name.versionHashModifier = "x"
        name.isIndexedBySpotlight = true
        var age = Attribute(name: "age", type: .integer16)
        age.defaultValue = .integer(18)
        age.validation = [.minimum(.integer(0)), .maximum(.integer(150))]
        age.renamingIdentifier = "years"
        var price = Attribute(name: "price", type: .decimal)
        price.defaultValue = .decimal(Decimal(string: "-1234567890123456789.000123")!)
        var born = Attribute(name: "born", type: .date)
        born.defaultValue = .date(-86400.5)
        born.validation = [.minimum(.date(-1e9)), .maximum(.date(0))]
        var flag = Attribute(name: "flag", type: .boolean)
        flag.defaultValue = .bool(true)
        var id = Attribute(name: "id", type: .uuid)
        id.defaultValue = .uuid(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!)
        id.preservesValueInHistoryOnDeletion = true
        var home = Attribute(name: "home", type: .uri)
        home.defaultValue = .url("https://example.org/a?b")
        var photo = Attribute(name: "photo", type: .binary)
        photo.allowsExternalBinaryDataStorage = true
        photo.allowsCloudEncryption = true
        photo.defaultValue = .data(Data([0, 1, 255]))
        var tags = Attribute(name: "tags", type: .transformable)
        tags.valueClassName = "[String]"
        tags.valueTransformerName = "NSSecureUnarchiveFromData"
        tags.isTransient = true
        var upper = Attribute(name: "upper", type: .string)
        upper.derivation = "canonical:(name)"
        upper.isReadOnly = true
        var place = Attribute(name: "place", type: .composite)
        place.elements = [Attribute(name: "x", type: .double), Attribute(name: "y", type: .double)]
        var scale = Attribute(name: "scale", type: .float)
        scale.isIndexed = true
        scale.defaultValue = .double(0.5)
        person.attributes = [
            age, born, flag, home, id, name, photo, place, price, scale, tags, upper,
        ]
        var friends = Relationship(name: "friends", destinationName: "Person", inverseName: "friends", isToMany: true)
        friends.isOptional = true
        friends.isOrdered = true
        var boss = Relationship(name: "boss", destinationName: "Manager", inverseName: "staff")
        boss.deleteRule = .deny
        boss.minCount = 1
        boss.userInfo = ["k": "v"]
        person.relationships = [boss, friends]
        var everyone = FetchedProperty(
            name: "everyone", fetchRequest: FetchTemplate(name: "fetchedPropertyFetchRequest", entityName: "Person"))
        everyone.isOptional = true
        everyone.fetchRequest.sortKeys = [FetchTemplate.SortKey(key: "name", ascending: false, selector: "compare:")]
        person.fetchedProperties = [everyone]
        person.uniquenessConstraints = [["id"], ["name", "age"]]
        person.fetchIndexes = [
            FetchIndex(name: "byAge", elements: [FetchIndexElement(property: "age")]),
            FetchIndex(
                name: "byBoth",
                elements: [
                    FetchIndexElement(property: "name", isAscending: false),
                    FetchIndexElement(property: "age"),
                    FetchIndexElement(.expression("length:(name)", resultType: .integer64)),
                ]),
            FetchIndex(name: "spatial", elements: [FetchIndexElement(property: "age", kind: .rTree)]),
        ]
        person.compoundIndexes = [["name", "flag"]]
        var manager = Entity(name: "Manager", className: "App.Manager", parentName: "Person")
        var staff = Relationship(name: "staff", destinationName: "Person", inverseName: "boss")
        staff.maxCount = 12
        staff.deleteRule = .cascade
        manager.relationships = [staff]
        var model = Model(entities: [manager, person, Entity(name: "Plain")])
        model.versionIdentifiers = ["", "two"]
        model.configurations = [Configuration(name: "Local", entityNames: ["Manager", "Plain"])]
        var template = FetchTemplate(name: "all", entityName: "Person", predicate: "TRUEPREDICATE")
        template.fetchLimit = 3
        template.fetchOffset = 4
        template.fetchBatchSize = 5
        template.resultType = .dictionaries
        template.includesPendingChanges = false
        template.returnsDistinctResults = true
        template.propertiesToFetch = ["name"]
        template.relationshipKeyPathsForPrefetching = ["boss.friends"]
        model.fetchTemplates = [template]
        return model
    }()

    @Test("keep everything a model says")
    func roundTrip() throws {
        let model = Self.everything
        #expect(model.problems().isEmpty)
        #expect(try Model(archive: model.archive()) == model)
    }

    @Test("keep everything in the form stores carry")
    func cache() throws {
        let model = Self.everything
        let content = try model.cacheContent()
        #expect(try Model(cacheContent: content) == model)
        #expect(try content.count < model.archive().count)
    }

    @Test("are the same bytes for the same model")
    func deterministic() throws {
        #expect(try Self.everything.archive() == Self.everything.archive())
    }

    @Test("refuse text without a parser, naming the place")
    func needsParser() throws {
        var entity = Entity(name: "E")
        entity.attributes = [Attribute(name: "a", type: .string)]
        entity.attributes[0].validation = [.predicate("SELF == 'x'", .text("must be x"))]
        let error = #expect(throws: ModelFormatError.self) { try Model(entities: [entity]).archive() }
        #expect(error?.entity == "E")
        #expect(error?.property == "a")
    }

    @Test("keep an archived default value of an unknown class")
    func foreignDefault() throws {
        let object = NSKeyedArchiver(requiringSecureCoding: false)
        object.encode(NSSet(array: ["a", "b"]), forKey: NSKeyedArchiveRootObjectKey)
        var entity = Entity(name: "E")
        entity.attributes = [Attribute(name: "a", type: .transformable)]
        entity.attributes[0].defaultValue = .archive(object.encodedData)
        let read = try Model(archive: try Model(entities: [entity]).archive())
        guard case .archive(let data)? = read.entities[0].attributes[0].defaultValue else {
            Issue.record("the default is no archive")
            return
        }
        let set = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSSet.self, NSString.self], from: data) as? NSSet
        #expect(set == NSSet(array: ["a", "b"]))
    }

    @Test("write a bundle that reads back")
    func bundle() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).momd")
        defer { try? FileManager.default.removeItem(at: url) }
        let bundle = ModelBundle(
            name: "M",
            versions: [
                ModelBundle.Version(name: "M", model: Model(entities: [Entity(name: "A")])),
                ModelBundle.Version(name: "M 2", model: Self.everything),
            ],
            currentVersionName: "M 2")
        for _ in 0..<2 { try bundle.writeCompiled(to: url) }
        let read = try ModelBundle(contentsOf: url)
        #expect(read.versions.map(\.name) == ["M", "M 2"])
        #expect(read.currentVersionName == "M 2")
        #expect(try Model(contentsOf: url) == Self.everything)
        #expect(try Model(contentsOf: url.appendingPathComponent("M.mom")).entities.map(\.name) == ["A"])
        let list = try Data(contentsOf: url.appendingPathComponent("VersionInfo.plist"))
        let info = try PropertyListSerialization.propertyList(from: list, format: nil) as? [String: Any]
        let hashes = info?["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]]
        #expect(try hashes?["M 2"] == Self.everything.versionHashes())
        let checksums = info?["NSManagedObjectModel_VersionChecksums"] as? [String: String]
        #expect(try checksums?["M"] == Model.versionChecksum(bundle.versions[0].model.versionHashes()))
    }
}

@Suite("Apple's compiled models", .enabled(if: RealData.isAvailable, Comment(rawValue: RealData.reason)))
struct AppleArchiveTests {
    @Test("equal what their XML compiles to here", arguments: RealData.all("mom"))
    func equalSource(_ url: URL) throws {
        var apple = try Model(contentsOf: url)
        // The source was given this class after the bundle was compiled.
        if let car = apple.entities.firstIndex(where: { $0.name == "Car" }),
            let color = apple.entities[car].attributes.firstIndex(where: { $0.name == "color" })
        {
            apple.entities[car].attributes[color].valueClassName = "Color"
        }
        let name = url.deletingPathExtension().lastPathComponent
        let source = url.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("SampleModel.xcdatamodeld/\(name).xcdatamodel")
        let ours = try Model(archive: try Model(contentsOf: source).archive())
        #expect(ours == apple)
    }

    @Test("have the very objects and keys ours have", arguments: RealData.all("mom"))
    func equalKeys(_ url: URL) throws {
        let apple = try keys(Data(contentsOf: url))
        let ours = try keys(Model(contentsOf: url).archive())
        #expect(ours == apple)
    }

    /// Which keys the objects of an archive have together.
    private func keys(_ archive: Data) throws -> Set<[String]> {
        let list = try PropertyListSerialization.propertyList(from: archive, format: nil) as? [String: Any]
        let objects = try #require(list?["$objects"] as? [Any])
        return Set(objects.compactMap { ($0 as? [String: Any])?.keys.sorted() })
    }

    @Test("in stores give the hashes the stores record", arguments: RealData.all("sqlite"))
    func stores(_ url: URL) throws {
        let store = try StoreFile(copyOf: url)
        #expect(!store.hashes.isEmpty)
        guard let cache = store.cache else {
            // Stores of old frameworks carry no model.
            #expect(url.lastPathComponent == "Recipes.sqlite")
            return
        }
        let model = try Model(cacheContent: cache)
        let hashes = try model.versionHashes()
        #expect(hashes == store.hashes)
        if let digest = store.digest { #expect(Model.versionHashesDigest(hashes) == digest) }
        if let checksum = store.checksum { #expect(Model.versionChecksum(hashes) == checksum) }
        #expect(model.problems().isEmpty)
    }

    @Test("in stores match one of the versions in XML")
    func sources() throws {
        let pairs = [
            ("stores/bookmarks/Bookmarks_V5.sqlite", "stores/bookmarks/BookmarksModel.xcdatamodeld"),
            ("stores/bookmarks/Bookmarks_V1.sqlite", "stores/bookmarks/BookmarksModel.xcdatamodeld"),
            ("stores/syncmetadata/SyncMetadata_V3.sqlite", "stores/syncmetadata/SyncMetadata.xcdatamodeld"),
            ("stores/sample/SampleModel_V1.sqlite", "stores/sample/SampleModel.xcdatamodeld"),
            (
                "stores/migration-example/CoreDataMigration_Example_2.sqlite",
                "stores/migration-example/CoreDataMigration_Example.xcdatamodeld"
            ),
        ]
        for (store, source) in pairs {
            let hashes = try StoreFile(copyOf: RealData.url(store)).hashes
            let versions = try ModelBundle(contentsOf: RealData.url(source)).versions
            #expect(try versions.contains { try $0.model.versionHashes() == hashes }, "\(store)")
        }
    }

    @Test("in a store keep validation, defaults and fetched properties made in code")
    func modelInCode() throws {
        let store = try StoreFile(copyOf: RealData.url("stores/sample/SampleModel2_V1.sqlite"))
        let model = try Model(cacheContent: try #require(store.cache))
        let book = try #require(model.entity(named: "Book"))
        let title = try #require(book.attributes.first { $0.name == "title" })
        #expect(
            title.validation == [
                .predicate("length >= 3 AND length <= 50", .text("Title must have a length between 3 and 50 chars.")),
                .predicate("SELF CONTAINS \"title\"", .text("Title must contain 'title'.")),
            ])
        #expect(book.attributes.first { $0.name == "pagesCount" }?.derivation == "count:(pages)")
        guard case .archive? = book.attributes.first(where: { $0.name == "cover" })?.defaultValue else {
            Issue.record("the cover has no default")
            return
        }
        let author = try #require(model.entity(named: "Author"))
        #expect(author.parentName == "Writer")
        #expect(author.attributes.map(\.name) == ["alias", "siteURL"])
        let feedbacks = try #require(author.fetchedProperties.first { $0.name == "feedbacks" })
        #expect(feedbacks.fetchRequest.predicate == "authorAlias == $FETCH_SOURCE.alias")
        let novel = try #require(model.entity(named: "GraphicNovel"))
        #expect(novel.attributes.map(\.name) == ["isBlackAndWhite"] && novel.relationships.isEmpty)
    }
}
