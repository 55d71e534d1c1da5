import CoreDataTestSupport

/// Bytes, and changes of them.
struct HostileBytes {
    var bytes: [UInt8]
    var random: SeededGenerator

    init(_ bytes: [UInt8], _ random: SeededGenerator) { (self.bytes, self.random) = (bytes, random) }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0..<elements.count)] }

    static let numbers: [UInt64] = [
        0, 1, 2, 5, 10, 13, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe,
        0xffff_ffff, .max, .max >> 1, 1 << 63, 1 << 40,
    ]

    mutating func write(_ new: [UInt8], at place: Int) {
        guard place >= 0, place < bytes.count else { return }
        let end = min(bytes.count, place + new.count)
        bytes.replaceSubrange(place..<end, with: new.prefix(end - place))
    }

    mutating func writeNumber(_ width: Int, at place: Int) {
        let number = pick(Self.numbers)
        write(withUnsafeBytes(of: number.bigEndian) { Array($0.suffix(width)) }, at: place)
    }

    /// Changes some bytes; half of the places are the beginnings of blocks of a size.
    mutating func change(structure size: Int) {
        guard !bytes.isEmpty else { return }
        var place = number(0..<bytes.count)
        if size > 0, number(0..<2) == 0 { place = min(bytes.count - 1, place / size * size + number(0..<40)) }
        switch number(0..<9) {
        case 0, 1: bytes[place] ^= 1 << UInt8(number(0..<8))
        case 2: bytes[place] = UInt8(number(0..<256))
        case 3, 4: writeNumber(pick([1, 2, 4, 8]), at: place)
        case 5: write((0..<number(1..<300)).map { _ in UInt8(truncatingIfNeeded: random.next()) }, at: place)
        case 6: write(Array(repeating: pick([0, 0xff, 0x80]), count: number(1..<1000)), at: place)
        case 7:
            let source = number(0..<bytes.count)
            write(Array(bytes[source..<min(bytes.count, source + number(1..<600))]), at: place)
        default: if number(0..<6) == 0 { bytes.removeLast(number(0..<bytes.count)) }
        }
    }
}
