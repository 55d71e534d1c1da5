import Foundation

/// Raw DEFLATE (RFC 1951), the compression of the model in a store.
package enum RawDeflate {
    /// Expands a raw DEFLATE stream, without zlib or gzip header.
    ///
    /// - Parameters:
    ///   - data: the stream.
    /// - limit: the maximum size of the result in bytes.
    /// - Throws: ``ModelFormatError`` if the stream is damaged or expands beyond the limit.
    package static func expand(_ data: Data, limit: Int = 64 << 20) throws(ModelFormatError) -> Data {
        var inflater = Inflater(input: [UInt8](data), limit: limit)
        try inflater.run()
        return Data(inflater.output)
    }
}

/// The length and distance tables of both directions.
enum DeflateTables {
    static let lengthBase: [Int] = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    static let lengthExtra: [Int] = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    static let distanceBase: [Int] = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
        6145,
        8193, 12289, 16385, 24577,
    ]
    static let distanceExtra: [Int] = [
        0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
    ]
    /// The code lengths of the fixed literal code.
    static let fixedLiteralLengths: [Int] =
        Array(repeating: 8, count: 144) + Array(repeating: 9, count: 112) + Array(repeating: 7, count: 24)
        + Array(repeating: 8, count: 8)
}

private struct Inflater {
    private let input: [UInt8]
    private let limit: Int
    private var position = 0
    private var bits: UInt32 = 0
    private var bitCount = 0
    private(set) var output: [UInt8] = []

    init(input: [UInt8], limit: Int) {
        self.input = input
        self.limit = limit
    }

    mutating func run() throws(ModelFormatError) {
        var isLast = false
        while !isLast {
            isLast = try take(1) == 1
            switch try take(2) {
            case 0: try copyStored()
            case 1:
                let literals = try HuffmanCode(DeflateTables.fixedLiteralLengths)
                try expandBlock(literals, try HuffmanCode(Array(repeating: 5, count: 30)))
            case 2:
                let (literals, distances) = try readCodes()
                try expandBlock(literals, distances)
            default: throw damaged()
            }
        }
    }

    private func damaged() -> ModelFormatError {
        ModelFormatError(.malformed, "the compressed data is damaged")
    }

    private mutating func take(_ count: Int) throws(ModelFormatError) -> Int {
        while bitCount < count {
            guard position < input.count else { throw damaged() }
            bits |= UInt32(input[position]) << UInt32(bitCount)
            position += 1
            bitCount += 8
        }
        let value = Int(bits & ((1 << UInt32(count)) - 1))
        bits >>= UInt32(count)
        bitCount -= count
        return value
    }

    private func checkRoom(_ count: Int) throws(ModelFormatError) {
        guard output.count + count <= limit else {
            throw ModelFormatError(.limitExceeded, "the compressed data expands beyond \(limit) bytes")
        }
    }

    private mutating func copyStored() throws(ModelFormatError) {
        bits = 0
        bitCount = 0
        guard position + 4 <= input.count else { throw damaged() }
        let length = Int(input[position]) | Int(input[position + 1]) << 8
        let complement = Int(input[position + 2]) | Int(input[position + 3]) << 8
        position += 4
        guard length ^ 0xFFFF == complement, position + length <= input.count else { throw damaged() }
        try checkRoom(length)
        output += input[position..<position + length]
        position += length
    }

    private mutating func readCodes() throws(ModelFormatError) -> (HuffmanCode, HuffmanCode) {
        let literalCount = try take(5) + 257
        let distanceCount = try take(5) + 1
        let lengthCount = try take(4) + 4
        guard literalCount <= 286, distanceCount <= 30 else { throw damaged() }
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        var lengths = Array(repeating: 0, count: 19)
        for index in 0..<lengthCount { lengths[order[index]] = try take(3) }
        let code = try HuffmanCode(lengths)
        var all: [Int] = []
        while all.count < literalCount + distanceCount {
            switch try symbol(code) {
            case let length where length < 16: all.append(length)
            case 16:
                guard let last = all.last else { throw damaged() }
                all += Array(repeating: last, count: try take(2) + 3)
            case 17: all += Array(repeating: 0, count: try take(3) + 3)
            default: all += Array(repeating: 0, count: try take(7) + 11)
            }
        }
        guard all.count == literalCount + distanceCount else { throw damaged() }
        return (try HuffmanCode(Array(all[..<literalCount])), try HuffmanCode(Array(all[literalCount...])))
    }

    /// Decodes the next symbol bit by bit, with counts per code length instead of a table.
    private mutating func symbol(_ code: HuffmanCode) throws(ModelFormatError) -> Int {
        var value = 0
        var first = 0
        var index = 0
        for length in 1...15 {
            value |= try take(1)
            let count = code.counts[length]
            if value - first < count { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        throw damaged()
    }

    private mutating func expandBlock(
        _ literals: HuffmanCode, _ distances: HuffmanCode
    ) throws(ModelFormatError) {
        while true {
            let symbol = try symbol(literals)
            if symbol == 256 { return }
            if symbol < 256 {
                try checkRoom(1)
                output.append(UInt8(symbol))
                continue
            }
            guard symbol - 257 < DeflateTables.lengthBase.count else { throw damaged() }
            let length = DeflateTables.lengthBase[symbol - 257] + (try take(DeflateTables.lengthExtra[symbol - 257]))
            let code = try self.symbol(distances)
            guard code < DeflateTables.distanceBase.count else { throw damaged() }
            let distance = DeflateTables.distanceBase[code] + (try take(DeflateTables.distanceExtra[code]))
            guard distance <= output.count else { throw damaged() }
            try checkRoom(length)
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }
}

/// A canonical Huffman code: the number of codes of each length, and the symbols in order.
private struct HuffmanCode {
    var counts = Array(repeating: 0, count: 16)
    var symbols: [Int]

    init(_ lengths: [Int]) throws(ModelFormatError) {
        for length in lengths { counts[length] += 1 }
        counts[0] = 0
        var left = 1
        for length in 1...15 {
            left = left * 2 - counts[length]
            guard left >= 0 else { throw ModelFormatError(.malformed, "the compressed data is damaged") }
        }
        var offsets = Array(repeating: 0, count: 17)
        for length in 1...15 { offsets[length + 1] = offsets[length] + counts[length] }
        symbols = Array(repeating: 0, count: lengths.count)
        for (symbol, length) in lengths.enumerated() where length > 0 {
            symbols[offsets[length]] = symbol
            offsets[length] += 1
        }
    }
}
