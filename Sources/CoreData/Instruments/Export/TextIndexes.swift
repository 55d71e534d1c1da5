import Foundation

/// A list of distinct strings with indices. They are stored in blocks of bytes, because most are shorter than the overhead of a
/// `String`.
package struct TextIndexes {
    /// The location of a string.
    private struct Place {
        var block: UInt32
        var start: UInt32
        var length: UInt32
    }

    private var blocks: ContiguousArray<ContiguousArray<UInt8>> = []
    private var places: ContiguousArray<Place> = []
    /// A hash table of the indices plus one; 0 for an empty slot. Collisions use the next slots.
    private var slots: ContiguousArray<UInt32> = []

    private static let blockSize = 1 << 16

    var count: Int { places.count }

    /// Creates an empty list.
    package init() {}

    /// The strings in the order of their indices.
    package var all: some Sequence<String> { places.lazy.map(text) }

    subscript(index: Int) -> String { text(places[index]) }

    /// Returns the index of a string, adding it if it is new.
    package mutating func index(of text: String) -> Int {
        var text = text
        return text.withUTF8 { index(of: UnsafeRawBufferPointer($0)) }
    }

    /// Drops the hash table. No string is added after that.
    mutating func finish() { slots = [] }

    private mutating func index(of bytes: UnsafeRawBufferPointer) -> Int {
        if (places.count + 1) * 2 > slots.count { makeSlots(max(16, slots.count * 2)) }
        var slot = firstSlot(of: bytes)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if withBytes(of: places[index], { $0.elementsEqual(bytes) }) { return index }
            slot = (slot + 1) & (slots.count - 1)
        }
        append(bytes)
        slots[slot] = UInt32(places.count)
        return places.count - 1
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if blocks.last.map({ $0.count + bytes.count > Self.blockSize }) ?? true { blocks.append([]) }
        let block = blocks.count - 1
        places.append(
            Place(block: UInt32(block), start: UInt32(blocks[block].count), length: UInt32(bytes.count)))
        blocks[block].append(contentsOf: bytes)
    }

    private func text(_ place: Place) -> String { withBytes(of: place) { String(decoding: $0, as: UTF8.self) } }

    private func withBytes<Result>(of place: Place, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        blocks[Int(place.block)].withUnsafeBytes { bytes in
            body(UnsafeRawBufferPointer(rebasing: bytes[Int(place.start)..<Int(place.start) + Int(place.length)]))
        }
    }

    private func firstSlot(of bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return hasher.finalize() & (slots.count - 1)
    }

    private mutating func makeSlots(_ count: Int) {
        slots = ContiguousArray(repeating: 0, count: count)
        for index in places.indices {
            var slot = withBytes(of: places[index]) { firstSlot(of: $0) }
            while slots[slot] != 0 { slot = (slot + 1) & (count - 1) }
            slots[slot] = UInt32(index) + 1
        }
    }
}
