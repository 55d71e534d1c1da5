import Foundation

/// A binary property list with random access to its values by index.
///
/// For lists of which most values are read once and reference each other by index: building a tree of such a list takes several
/// times as long as reading it. All values are validated when the list is opened, so that accessors cannot fail.
final class PropertyListTable {
    /// The bytes of the list and the offsets of its values: copies that can be read without retain and release.
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private let offsets: UnsafeMutableBufferPointer<Int>
    private let referenceSize: Int
    private let places = KeyPlaces()
    @exclusivity(unchecked) private var reader: BinaryPropertyListReader
    /// A cache of long strings and data, since a small file may reference one of them many times.
    @exclusivity(unchecked) private var long: [Int: PropertyListNode] = [:]
    /// The index of the top value.
    let top: Int

    /// Opens and validates a list.
    ///
    /// - Throws: ``ModelFormatError`` for a malformed list.
    init(_ bytes: [UInt8]) throws(ModelFormatError) {
        // XML lists are few and small: they are converted to binary and read in the same way.
        let isBinary = bytes.starts(with: "bplist".utf8)
        var reader = BinaryPropertyListReader(
            bytes: isBinary ? bytes : BinaryPropertyListWriter.write(try XMLPropertyList.read(Data(bytes))).bytes)
        top = try reader.open()
        try reader.checkValues()
        self.bytes = .allocate(capacity: reader.bytes.count)
        _ = self.bytes.initialize(fromContentsOf: reader.bytes)
        offsets = .allocate(capacity: reader.offsets.count)
        _ = offsets.initialize(fromContentsOf: reader.offsets)
        referenceSize = reader.referenceSize
        self.reader = reader
    }

    deinit {
        bytes.deallocate()
        offsets.deallocate()
    }

    /// The references in an array or set, or those to the values of a dictionary.
    struct Items {
        fileprivate let start: Int
        let count: Int

        static let none = Items(start: 0, count: 0)
    }

    func isDictionary(_ number: Int) -> Bool { kind(number) == 0xD }

    /// True if any value is a set, ordered or not.
    var holdsSet: Bool { offsets.indices.contains { kind($0) == 0xB || kind($0) == 0xC } }

    /// Returns the references to the elements of an array or set; nil for other values.
    func items(_ number: Int) -> Items? {
        let kind = kind(number)
        guard kind == 0xA || kind == 0xB || kind == 0xC else { return nil }
        return references(number, perItem: 1)
    }

    func number(_ index: Int, of items: Items) -> Int { reference(items.start, index) }

    /// Returns the references to the keys of a dictionary, which are followed by those to its values; none for other values.
    func keys(_ number: Int) -> Items { kind(number) == 0xD ? references(number, perItem: 2) : .none }

    /// Returns the index of the value for the key at a position.
    func number(_ index: Int, ofValuesFor keys: Items) -> Int { reference(keys.start, keys.count + index) }

    /// Returns the index of the value for a key of a dictionary.
    func value(_ key: String, in number: Int) -> Int? { value(key, among: keys(number)) }

    /// Returns the cached key positions of a dictionary, for objects of archives: about twice as many keys are looked up as
    /// they have.
    func notes(of keys: Items) -> KeyPlaces.Notes {
        places.notes(bytes, start: keys.start, count: keys.count, width: referenceSize) { index in
            let position = offsets[reference(keys.start, index)]
            let marker = bytes[position]
            if 0x51...0x5E ~= marker {
                let count = Int(marker & 0x0F)
                return KeyPlaces.code(count, bytes[position + count])
            }
            guard marker == 0x5F, bytes[position + 1] == 0x10 else { return nil }
            let count = Int(bytes[position + 2])
            return KeyPlaces.code(count, bytes[position + 2 + count])
        }
    }

    /// Returns the index of the value for a key; of equal keys the last one counts.
    ///
    /// - Parameter notes: the result of ``notes(of:)`` for the keys, or none.
    func value(_ key: String, among keys: Items, notes: KeyPlaces.Notes = .none) -> Int? {
        var key = key
        return key.withUTF8 { key in
            if let last = key.last {
                switch places.place(KeyPlaces.code(key.count, last), in: notes) {
                case .absent: return nil
                case .at(let index) where index < keys.count:
                    return isText(reference(keys.start, index), key)
                        ? reference(keys.start, keys.count + index) : nil
                case .at, .unknown: break
                }
            }
            var index = keys.count
            while index > 0 {
                index -= 1
                if isText(reference(keys.start, index), key) { return reference(keys.start, keys.count + index) }
            }
            return nil
        }
    }

