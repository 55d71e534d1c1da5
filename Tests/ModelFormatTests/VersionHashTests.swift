import Foundation
import ModelFormat
import Testing

@Suite("Version hashes")
struct VersionHashTests {
    @Test("equal those in Apple's stores", arguments: VectorReader.read(hashVectors))
    func vector(_ vector: HashVector) throws {
        let hashes = try vector.model.versionHashes()
        #expect(hashes[vector.entity]?.hex == vector.hash)
    }

    @Test("are all read from the list of vectors")
    func count() {
        #expect(VectorReader.read(hashVectors).count == 46)
    }

    /// From a store of CoreDataPlus, framework version 1321 and later, whose entities are among the vectors.
    @Test("give Apple's digest and checksum of a whole model")
    func wholeModel() throws {
        let vectors = VectorReader.read(hashVectors)
        // The model's six entities stand together, from Writer on.
        let start = try #require(vectors.firstIndex { $0.entity == "Writer" })
        var hashes: [String: Data] = [:]
        for vector in vectors[start..<start + 6] {
            hashes[vector.entity] = try vector.model.versionHashes()[vector.entity]
        }
        #expect(
            Model.versionHashesDigest(hashes)
                == "4DP4SkxuqaFe8F0JOiaajNQd9cjhjuifuGFD+7WFwVrRgDlG0FZC2nQvTPW2p0clmWgFv1jqkZ5RNGPr6GhOJA==")
        #expect(Model.versionChecksum(hashes) == "OcE8L8XxVX/G+zRQ2cbYPP91smjL3tynDfRzfdDAPnU=")
    }

    @Test("of the parts of the worked example")
    func workedExample() {
        let age = Attribute(name: "age", type: .integer16)
        #expect(age.versionHash.hex == "2c6deb6502d41e27f00732738c8b386681ee1f18ea5dbee766aa0fb33331a0cc")
        var books = Relationship(name: "books", destinationName: "Book", inverseName: "author")
        books.isOptional = true
        books.maxCount = Int.max
        #expect(
            books.versionHash(isOwnInverse: false).hex
                == "2df7577026ae883c84d1aa2c2fab68ac54b3a699a71420a914666ef67a6e77c3")
    }

    @Test("of a derivation do not see spaces, nor the marks of words of the predicate language")
    func derivationSpelling() throws {
        let spellings = [
            ["canonical:(name)", " canonical:( name ) "], ["owner.name", "owner . name"], ["now()", "now( )"],
            ["sum:(items.size)", "sum:(items.#size)"], ["items.@sum.size", "items.@sum.#size"],
            ["count:(items)", "items.@count", " items.@count"],
        ]
        for group in spellings {
            let hashes = try group.map { text in
                var attribute = Attribute(name: "d", type: .string)
                attribute.derivation = text
                var entity = Entity(name: "E")
                entity.attributes = [attribute]
                let model = Model(entities: [entity])
                #expect(try Model(archive: model.archive()).versionHashes() == model.versionHashes(), "\(text)")
                return try model.versionHashes()
            }
            #expect(Set(hashes).count == 1, "\(group)")
        }
    }

    @Test("treat an aggregate count as Core Data prints it")
    func derivedCount() {
        var written = Attribute(name: "total", type: .integer64)
        written.derivation = "items.@count"
        var printed = written
        printed.derivation = "count:(items)"
        #expect(written.versionHash == printed.versionHash)
    }

    @Test("do not depend on what a store does not see")
    func whatDoesNotCount() throws {
        var name = Attribute(name: "name", type: .string)
        let before = name.versionHash
        name.defaultValue = "Ann"
        name.isIndexed = true
        name.renamingIdentifier = "title"
        name.userInfo = ["key": "value"]
        name.validation = [.minimumLength(3)]
        name.allowsCloudEncryption = true
        #expect(name.versionHash == before)
        name.versionHashModifier = "2"
        #expect(name.versionHash != before)
    }

    @Test("refuse inheritance in circles")
    func circle() {
        let model = Model(entities: [Entity(name: "A", parentName: "B"), Entity(name: "B", parentName: "A")])
        let error = #expect(throws: ModelFormatError.self) { try model.versionHashes() }
        #expect(error?.code == .cycle)
    }
}

