import Foundation
import Testing

@testable import ModelFormat

/// Every reader against damaged and hostile input: it may refuse, it may read, it must come back soon.
///
/// The short form runs with the suite. `MODEL_FUZZ_ROUNDS=200000 swift test --filter ReaderFuzz` is the long one;
/// `MODEL_FUZZ_SEED` chooses other damage.
@Suite("Readers against damaged files")
struct ReaderFuzzTests {
    /// A way of reading, with a whole file to damage.
    struct Reader: Sendable, CustomTestStringConvertible {
        var name: String
        var seed: Data
        var read: @Sendable (Data) throws -> Void

        var testDescription: String { name }
    }

    private static func use(_ model: Model) {
        _ = try? model.versionHashes()
        guard model.problems().isEmpty else { return }
        _ = try? model.archive()
        _ = model.xml()
    }

    private static let mapping: MappingModel = {
        var entity = EntityMapping(name: "AToB", kind: .custom)
        entity.sourceEntityName = "A"
        entity.sourceExpression = .fetch(
            request: .function("f:", target: .variable("manager"), arguments: [.constant("A")]),
            context: .keyPath("sourceContext", of: .variable("manager")), countOnly: false)
        entity.attributeMappings = [
            PropertyMapping(name: "x", valueExpression: .aggregate([.constant(.integer(1)), .evaluatedObject]))
        ]
        return MappingModel(entityMappings: [entity])
    }()

    private static let mappingSource = """
        <database><object type="XDDEVMAPPINGMODEL" id="z1">
        <relationship name="entitymappings" idrefs="z2"/>
        <attribute name="sourcemodeldata" type="binary">\(elements.base64EncodedString())</attribute>
        <attribute name="destinationmodeldata" type="binary">\(elements.base64EncodedString())</attribute></object>
        <object type="XDDEVENTITYMAPPING" id="z2"><attribute name="sourcename" type="string">Thing</attribute>
        <attribute name="destinationname" type="string">Thing</attribute>
        <relationship name="attributemappings" idrefs="z3"/></object>
        <object type="XDDEVATTRIBUTEMAPPING" id="z3"><attribute name="name" type="string">name</attribute></object></database>
        """

    private static let elements: Data = {
        var builder = KeyedArchiveBuilder()
        let tag = builder.add(
            class: "XDUMLPropertyImp",
            ["_name": builder.add(string: "XD_PAttK_attributeType"), "_default": builder.add(.integer(700))])
        let stereotype = builder.add(
            class: "XDUMLStereotypeImp", ["XDBucketForOwnedAttributesstorage": builder.add(dictionary: [("t", tag)])])
        let attribute = builder.add(
            class: "XDPMAttribute",
            [
                "_name": builder.add(string: "name"),
                "XDBucketForStereotypesstorage": builder.add(dictionary: [("s", stereotype)]),
            ])
        let entity = builder.add(
            class: "XDPMEntity",
            [
                "_name": builder.add(string: "Thing"),
                "XDBucketForOwnedAttributesstorage": builder.add(dictionary: [("name", attribute)]),
            ])
        let package = builder.add(
            class: "XDModelPackage", ["XDBucketForClassesstorage": builder.add(dictionary: [("Thing", entity)])])
        let root = builder.add(class: "XDPMModel", ["_xd_rootPackage": package])
        return builder.finished(root: root)
    }()

    static let readers: [Reader] = [
        Reader(name: "compiled model", seed: try! ArchiveTests.everything.archive()) { use(try Model(archive: $0)) },
        Reader(name: "XML model", seed: ArchiveTests.everything.xml()) { use(try ModelDocument(xml: $0).model) },
        Reader(name: "model in a store", seed: try! ArchiveTests.everything.cacheContent()) {
            use(try Model(cacheContent: $0))
        },
        Reader(name: "binary model of Xcode 3", seed: elements) { use(try Model(elements: $0)) },
        Reader(name: "compiled mapping model", seed: mapping.archive()) { _ = try MappingModel(archive: $0).archive() },
        Reader(name: "mapping model's source", seed: Data(mappingSource.utf8)) {
            _ = try MappingDocument(xml: $0).compiled().archive()
        },
        Reader(name: "strings file", seed: Data(strings.utf8)) { _ = try StringsFile.read($0) },
        Reader(name: "metadata", seed: metadata) { data in
            _ = UnreadDictionary(data)?.hashes(forKey: "hashes")
            if PropertyListDictionary.read(data) == nil { throw CocoaError(.coderReadCorrupt) }
        },
        Reader(name: "property list in XML", seed: Data(propertyList.utf8)) { _ = try PropertyList.read($0) },
    ]