    /// Returns the index of the first value of a dictionary.
    func firstValue(in number: Int) -> Int? {
        let keys = keys(number)
        return keys.count > 0 ? reference(keys.start, keys.count) : nil
    }

    func isTextOrData(_ number: Int) -> Bool { 0x4...0x6 ~= kind(number) }

    func string(_ number: Int) -> String? {
        switch kind(number) {
        case 0x5:
            guard let range = contents(number, width: 1), range.count <= Self.longest else {
                return node(number).string
            }
            return String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
        case 0x6: return node(number).string
        default: return nil
        }
    }

    func data(_ number: Int) -> Data? {
        guard kind(number) == 0x4 else { return nil }
        guard let range = contents(number, width: 1), range.count <= Self.longest else { return node(number).data }
        return Data(bytes: bytes.baseAddress! + range.lowerBound, count: range.count)
    }

    /// Appends the bytes of a data value of the given length. Returns false for any other value.
    func appendData(_ number: Int, count: Int, to bytes: inout [UInt8]) -> Bool {
        guard kind(number) == 0x4, let range = contents(number, width: 1), range.count == count else { return false }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: self.bytes[range]))
        return true
    }

    func isText(_ number: Int, _ text: String) -> Bool {
        var text = text
        return text.withUTF8 { isText(number, $0) }
    }

    /// Returns whether a value is the given ASCII text.
    @inline(__always)
    private func isText(_ number: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let position = offsets[number]
        let start: Int
        if text.count < 0x0F {
            guard bytes[position] == 0x50 | UInt8(truncatingIfNeeded: text.count) else { return false }
            start = position + 1
        } else {
            guard bytes[position] == 0x5F else { return false }
            if bytes[position + 1] == 0x10 {
                guard Int(bytes[position + 2]) == text.count else { return false }
                start = position + 3
            } else {
                guard let range = contents(number, width: 1), range.count == text.count else { return false }
                start = range.lowerBound
            }
        }
        return text.isEmpty || memcmp(bytes.baseAddress! + start, text.baseAddress!, text.count) == 0
    }

    /// Returns the index that a UID value contains; nil for other values.
    func uid(_ number: Int) -> Int? {
        guard kind(number) == 0x8 else { return nil }
        let position = offsets[number]
        if bytes[position] == 0x80 { return Int(bytes[position + 1]) }
        return try? reader.integer(at: position + 1, size: Int(bytes[position] & 0x0F) + 1)
    }

    /// Returns a value as an integer, from any kind of number; nil for other values.
    func integer(_ number: Int) -> Int64? {
        let position = offsets[number]
        switch bytes[position] {
        case 0x08: return 0
        case 0x09: return 1
        case 0x10: return Int64(bytes[position + 1])
        case 0x11: return Int64(bytes[position + 1]) << 8 | Int64(bytes[position + 2])
        case 0x10...0x1F: return (try? reader.whole(at: position + 1, power: Int(bytes[position] & 0xF)))?.integer
        default: return scalar(number)?.integer
        }
    }

    /// Checks the nesting of containers.
    ///
    /// - Throws: ``ModelFormatError`` if containers are nested too deeply or in cycles, or are repeated beyond the limit.
    func checkNesting(_ number: Int) throws(ModelFormatError) { try checkNesting(number, depth: 0) }

    private func checkNesting(_ number: Int, depth: Int) throws(ModelFormatError) {
        let width = kind(number) == 0xD ? 2 : 1
        guard kind(number) >= 0xA else { return }
        let items = references(number, perItem: width)
        let count = items.count * width
        if count == 0 { return }
        try reader.requireShallow(depth + 1)
        try reader.spend(count)
        for index in 0..<count {
            let inner = reference(items.start, index)
            if kind(inner) >= 0xA { try checkNesting(inner, depth: depth + 1) }
        }
    }

    /// Returns a value that is not a container; nil for containers.
    func scalar(_ number: Int) -> PropertyListNode? { kind(number) < 0xA ? node(number) : nil }

    /// Returns a value with all its contents.
    func node(_ number: Int) -> PropertyListNode {
        guard isLong(number) else { return make(number) }
        if let known = long[number] { return known }
        let node = make(number)
        // Reserves the usual capacity: growing the dictionary makes the runtime look up conformances in the whole program the
        // first time.
        if long.isEmpty { long = [Int: PropertyListNode](minimumCapacity: 12) }
        long[number] = node
        return node
    }

    private static let longest = 64

    private func isLong(_ number: Int) -> Bool {
        guard 0x4...0x6 ~= kind(number), let range = contents(number, width: 1) else { return false }
        return range.count > Self.longest
    }

    private func make(_ number: Int) -> PropertyListNode {
        // Cannot fail, since every value was validated; the copy has its full budget.
        var reader = reader
        return (try? reader.value(number, depth: 0)) ?? .bool(false)
    }

    private func kind(_ number: Int) -> UInt8 { bytes[offsets[number]] >> 4 }

    @inline(__always)
    private func reference(_ start: Int, _ index: Int) -> Int {
        referenceSize == 1 ? Int(bytes[start + index]) : longReference(start, index)
    }

    private func longReference(_ start: Int, _ index: Int) -> Int {
        var value = 0
        for at in start + index * referenceSize..<start + (index + 1) * referenceSize {
            value = value << 8 | Int(bytes[at])
        }
        return value
    }

    private func references(_ number: Int, perItem: Int) -> Items {
        guard let range = contents(number, width: referenceSize * perItem) else { return .none }
        return Items(start: range.lowerBound, count: range.count / (referenceSize * perItem))
    }

    /// Returns the range of the contents of a validated value.
    private func contents(_ number: Int, width: Int) -> Range<Int>? {
        let position = offsets[number]
        let low = Int(bytes[position] & 0x0F)
        if low < 0x0F { return position + 1..<position + 1 + low * width }
        if bytes[position + 1] == 0x10 {
            return position + 3..<position + 3 + Int(bytes[position + 2]) * width
        }
        return try? reader.contents(position, low, width: width)
    }
}

