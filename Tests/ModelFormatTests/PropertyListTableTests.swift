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

    // MARK: Notes of keys

    /// What a table finds with notes must be what a search through all keys finds.
    private func expectSameWithNotes(_ table: PropertyListTable, _ number: Int, _ keys: [String]) {
        let items = table.keys(number)
        for key in keys {
            let notes = table.notes(of: items)
            #expect(table.value(key, among: items, notes: notes) == table.value(key, among: items), "\(key)")
        }
    }

    @Test("find keys by notes as by looking at all of them", arguments: [1, 5, 253, 254, 255, 300])
    func notes(count: Int) throws {
        let names = (0..<count).map { "key number \($0)" }
        let list = PropertyListNode.dictionary(
            Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, .integer(Int64($0))) }))
        let table = try PropertyListTable(bytes(list))
        expectSameWithNotes(table, table.top, names + ["", "key", "key number x", "kez number 1"])
    }

    @Test("find keys that are alike in their notes, and keys beyond ASCII")
    func alikeKeys() throws {
        // Equal counts of bytes, equal last bytes.
        for names in [["axb", "ayb", "azb"], ["a", "Æ", "b"], ["one", "🐎", "two"], ["", "x"]] {
            let list = PropertyListNode.dictionary(
                Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, .integer(Int64($0))) }))
            let table = try PropertyListTable(bytes(list))
            expectSameWithNotes(table, table.top, names + ["awb", "c", ""])
        }
    }

    @Test("find keys of one dictionary after those of many others")
    func manyDictionaries() throws {
        let dictionaries = (0..<60).map { number in
            PropertyListNode.dictionary(
                Dictionary(uniqueKeysWithValues: (0...number % 7).map { ("k\(number + $0)", .integer(Int64($0))) }))
        }
        let table = try PropertyListTable(bytes(.array(dictionaries)))
        let items = try #require(table.items(table.top))
        let all = (0..<items.count).map { index in
            let keys = table.keys(table.number(index, of: items))
            return (keys, table.notes(of: keys))
        }
        // The notes of most have given way to others by now.
        for (number, (keys, notes)) in all.enumerated() {
            for key in (0..<70).map({ "k\($0)" }) {
                #expect(
                    table.value(key, among: keys, notes: notes) == table.value(key, among: keys), "\(number) \(key)")
            }
        }
    }

    /// A list of hand-made values: each is bytes, referred to by its number.
    private func list(_ values: [[UInt8]], top: UInt8, extraOffsets: [(value: Int, offset: Int)] = []) -> [UInt8] {
        var list = Array("bplist00".utf8)
        var offsets: [Int] = []
        for value in values {
            offsets.append(list.count)
            list += value
        }
        offsets += extraOffsets.map { offsets[$0.value] + $0.offset }
        let table = list.count
        for offset in offsets { list += [UInt8(offset >> 8), UInt8(offset & 0xFF)] }
        func number(_ value: Int) -> [UInt8] { (0..<8).map { UInt8(value >> (56 - 8 * $0) & 0xFF) } }
        return list + [0, 0, 0, 0, 0, 0, 2, 1] + number(offsets.count) + number(Int(top)) + number(table)
    }

    private func text(_ text: String) -> [UInt8] { [0x50 | UInt8(text.utf8.count)] + Array(text.utf8) }

    @Test("take the last of equal keys, with notes and without")
    func equalKeys() throws {
        let table = try PropertyListTable(
            list([[0xD3, 1, 2, 1, 3, 3, 4], text("a"), text("b"), [0x10, 7], [0x10, 8]], top: 0))
        expectSameWithNotes(table, 0, ["a", "b", "c"])
        #expect(table.value("a", in: 0) == 4)
    }

    /// A dictionary whose references begin where those of another do: what is noted of one says nothing of the other.
    @Test("whose dictionaries overlap keep their keys apart")
    func overlappingDictionaries() throws {
        // The last value begins within the first: `10 D2` is the end of the one's count, and `D2` the other's beginning. The
        // last of the many keys has their notes lie in one place.
        var references = [UInt8](repeating: 1, count: 0xD2 - 3) + [2]
        references[100] = 5
        let many = [0xDF, 0x10, 0xD2, 1, 2] + references + [UInt8](repeating: 3, count: 0xD2)
        let table = try PropertyListTable(
            list(
                [many, text("a"), text("b"), [0x10, 7], [0xD2, 1, 2, 3, 3], text("c")], top: 0,
                extraOffsets: [(value: 0, offset: 2)]))
        let small = table.keys(6)
        let other = table.keys(4)
        let large = table.keys(0)
        #expect(small.count == 2 && other.count == 2 && large.count == 0xD2)
        for _ in 1...2 {
            let ofSmall = table.notes(of: small)
            let ofOther = table.notes(of: other)
            let ofLarge = table.notes(of: large)
            for key in ["a", "b", "c"] {
                #expect(table.value(key, among: small, notes: ofSmall) == table.value(key, among: small))
                #expect(table.value(key, among: other, notes: ofOther) == table.value(key, among: other))
                #expect(table.value(key, among: large, notes: ofLarge) == table.value(key, among: large))
            }
        }
    }

    @Test("with a key that is no text are refused, whoever refers to it first")
    func wrongKeys() throws {
        let values: [[UInt8]] = [[0xA2, 1, 2], [0xD1, 3, 4], [0xD1, 4, 3], text("a"), [0x10, 7]]
        #expect(throws: ModelFormatError.self) { try PropertyListTable(list(values, top: 0)) }
        // A short key whose length is written as a long one's.
        let long: [[UInt8]] = [[0xA2, 1, 2], [0xD1, 3, 4], [0xD1, 4, 3], text("a"), [0x5F, 0x10, 1, 0x61]]
        #expect(throws: ModelFormatError.self) { try PropertyListTable(list(long, top: 0)) }
    }

    // MARK: Version hashes

    private func hashes(_ entries: [(String, UInt8)]) throws -> EntityHashes {
        let nodes = entries.map { ($0, PropertyListNode.data(Data(repeating: $1, count: 32))) }
        let keys = nodes.map(\.0)
        // Written by hand, so that they come in this order.
        let references = UInt8(entries.count)
        var values: [[UInt8]] = [[0xDF, 0x10, references]]
        values[0] += (0..<references).map { 1 + $0 } + (0..<references).map { 1 + references + $0 }
        values += keys.map(text)
        values += entries.map { [0x4F, 0x10, 32] + [UInt8](repeating: $0.1, count: 32) }
        return try #require(EntityHashes(0, in: try PropertyListTable(list(values, top: 0))))
    }

    @Test("compare version hashes in any order", arguments: [3, 16, 17, 40])
    func hashesInAnyOrder(count: Int) throws {
        let entries = (0..<count).map { ("E\($0)", UInt8($0)) }
        let known = try hashes(entries)
        #expect(try known.isSame(as: hashes(entries)) && known.isSame(as: hashes(entries.reversed())))
        var other = Array(entries.reversed())
        other[1].1 = 200
        #expect(try !known.isSame(as: hashes(other)) && !hashes(other).isSame(as: known))
        other = Array(entries.reversed())
        other[1].0 = "F"
        #expect(try !known.isSame(as: hashes(other)) && !hashes(other).isSame(as: known))
        #expect(try !known.isSame(as: hashes(Array(entries.dropLast()))))
        // Twice the same is not two.
        other = Array(entries.reversed())
        other[1] = other[0]
        #expect(try !known.isSame(as: hashes(other)) && !hashes(other).isSame(as: known))
    }
}