    private static let strings = """
        /* Names of entities and properties, as people know them. */
        "Entity/Person" = "Mensch"; // with a note
        "Property/name/Entity/Person" = "N\\U00e4me \\"so\\" \\n";
        plain = text; alone;
        "ErrorString/too long" = "zu lang";
        """

    /// With enough different values for references of two bytes.
    private static let metadata = try! PropertyListSerialization.data(
        fromPropertyList: [
            "hashes": ["Thing": Data(0..<32), "Größe": Data(repeating: 7, count: 32)], "large": Int64.max - 1,
            "too long": ["Thing": Data(repeating: 7, count: 300)],
            "list": Array(0..<300), "nested": [[["real": 1.5], [Date(timeIntervalSinceReferenceDate: 7), true]]],
            "text": "Straße", "long": String(repeating: "a", count: 400),
        ], format: .binary, options: 0)

    private static let propertyList = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>Model 2.xcdatamodel</string>
        <key>list</key><array><integer>7</integer><real>1.5</real><true/><data>AAEC</data>
        <date>2024-01-02T03:04:05Z</date></array></dict></plist>
        """

    @Test("read the whole ones", arguments: readers)
    func whole(_ reader: Reader) throws {
        try reader.read(reader.seed)
    }

    @Test("and metadata is what Foundation reads") func metadataAsFoundationReadsIt() throws {
        let read = try #require(UnreadDictionary(Self.metadata))
        let expected = try PropertyListSerialization.propertyList(from: Self.metadata, format: nil)
        #expect(NSDictionary(dictionary: read.values).isEqual(to: try #require(expected as? [String: Any])))
        #expect(
            read.hashes(forKey: "hashes")?.byName == ["Thing": Data(0..<32), "Größe": Data(repeating: 7, count: 32)])
        #expect(read.hashes(forKey: "too long")?.byName == nil)
        #expect(read.hashes(forKey: "text")?.byName == nil)
    }

    @Test("come back from damaged ones", arguments: readers)
    func damaged(_ reader: Reader) {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["MODEL_FUZZ_ROUNDS"].flatMap(Int.init) ?? 120
        var random = Damage(seed: environment["MODEL_FUZZ_SEED"].flatMap(UInt64.init) ?? 7)
        let clock = ContinuousClock()
        var refused = 0
        for round in 0..<rounds {
            let data = random.damaged(reader.seed)
            let start = clock.now
            do { try reader.read(data) } catch { refused += 1 }
            let time = clock.now - start
            if time > .seconds(5) { Issue.record("round \(round) took \(time)") }
        }
        #expect(refused > 0)
    }

    /// A strings file is whole after each of its pairs.
    @Test("cut off anywhere refuse what is left", arguments: readers.filter { $0.name != "strings file" })
    func truncated(_ reader: Reader) {
        // An XML document may lose the blank space at its end.
        let whole = reader.seed.count - 20
        for length in stride(from: 0, to: whole, by: max(1, whole / 60)) {
            #expect(throws: (any Error).self, "\(length) bytes") { try reader.read(reader.seed.prefix(length)) }
        }
    }
}

/// Damages files: bytes changed, pieces cut, repeated and moved, numbers made extreme.
private struct Damage {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 2_862_933_555_777_941_757 &+ 3_037_000_493 }

    private mutating func number(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % max(1, limit)
    }

    mutating func damaged(_ data: Data) -> Data {
        var bytes = [UInt8](data)
        for _ in 0...number(below: 4) where !bytes.isEmpty {
            let place = number(below: bytes.count)
            let length = min(bytes.count - place, 1 + number(below: 40))
            switch number(below: 7) {
            case 0: bytes[place] = UInt8(number(below: 256))
            case 1: bytes[place] ^= 1 << UInt8(number(below: 8))
            case 2: bytes.removeSubrange(place..<place + length)
            case 3: bytes.insert(contentsOf: bytes[place..<place + length], at: number(below: bytes.count))
            case 4:
                for at in place..<min(bytes.count, place + 8) { bytes[at] = [0xFF, 0, 0x80, 0x7F][number(below: 4)] }
            case 5: bytes.removeLast(min(bytes.count, number(below: 60)))
            default:
                let other = number(below: bytes.count)
                bytes.swapAt(place, other)
            }
        }
        return Data(bytes)
    }
}

@Suite("Readers against hostile files")
struct HostileFileTests {
    @Test("refuse XML entities, in whatever encoding", arguments: [String.Encoding.utf8, .utf16, .utf16BigEndian])
    func entityExpansion(_ encoding: String.Encoding) throws {
        var text = "<?xml version=\"1.0\"?><!DOCTYPE model [<!ENTITY a0 \"aaaaaaaaaa\">"
        for level in 1..<12 {
            let previous = String(repeating: "&a\(level - 1);", count: 10)
            text += "<!ENTITY a\(level) \"\(previous)\">"
        }
        text += "]><model userDefinedModelVersionIdentifier=\"&a11;\"><entity name=\"E\"/></model>"
        let data = try #require(text.data(using: encoding))
        #expect(throws: ModelFormatError.self) { try ModelDocument(xml: data) }
        #expect(throws: ModelFormatError.self) { try MappingDocument(xml: data) }
    }

    /// Foundation's parser off Apple ends the program when a name is no UTF-8.
    @Test("refuse XML that is not UTF-8, or says so")
    func encoding() {
        let broken = Data("<model><entity na".utf8) + [0xED, 0x74] + Data("me=\"E\"/></model>".utf8)
        #expect(throws: ModelFormatError.self) { try ModelDocument(xml: broken) }
        let latin = Data("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><model/>".utf8)
        #expect(throws: ModelFormatError.self) { try ModelDocument(xml: latin) }
        #expect(throws: ModelFormatError.self) { try ModelDocument(xml: Data("<model/>\0".utf8)) }
        #expect(throws: ModelFormatError.self) { try ModelDocument(xml: Data("<model><?php?></model>".utf8)) }
    }

    /// The parser goes on after each, and Foundation's leaks memory with it.
    @Test("refuse XML with many errors after which parsing may go on")
    func manyErrors() throws {
        func document(_ count: Int) -> Data {
            Data(("<model>" + String(repeating: "<x:entity/>", count: count) + "</model>").utf8)
        }
        _ = try ModelDocument(xml: document(20))
        let error = #expect(throws: ModelFormatError.self) { try ModelDocument(xml: document(200)) }
        #expect(error?.code == .malformed)
    }

    @Test("do not follow references to other files")
    func externalEntity() {
        let text = "<!DOCTYPE model [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><model name=\"&x;\"/>"
        #expect(throws: ModelFormatError.self) { try ModelDocument(xml: Data(text.utf8)) }
    }

    @Test("refuse XML and property lists nested without end")
    func nesting() {
        let deep = String(repeating: "<entity>", count: 100_000)
        #expect(throws: ModelFormatError.self) { try ModelDocument(xml: Data("<model>\(deep)".utf8)) }
        var node = PropertyListNode.string("x")
        for _ in 0..<400 { node = .array([node, .integer(1)]) }
        let list = BinaryPropertyListWriter.write(
            .dictionary([
                "$archiver": .string("NSKeyedArchiver"), "$objects": .array([node]),
                "$top": .dictionary(["root": .uid(0)]),
            ]))
        #expect(throws: ModelFormatError.self) { try Model(archive: list) }
    }

    @Test("refuse archives whose parts contain themselves")
    func circles() {
        var builder = KeyedArchiveBuilder()
        let (root, entity, predicate) = (builder.reserve(), builder.reserve(), builder.reserve())
        builder.fill(
            predicate, class: "NSCompoundPredicate",
            [
                "NSCompoundPredicateType": .integer(1),
                "NSSubpredicates": builder.add(array: [.uid(predicate), .uid(predicate)]),
            ])
        let request = builder.add(class: "NSFetchRequest", ["NSEntity": .uid(entity), "NSPredicate": .uid(predicate)])
        builder.fill(
            entity, class: "NSEntityDescription",
            ["NSEntityName": builder.add(string: "E"), "NSSuperentity": .uid(entity)])
        builder.fill(
            root, class: "NSManagedObjectModel",
            [
                "NSEntities": builder.add(dictionary: [("E", .uid(entity))]),
                "NSFetchRequestTemplates": builder.add(dictionary: [("t", request)]),
            ])
        let data = builder.finished(root: .uid(root))
        #expect(throws: ModelFormatError.self) { try Model(archive: data) }
    }

    @Test("refuse archives that share their parts into something huge")
    func sharing() {
        var builder = KeyedArchiveBuilder()
        var expression = builder.add(class: "NSSelfExpression", ["NSExpressionType": .integer(1)])
        for _ in 0..<40 {
            expression = builder.add(
                class: "NSAggregateExpression", ["NSCollection": builder.add(array: [expression, expression])])
        }
        let property = builder.add(
            class: "NSPropertyMapping",
            ["NSDestinationPropertyName": builder.add(string: "x"), "NSValueExpression": expression])
        let entity = builder.add(
            class: "NSEntityMapping", ["NSAttributeMappings": builder.add(array: [property])])
        let root = builder.add(class: "NSMappingModel", ["NSEntityMappings": builder.add(array: [entity])])
        let error = #expect(throws: ModelFormatError.self) { try MappingModel(archive: builder.finished(root: root)) }
        #expect(error?.code == .limitExceeded)
    }

    @Test("keep a text once that many properties of a model share", .timeLimit(.minutes(5)))
    func sharedText() throws {
        var builder = KeyedArchiveBuilder()
        let text = builder.add(string: String(repeating: "x", count: 1 << 20))
        let attribute = builder.add(
            class: "NSAttributeDescription",
            [
                "NSPropertyName": builder.add(string: "a"), "NSVersionHashModifier": text,
                "NSAttributeType": .integer(700),
            ])
        // Copies of the text for each would take 20 GB.
        let properties = (0..<20_000).map { ("p\($0)", attribute) }
        let entity = builder.add(
            class: "NSEntityDescription",
            ["NSEntityName": builder.add(string: "E"), "NSProperties": builder.add(dictionary: properties)])
        let root = builder.add(
            class: "NSManagedObjectModel", ["NSEntities": builder.add(dictionary: [("E", entity)])])
        _ = try? Model(archive: builder.finished(root: root))
    }

    @Test("refuse archives whose parts share long lists of nothing", .timeLimit(.minutes(5)))
    func sharedNothing() {
        for key in ["NSUniqueTuples", "NSProperties"] {
            var builder = KeyedArchiveBuilder()
            let nothing = [PropertyListNode](repeating: .uid(0), count: 50_000)
            let list =
                key == "NSProperties"
                ? builder.add(class: "NSDictionary", ["NS.keys": .array(nothing), "NS.objects": .array(nothing)])
                : builder.add(array: nothing)
            let entity = builder.add(
                class: "NSEntityDescription", ["NSEntityName": builder.add(string: "E"), key: list])
            let entities = (0..<4_000).map { ("E\($0)", entity) }
            let root = builder.add(
                class: "NSManagedObjectModel", ["NSEntities": builder.add(dictionary: entities)])
            // Looked at one by one, there are two hundred million.
            let error = #expect(throws: ModelFormatError.self) { try Model(archive: builder.finished(root: root)) }
            #expect(error?.code == .limitExceeded)
        }
    }

    @Test("refuse a store's model that unpacks into more than the limit")
    func bomb() {
        let bomb = RawDeflate.compress(Data(repeating: 0, count: 300_000))
        #expect(bomb.count < 3_000)
        let error = #expect(throws: ModelFormatError.self) { try RawDeflate.expand(bomb, limit: 200_000) }
        #expect(error?.code == .limitExceeded)
        #expect(throws: ModelFormatError.self) { try Model(cacheContent: bomb) }
        // A stored block that says it is longer than it is.
        #expect(throws: ModelFormatError.self) { try Model(cacheContent: Data([0x01, 0xFF, 0xFF, 0, 0, 1])) }
        #expect(throws: ModelFormatError.self) { try Model(cacheContent: Data()) }
    }
}
