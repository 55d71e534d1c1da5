#if PostgreSQL
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport
import PredicateFormat
import Testing

/// Texts with everything that means something in SQL, as values and as names: they come back as they are, and nothing else
/// appears in the database. The names are looked up in the catalogue of the server.
@Suite("Texts that look like SQL", .enabled(if: TestServer.isAvailable))
struct InjectionTests {
    private static let parts = [
        "'", "''", "\"", "\"\"", "--", ";", "$$", "$1", "$x$", "\\", "\\'", "/*", "*/", "%", "_", "?", "(", ")", ",",
        " ",
        "\n", "E'", "U&\"", "x", "a", "0", "{", "}", "::text", "DROP TABLE tag", "; CREATE TABLE evil (n int); --",
        "') ; CREATE TABLE evil (n int); --", "\"; CREATE TABLE evil (n int); --", "COMMIT", "NULL", " OR 1=1", "t0",
        "id",
        "é", "\u{301}", "ß", "\u{2028}", "‘", "ʼ", "＇", "\u{7f}", "\t",
    ]

    /// Texts that differ from each other, from a fixed sequence of numbers.
    private static func texts(_ count: Int, without characters: String = "", most: Int = 6) -> [String] {
        var random = RandomValues(seed: 68)
        var texts: [String] = []
        var seen: Set<[UInt8]> = []
        while texts.count < count {
            var text = (0...random.below(most)).map { _ in random.pick(parts) }.joined()
            text.unicodeScalars.removeAll { characters.unicodeScalars.contains($0) }
            if !text.isEmpty, seen.insert(Array(text.utf8)).inserted { texts.append(text) }
        }
        return texts
    }

    private static func word(_ column: String) -> FetchColumn { FetchColumn(name: column, content: .path(["word"])) }

    @Test func `2,000 values are saved, fetched and grouped as they are`() throws {
        let store = try RawStore()
        let texts = Self.texts(2000)
        let before = try store.catalogue()
        try store.save { builder in for text in texts[..<1000] { builder.insert("Tag", ["word": text]) } }
        try store.insert("Tag", texts[1000...].map { ["word": $0] })
        let bytes = Set(texts.map { Array($0.utf8) })
        let read = try store.rows("Tag").compactMap { $0.text("word").map { Array($0.utf8) } }
        #expect(read.count == 2000 && Set(read) == bytes)

        var wrong: [String] = []
        for text in texts {
            let found = try store.session.countRows(store.fetch("Tag", "word == %@", [text]))
            if found < 1 { wrong.append(text) }
        }
        #expect(wrong.isEmpty, "\(wrong)")
        let all = try store.session.countRows(store.fetch("Tag", "word IN %@", [texts]))
        #expect(all == 2000)
        // Conditions that compare parts, and texts in the format itself.
        for text in texts[..<100] {
            for format in [
                "word CONTAINS %@", "word BEGINSWITH[cd] %@", "word ENDSWITH[c] %@", "word LIKE %@", "word MATCHES %@",
                "word BETWEEN %@", "%@ == word OR word > %@",
            ] {
                let argument: Any = format.contains("BETWEEN") ? [text, text] : text
                // What the language of the condition refuses is refused.
                let error = cocoaError {
                    _ = try store.session.countRows(store.fetch("Tag", format, [argument, argument]))
                }
                if let error { #expect(error.userInfo["SQLSTATE"] == nil, "\(format) \(text): \(error)") }
            }
        }
        let contained = try store.session.countRows(store.fetch("Tag", "word CONTAINS %@", ["'; CREATE"]))
        #expect(contained == texts.count { Array($0.utf8).firstRange(of: Array("'; CREATE".utf8)) != nil })

        var table = FetchTable()
        table.groups = [Self.word("word")]
        table.columns = [Self.word("word")]
        let groups = try store.dictionaries(store.fetch("Tag"), table).compactMap { $0["word"] as? String }
        #expect(Set(groups.map { Array($0.utf8) }) == bytes)
        for text in texts[..<100] {
            var table = FetchTable()
            table.columns = [
                FetchColumn(name: text, content: .expression(try Bookshop.expression("word"), .string)),
                FetchColumn(name: text + "n", content: .path(["word"])),
            ]
            let found = try store.dictionaries(store.fetch("Tag", "word == %@", [text]), table)
            #expect(found.first?.keys.contains(text) == true, "\(text)")
        }
        // Keys that the entity does not have.
        for text in texts[..<100] {
            let error = cocoaError { _ = try store.session.countRows(store.fetch("Tag", "%K == 1", [text])) }
            if let error { #expect(error.userInfo["SQLSTATE"] == nil, "\(text): \(error)") }
        }
        #expect(try store.catalogue() == before)
        #expect(try store.count("Tag") == 2000)
    }

    // MARK: Names

    private final class PlainTraits: EntityTraits {
        let historyOrder: [String]
        let constraintPaths: [[String]]

        init(_ properties: [String]) {
            historyOrder = properties.sorted()
            constraintPaths = [[properties[0]]]
        }

        func startingValue(of cell: EntityLayout.Cell) -> AttributeDefault { .none }
        func valueClassName(of cell: EntityLayout.Cell) -> String? { nil }
        func derivation(of cell: EntityLayout.Cell) -> ExpressionNode? { nil }
        var declaredIndexes: [IndexTraits] { [] }
        var compoundIndexPaths: [[String]] { [] }
    }

    private final class Source: Sendable {}

    /// Entities with subentities, with attributes of the names.
    private static func layouts(
        _ entities: [String], _ names: [[String]], _ traits: inout [PlainTraits]
    ) -> ModelLayouts {
        let source = Source()
        var specs: [EntitySpec] = []
        for (number, name) in entities.enumerated() {
            let inherited = number % 2 == 1 ? names[number - 1] : []
            traits.append(PlainTraits(inherited + names[number]))
            var spec = EntitySpec(
                name: name, isAbstract: false, parent: number % 2 == 1 ? number - 1 : nil, traits: traits[number])
            spec.properties = names[number].map { name in
                PropertySpec(
                    name, source,
                    .attribute(ElementSpec(kind: .string, traits: [.attribute, .optional], source: source)))
            }
            specs.append(spec)
        }
        return ModelLayouts(specs)
    }

    @Test func `Names of 500 entities and attributes become names of tables and columns only`() throws {
        // Points and signs separate the keys of paths.
        let names = Self.texts(500, without: ".@")
        let entities = Array(names[..<20])
        let attributes = (0..<20).map { Array(names[20 + $0 * 24..<44 + $0 * 24]) }
        var traits: [PlainTraits] = []
        let store = try RawStore(Self.layouts(entities, attributes, &traits))
        let before = try store.catalogue()
        // Ten hierarchies, and the two tables of every store.
        #expect(before.count { $0.utf8.starts(with: "r ".utf8) } == 12)
        #expect(!before.contains("r evil"))

        for (number, entity) in entities.enumerated() {
            let own = (number % 2 == 1 ? attributes[number - 1] : []) + attributes[number]
            let row = Dictionary(uniqueKeysWithValues: own.map { ($0, "\(number): \($0)") })
            try store.insert(entity, [row])
            var table = FetchTable()
            table.columns = own.map { FetchColumn(name: $0, content: .path([$0])) }
            let fetch = try store.fetch(entity, "%K == %@", [own[0], "\(number): \(own[0])"])
            let found = try store.dictionaries(fetch, table)
            #expect(found as NSArray == [row] as NSArray)
        }
        try store.reopen()
        #expect(try store.catalogue() == before)
        withExtendedLifetime(traits) {}
    }
}
#endif