extension BinaryPropertyListReader {
    private func reference(_ start: Int, _ index: Int) -> Int {
        if referenceSize == 1 { return Int(bytes[start + index]) }
        var value = 0
        for at in start + index * referenceSize..<start + (index + 1) * referenceSize {
            value = value << 8 | Int(bytes[at])
        }
        return value
    }

    /// Validates every value of the list, and the references of containers.
    fileprivate mutating func checkValues() throws(ModelFormatError) {
        // The objects of a class share their keys.
        var checkedKeys = [UInt8](repeating: 0, count: offsets.count)
        for number in offsets.indices { try check(number, &checkedKeys) }
    }

    private mutating func check(_ number: Int, _ checkedKeys: inout [UInt8]) throws(ModelFormatError) {
        let position = offsets[number]
        guard position < bytes.count - 32 else { throw failure("an offset points nowhere") }
        let low = Int(bytes[position] & 0x0F)
        switch bytes[position] >> 4 {
        case 0x4, 0x5: _ = try contents(position, low, width: 1)
        case 0x6: _ = try contents(position, low, width: 2)
        case 0xA, 0xB, 0xC:
            let range = try contents(position, low, width: referenceSize)
            try checkReferences(range)
        case 0xD:
            let range = try contents(position, low, width: referenceSize * 2)
            try checkReferences(range)
            for index in 0..<range.count / referenceSize / 2 {
                let reference = reference(range.lowerBound, index)
                if checkedKeys[reference] != 0 { continue }
                checkedKeys[reference] = 1
                let key = offsets[reference]
                guard key < bytes.count - 32, bytes[key] >> 4 == 0x5 || bytes[key] >> 4 == 0x6 else {
                    throw failure("a key is no text")
                }
                // Keys are compared by their encoding, so each text must have only one encoding.
                if bytes[key] == 0x5F, try contents(key, 0x0F, width: 1).count < 0x0F {
                    throw failure("the length of a short key is written as a long one's")
                }
            }
        default: _ = try value(number, depth: 0)
        }
    }

    private mutating func checkReferences(_ range: Range<Int>) throws(ModelFormatError) {
        let count = range.count / referenceSize
        try spend(count)
        if referenceSize == 1 {
            // One-byte references, as in lists of up to 256 values.
            for at in range where Int(bytes[at]) >= offsets.count { throw failure("a reference points nowhere") }
            return
        }
        for index in 0..<count {
            let number = try integer(at: range.lowerBound + index * referenceSize, size: referenceSize)
            guard number < offsets.count else { throw failure("a reference points nowhere") }
        }
    }
}
