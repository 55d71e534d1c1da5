import Foundation
import Testing

@testable import ModelFormat

@Suite("Property lists looked at in place")
struct PropertyListTableTests {
    private static let list = PropertyListNode.dictionary([
        "flag": .bool(true), "count": .integer(-3), "large": .integer(1 << 40), "share": .real(0.25),
        "day": .date(86_400), "bytes": .data(Data([1, 2, 3])), "reference": .uid(300), "name": .string("Ælfred 🐎"),
        "text": .string(String(repeating: "long ", count: 100)), "empty": .array([]),
        "items": .array([.string("a"), .dictionary(["b": .integer(1)]), .array([.uid(2)])]),
    ])

    private func bytes(_ node: PropertyListNode) -> [UInt8] { BinaryPropertyListWriter.write(node).bytes }

    @Test("show the values that a tree of them has")
    func values() throws {
        let table = try PropertyListTable(bytes(Self.list))
        #expect(table.node(table.top) == Self.list)
        let entries = try #require(Self.list.dictionary)
        #expect(table.keys(table.top).count == entries.count)
        for (key, value) in entries {
            let number = try #require(table.value(key, in: table.top))
            #expect(table.node(number) == value)
            #expect(table.string(number) == value.string)
            #expect(table.integer(number) == value.integer)
            #expect(table.items(number)?.count == value.array?.count)
        }
        #expect(table.value("nothing", in: table.top) == nil && table.value("fla", in: table.top) == nil)
        let items = try #require(table.value("items", in: table.top).flatMap(table.items))
        #expect(table.isText(table.number(0, of: items), "a") && !table.isText(table.number(1, of: items), "a"))
        #expect(try #require(table.value("reference", in: table.top).flatMap(table.uid)) == 300)
    }

    @Test("with more values than a byte can number show them all")
    func manyValues() throws {
        let entries = (0..<700).map { ("key \($0)", PropertyListNode.integer(Int64($0) * 1_000)) }
        let table = try PropertyListTable(bytes(.dictionary(Dictionary(uniqueKeysWithValues: entries))))
        for (key, value) in entries { #expect(table.value(key, in: table.top).map(table.node) == value) }
    }

    @Test("that are nested in circles are refused where they are walked")
    func circles() throws {
        // An array of itself: marker, reference; then where it lies, and the trailer.
        let list =
            Array("bplist00".utf8) + [0xA1, 0x00, 0x08] + [UInt8](repeating: 0, count: 6) + [1, 1]
            + [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8) + [0, 0, 0, 0, 0, 0, 0, 10]
        let table = try PropertyListTable(list)
        let error = #expect(throws: ModelFormatError.self) { try table.checkNesting(table.top) }
        #expect(error?.code == .limitExceeded)
    }

    @Test("with anything malformed in them are refused")
    func damage() throws {
        let whole = bytes(Self.list)
        for length in 0..<whole.count {
            let error = #expect(throws: ModelFormatError.self) { try PropertyListTable(Array(whole[..<length])) }
            #expect(error?.code == .malformed)
        }
        for position in 8..<whole.count - 32 {
            var damaged = whole
            damaged[position] = 0xFF
            guard let table = try? PropertyListTable(damaged) else { continue }
            _ = table.node(table.top)
            for key in Self.list.dictionary?.keys.sorted() ?? [] {
                if let number = table.value(key, in: table.top) { _ = (table.node(number), table.string(number)) }
            }
        }
    }
}
