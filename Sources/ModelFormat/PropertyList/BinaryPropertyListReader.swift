import Foundation

/// Reads binary property lists from untrusted sources.
///
/// A hostile list can contain references in any direction: containers inside themselves, or one container referenced from many
/// places, which would expand exponentially. The depth and the number of values are limited, the latter in proportion to the
/// length of the input.
struct BinaryPropertyListReader {
    private static let depthLimit = 128
    /// The maximum capacity reserved for a container before its values are read: its count is not trusted.
    private static let roomAtFirst = 32
    let bytes: [UInt8]
    private(set) var offsets: [Int] = []
    private(set) var referenceSize = 1
    private var budget: Int

    init(bytes: [UInt8]) {
        self.bytes = bytes
        // Valid lists have at least one byte of reference for every value reached.
        budget = bytes.count * 4 + 64
    }

    mutating func read() throws(ModelFormatError) -> PropertyListNode {
        try value(try open(), depth: 0)
    }

    /// Reads the trailer and the offsets of the values.
    ///
    /// - Returns: the index of the top value.
    mutating func open() throws(ModelFormatError) -> Int {
        guard bytes.count >= 40, bytes.starts(with: "bplist0".utf8) else {
            throw failure("it is no binary property list")
        }
        let trailer = bytes.count - 32
        let offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        let count = try integer(at: trailer + 8, size: 8)
        let top = try integer(at: trailer + 16, size: 8)
        let table = try integer(at: trailer + 24, size: 8)
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), count > 0, top < count,
            table <= trailer, count <= (trailer - table) / offsetSize
        else { throw failure("its trailer is wrong") }
        offsets.reserveCapacity(count)
        for index in 0..<count { offsets.append(try integer(at: table + index * offsetSize, size: offsetSize)) }
        return top
    }

    func failure(_ reason: String) -> ModelFormatError {
        ModelFormatError(.malformed, "the property list cannot be read: \(reason)")
    }

    /// Returns a big-endian number of up to eight bytes that fits an `Int`.
    func integer(at position: Int, size: Int) throws(ModelFormatError) -> Int {
        guard position >= 0, size <= 8, position <= bytes.count - size else { throw failure("it is cut off") }
        var value: UInt64 = 0
        for index in position..<position + size { value = value << 8 | UInt64(bytes[index]) }
        guard let number = Int(exactly: value) else { throw failure("a number is out of range") }
        return number
    }

    func requireShallow(_ depth: Int) throws(ModelFormatError) {
        guard depth < Self.depthLimit else {
            throw ModelFormatError(.limitExceeded, "the property list is nested more than \(Self.depthLimit) deep")
        }
    }

    /// Deducts a number of values from the budget.
    mutating func spend(_ count: Int) throws(ModelFormatError) {
        budget -= count
        guard budget > 0 else {
            throw ModelFormatError(.limitExceeded, "the property list repeats its parts beyond reason")
        }
    }

    mutating func value(_ index: Int, depth: Int) throws(ModelFormatError) -> PropertyListNode {
        guard index < offsets.count else { throw failure("a reference points nowhere") }
        try requireShallow(depth)
        try spend(1)
        let position = offsets[index]
        guard position < bytes.count - 32 else { throw failure("an offset points nowhere") }
        let marker = bytes[position]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0:
            switch marker {
            case 0x08: return .bool(false)
            case 0x09: return .bool(true)
            default: throw failure("a value is of an unknown kind")
            }
        case 0x1: return try whole(at: position + 1, power: low)
        case 0x2: return .real(try real(at: position + 1, power: low))
        case 0x3: return .date(try real(at: position + 1, power: 3))
        case 0x8: return .uid(try integer(at: position + 1, size: low + 1))
        case 0x4:
            let range = try contents(position, low, width: 1)
            return .data(Data(bytes[range]))
        case 0x5:
            let range = try contents(position, low, width: 1)
            return .string(String(decoding: bytes[range], as: UTF8.self))
        case 0x6:
            let range = try contents(position, low, width: 2)
            let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            return .string(String(decoding: units, as: UTF16.self))
        case 0xA, 0xB, 0xC:
            let range = try contents(position, low, width: referenceSize)
            var items: [PropertyListNode] = []
            items.reserveCapacity(min(range.count / referenceSize, Self.roomAtFirst))
            for at in stride(from: range.lowerBound, to: range.upperBound, by: referenceSize) {
                items.append(try value(try integer(at: at, size: referenceSize), depth: depth + 1))
            }
            return .array(items)
        case 0xD:
            let range = try contents(position, low, width: referenceSize * 2)
            let middle = range.lowerBound + range.count / 2
            var entries = [String: PropertyListNode](
                minimumCapacity: min(range.count / referenceSize / 2, Self.roomAtFirst))
            for at in stride(from: range.lowerBound, to: middle, by: referenceSize) {
                let key = try value(try integer(at: at, size: referenceSize), depth: depth + 1)
                guard case .string(let name) = key else { throw failure("a key is no text") }
                let reference = try integer(at: at + range.count / 2, size: referenceSize)
                entries[name] = try value(reference, depth: depth + 1)
            }
            return .dictionary(entries)
        default: throw failure("a value is of an unknown kind")
        }
    }

    /// Returns the range of the contents of a counted value; the count is in the marker or in an integer after it.
    func contents(_ position: Int, _ low: Int, width: Int) throws(ModelFormatError) -> Range<Int> {
        var count = low
        var start = position + 1
        if low == 0x0F {
            guard start < bytes.count, bytes[start] >> 4 == 1, bytes[start] & 0x0F <= 3 else {
                throw failure("a count is no number")
            }
            let size = 1 << Int(bytes[start] & 0x0F)
            count = try integer(at: start + 1, size: size)
            start += 1 + size
        }
        guard start <= bytes.count - 32, count <= (bytes.count - 32 - start) / width else {
            throw failure("it is cut off")
        }
        return start..<start + count * width
    }

    func whole(at position: Int, power: Int) throws(ModelFormatError) -> PropertyListNode {
        switch power {
        case 0, 1, 2: return .integer(Int64(try integer(at: position, size: 1 << power)))
        case 3:
            guard position <= bytes.count - 8 else { throw failure("it is cut off") }
            var value: UInt64 = 0
            for index in position..<position + 8 { value = value << 8 | UInt64(bytes[index]) }
            return .integer(Int64(bitPattern: value))
        case 4:
            // Sixteen bytes encode unsigned numbers beyond Int64; models have none, so they are clamped to the largest Int64.
            guard position <= bytes.count - 16 else { throw failure("it is cut off") }
            return .integer(Int64.max)
        default: throw failure("a number is of an unknown size")
        }
    }

    private func real(at position: Int, power: Int) throws(ModelFormatError) -> Double {
        guard power == 2 || power == 3, position <= bytes.count - (1 << power) else {
            throw failure("a number is of an unknown size")
        }
        var value: UInt64 = 0
        for index in position..<position + (1 << power) { value = value << 8 | UInt64(bytes[index]) }
        return power == 2 ? Double(Float(bitPattern: UInt32(value))) : Double(bitPattern: value)
    }
}
