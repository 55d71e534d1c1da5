import Foundation

extension RawDeflate {
    /// Compresses to a raw DEFLATE stream, which any inflater expands.
    ///
    /// Writes one block with the fixed Huffman code; repetitions up to 32 KB back are matched greedily. Models shrink to about
    /// a fifth.
    package static func compress(_ data: Data) -> Data {
        var deflater = Deflater(input: [UInt8](data))
        deflater.run()
        return Data(deflater.output)
    }
}

private struct Deflater {
    private static let window = 32768
    private static let chainLimit = 64
    private let input: [UInt8]
    private(set) var output: [UInt8] = []
    private var bits: UInt64 = 0
    private var bitCount = 0
    /// The last position of each three-byte hash, and for each position the previous one with the same hash.
    private var heads = [Int](repeating: -1, count: 1 << 15)
    private var previous: [Int]

    init(input: [UInt8]) {
        self.input = input
        previous = [Int](repeating: -1, count: input.count)
    }

    mutating func run() {
        put(1, 1)
        put(1, 2)
        var position = 0
        while position < input.count {
            let match = longestMatch(at: position)
            if match.length >= 3 {
                putLength(match.length)
                putDistance(match.distance)
            } else {
                putLiteral(Int(input[position]))
            }
            let end = position + max(1, match.length)
            while position < end {
                remember(position)
                position += 1
            }
        }
        putLiteral(256)
        if bitCount > 0 { output.append(UInt8(truncatingIfNeeded: bits)) }
    }

    private func hash(_ position: Int) -> Int {
        (Int(input[position]) << 10 ^ Int(input[position + 1]) << 5 ^ Int(input[position + 2])) & 0x7FFF
    }

    private mutating func remember(_ position: Int) {
        guard position + 2 < input.count else { return }
        let hash = hash(position)
        previous[position] = heads[hash]
        heads[hash] = position
    }

    private func longestMatch(at position: Int) -> (length: Int, distance: Int) {
        guard position + 2 < input.count else { return (0, 0) }
        var best = (length: 0, distance: 0)
        var candidate = heads[hash(position)]
        var steps = 0
        let limit = min(258, input.count - position)
        while candidate >= 0, position - candidate <= Self.window, steps < Self.chainLimit, best.length < limit {
            var length = 0
            while length < limit, input[candidate + length] == input[position + length] { length += 1 }
            if length > best.length { best = (length, position - candidate) }
            candidate = previous[candidate]
            steps += 1
        }
        return best.length >= 3 ? best : (0, 0)
    }

    private mutating func put(_ value: Int, _ count: Int) {
        bits |= UInt64(value) << UInt64(bitCount)
        bitCount += count
        while bitCount >= 8 {
            output.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            bitCount -= 8
        }
    }

    /// Appends a Huffman code, highest bit first.
    private mutating func putCode(_ code: Int, _ count: Int) {
        var reversed = 0
        for bit in 0..<count where code & (1 << bit) != 0 { reversed |= 1 << (count - 1 - bit) }
        put(reversed, count)
    }

    private mutating func putLiteral(_ symbol: Int) {
        switch symbol {
        case ..<144: putCode(0x30 + symbol, 8)
        case ..<256: putCode(0x190 + symbol - 144, 9)
        case ..<280: putCode(symbol - 256, 7)
        default: putCode(0xC0 + symbol - 280, 8)
        }
    }

    private mutating func putLength(_ length: Int) {
        let index = DeflateTables.lengthBase.lastIndex { $0 <= length } ?? 0
        putLiteral(257 + index)
        put(length - DeflateTables.lengthBase[index], DeflateTables.lengthExtra[index])
    }

    private mutating func putDistance(_ distance: Int) {
        let index = DeflateTables.distanceBase.lastIndex { $0 <= distance } ?? 0
        putCode(index, 5)
        put(distance - DeflateTables.distanceBase[index], DeflateTables.distanceExtra[index])
    }
}