/// One vector: an entity, its ancestors, and the hash.
struct HashVector: CustomTestStringConvertible, Sendable {
    var entity: String
    var hash: String
    var model: Model

    var testDescription: String { "\(entity) \(hash.prefix(8))" }
}

/// Reads the notation of the vectors.
enum VectorReader {
    static func read(_ text: String) -> [HashVector] {
        var known: [String: Entity] = [:]
        return text.components(separatedBy: "\n\n").compactMap { block in
            let lines = block.split(separator: "\n").map(String.init)
            guard lines.count >= 2 else { return nil }
            var entity = header(lines[0])
            for line in lines.dropFirst(2) { add(line, to: &entity) }
            known[entity.name] = entity
            var entities = [entity]
            while let parent = entities.last?.parentName, let next = known[parent] { entities.append(next) }
            return HashVector(entity: entity.name, hash: lines[1], model: Model(entities: entities))
        }
    }

    private static func header(_ line: String) -> Entity {
        let words = line.split(separator: " ").map(String.init)
        var entity = Entity(name: words[0])
        var lists: [String] = []
        for (index, word) in words.enumerated().dropFirst() {
            if word == "abstract" { entity.isAbstract = true }
            if word == ":" { entity.parentName = words[index + 1] }
            if word.hasPrefix("modifier=") { entity.versionHashModifier = quoted(word) }
            if word.hasPrefix("unique=") { lists.append(String(word.dropFirst(7))) }
            if word.hasPrefix("(") { lists.append(word) }
        }
        entity.uniquenessConstraints = lists.map {
            $0.dropFirst().dropLast().split(separator: ",").map(String.init)
        }
        return entity
    }

    private static func quoted(_ word: String) -> String {
        String(word.split(separator: "\"")[1])
    }

    private static func add(_ line: String, to entity: inout Entity) {
        if line.contains("fetched property") { return }
        if line.contains(" -> ") { return entity.relationships.append(relationship(line)) }
        entity.attributes.append(attribute(line))
    }

    private static func modifier(_ line: String) -> String? {
        line.range(of: "modifier=").map { quoted(String(line[$0.lowerBound...])) }
    }

    private static func relationship(_ line: String) -> Relationship {
        let words = line.split(separator: " ").map(String.init)
        let target = words[2].split(separator: ".").map(String.init)
        var relationship = Relationship(name: words[0], destinationName: target[0])
        if target.count > 1 { relationship.inverseName = target[1] }
        let counts = words[3].trimmingCharacters(in: CharacterSet(charactersIn: "?")).components(separatedBy: "..")
        relationship.minCount = Int(counts[0])!
        relationship.maxCount = Int(counts[1])!
        relationship.isOptional = words[3].hasSuffix("?")
        relationship.isOrdered = words.contains("ordered")
        relationship.isTransient = words.contains("transient")
        relationship.versionHashModifier = modifier(line)
        return relationship
    }

    private static func attribute(_ line: String) -> Attribute {
        let colon = line.firstIndex(of: ":")!
        let name = String(line[..<colon])
        var rest = line[line.index(colon, offsetBy: 2)...]
        let kind = rest.prefix { $0.isLetter || $0.isNumber }
        rest = rest.dropFirst(kind.count)
        let types: [Substring: AttributeType] = [
            "string": .string, "date": .date, "transformable": .transformable, "i16": .integer16, "i32": .integer32,
            "i64": .integer64, "bool": .boolean, "uuid": .uuid, "uri": .uri, "decimal": .decimal, "double": .double,
            "float": .float, "binary": .binary, "undef": .undefined, "composite": .composite,
        ]
        var attribute = Attribute(name: name, type: types[kind]!, isOptional: rest.hasPrefix("?"))
        if let open = rest.firstIndex(of: "{") {
            attribute.elements = rest[open...].dropFirst().dropLast().components(separatedBy: ", ").map(Self.attribute)
            return attribute
        }
        if let open = rest.range(of: "derived[") { attribute.derivation = String(rest[open.upperBound...].dropLast()) }
        let words = rest.split(separator: " ")
        attribute.isTransient = words.contains("transient")
        attribute.allowsExternalBinaryDataStorage = words.contains("external")
        attribute.preservesValueInHistoryOnDeletion = words.contains("preserve")
        attribute.versionHashModifier = modifier(line)
        return attribute
    }
}
