import Foundation

/// A binary property list whose values are looked at where they lie, by their numbers in it.
///
/// For lists of which most is looked at once, and whose values refer to each other by number: making a tree of such a list
/// takes several times as long as reading it. All values are checked when the list is opened, so that looking at one
/// cannot fail.
final class PropertyListTable {
    @exclusivity(unchecked) private var reader: BinaryPropertyListReader
    /// Long texts and data, made once: a small file may refer to one of them many times.
    @exclusivity(unchecked) private var long: [Int: PropertyListNode] = [:]
    /// The number of the outermost value.
    let top: Int

    /// - Throws: ``ModelFormatError`` for a list with anything malformed in it.
    init(_ bytes: [UInt8]) throws(ModelFormatError) {
        // Lists in text are few and small: written anew, they can be looked at in the same way.
        let isBinary = bytes.starts(with: "bplist".utf8)
        var reader = BinaryPropertyListReader(
            bytes: isBinary ? bytes : BinaryPropertyListWriter.write(try XMLPropertyList.read(Data(bytes))).bytes)
        top = try reader.open()
        try reader.checkValues()
        self.reader = reader
    }

    /// The references in an array or set, or those to the values of a dictionary.
    struct Items {
        fileprivate let start: Int
        let count: Int

        static let none = Items(start: 0, count: 0)
    }

    /// The numbers of an array's or set's elements.
    func items(_ number: Int) -> Items? {
        let kind = kind(number)
        guard kind == 0xA || kind == 0xB || kind == 0xC else { return nil }
        return references(number, perItem: 1)
    }

    func number(_ index: Int, of items: Items) -> Int { reader.reference(items.start, index) }

    /// The references to a dictionary's keys, which those to its values follow; none for anything else.
    func keys(_ number: Int) -> Items { kind(number) == 0xD ? references(number, perItem: 2) : .none }

    /// The number of a dictionary's value.
    func value(_ key: String, in number: Int) -> Int? { value(key, among: keys(number)) }

    func value(_ key: String, among keys: Items) -> Int? {
        var key = key
        return key.withUTF8 { reader.value($0, keys.start, keys.count) }
    }

    /// The number of a dictionary's first value.
    func firstValue(in number: Int) -> Int? {
        let keys = keys(number)
        return keys.count > 0 ? reader.reference(keys.start, keys.count) : nil
    }

    func string(_ number: Int) -> String? {
        let kind = kind(number)
        return kind == 0x5 || kind == 0x6 ? node(number).string : nil
    }

    func isText(_ number: Int, _ text: String) -> Bool {
        var text = text
        return text.withUTF8 { isText(number, $0) }
    }

    private func isText(_ number: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        reader.bytes.withUnsafeBufferPointer { reader.isText(reader.offsets[number], text, $0) }
    }

    /// The number of another value that a value stands for.
    func uid(_ number: Int) -> Int? {
        guard kind(number) == 0x8 else { return nil }
        return try? reader.integer(at: reader.offsets[number] + 1, size: Int(reader.marker(number) & 0x0F) + 1)
    }

    /// A value as a number, whatever kind of number it is.
    func integer(_ number: Int) -> Int64? {
        guard kind(number) == 0x1 else { return scalar(number)?.integer }
        return (try? reader.whole(at: reader.offsets[number] + 1, power: Int(reader.marker(number) & 0x0F)))?.integer
    }

    /// - Throws: ``ModelFormatError`` if there are containers in a container that are nested too deeply, or in circles, or
    ///   repeat each other beyond reason.
    func checkNesting(_ number: Int) throws(ModelFormatError) {
        try reader.checkNesting(number, depth: 0)
    }

    /// A value that is no container.
    func scalar(_ number: Int) -> PropertyListNode? { kind(number) < 0xA ? node(number) : nil }

    /// A value by itself, with all that is in it.
    func node(_ number: Int) -> PropertyListNode {
        guard isLong(number) else { return make(number) }
        if let known = long[number] { return known }
        let node = make(number)
        long[number] = node
        return node
    }

    private func isLong(_ number: Int) -> Bool {
        guard 0x4...0x6 ~= kind(number), let range = reader.checkedContents(number, width: 1) else { return false }
        return range.count > 64
    }

    private func make(_ number: Int) -> PropertyListNode {
        // Every value has been checked, so this does not fail; the reader's budget is a copy's.
        var reader = reader
        return (try? reader.value(number, depth: 0)) ?? .bool(false)
    }

    private func kind(_ number: Int) -> UInt8 { reader.marker(number) >> 4 }

    private func references(_ number: Int, perItem: Int) -> Items {
        guard let range = reader.checkedContents(number, width: reader.referenceSize * perItem) else { return .none }
        return Items(start: range.lowerBound, count: range.count / (reader.referenceSize * perItem))
    }
}

extension BinaryPropertyListReader {
    func marker(_ number: Int) -> UInt8 { bytes[offsets[number]] }

    func reference(_ start: Int, _ index: Int) -> Int {
        if referenceSize == 1 { return Int(bytes[start + index]) }
        var value = 0
        for at in start + index * referenceSize..<start + (index + 1) * referenceSize {
            value = value << 8 | Int(bytes[at])
        }
        return value
    }

    /// The number of the value that belongs to a key, among that many references to keys. Of equal keys the last counts.
    fileprivate func value(_ key: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            offsets.withUnsafeBufferPointer { offsets in
                var index = count
                while index > 0 {
                    index -= 1
                    let number = referenceSize == 1 ? Int(bytes[start + index]) : reference(start, index)
                    if isText(offsets[number], key, bytes) { return reference(start, count + index) }
                }
                return nil
            }
        }
    }

    /// Whether the checked value at a position is that text, in ASCII.
    @inline(__always)
    fileprivate func isText(
        _ position: Int, _ text: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let start: Int
        if text.count < 0x0F {
            guard bytes[position] == 0x50 | UInt8(truncatingIfNeeded: text.count) else { return false }
            start = position + 1
        } else {
            guard bytes[position] == 0x5F, let range = checkedContents(position, 0x0F, width: 1),
                range.count == text.count
            else { return false }
            start = range.lowerBound
        }
        // What is compared most are names of one framework, which begin alike.
        var index = text.count
        while index > 0 {
            index -= 1
            if bytes[start + index] != text[index] { return false }
        }
        return true
    }

    /// Where the contents of a checked value lie.
    func checkedContents(_ number: Int, width: Int) -> Range<Int>? {
        let position = offsets[number]
        return checkedContents(position, Int(bytes[position] & 0x0F), width: width)
    }

    private func checkedContents(_ position: Int, _ low: Int, width: Int) -> Range<Int>? {
        if low < 0x0F { return position + 1..<position + 1 + low * width }
        if bytes[position + 1] == 0x10 {
            return position + 3..<position + 3 + Int(bytes[position + 2]) * width
        }
        return try? contents(position, low, width: width)
    }

    /// Checks every value of the list, containers with what they refer to.
    fileprivate mutating func checkValues() throws(ModelFormatError) {
        for number in offsets.indices { try check(number) }
    }

    private mutating func check(_ number: Int) throws(ModelFormatError) {
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
                let key = offsets[reference(range.lowerBound, index)]
                guard key < bytes.count - 32, bytes[key] >> 4 == 0x5 || bytes[key] >> 4 == 0x6 else {
                    throw failure("a key is no text")
                }
                // Keys are looked for by what is written of them, so each text may be written in one way only.
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
        for index in 0..<count {
            let number = try integer(at: range.lowerBound + index * referenceSize, size: referenceSize)
            guard number < offsets.count else { throw failure("a reference points nowhere") }
        }
    }

    /// Refuses containers that are nested too deeply, or in circles, or repeat each other beyond reason.
    mutating func checkNesting(_ number: Int, depth: Int) throws(ModelFormatError) {
        try requireShallow(depth)
        let width = marker(number) >> 4 == 0xD ? 2 : 1
        guard marker(number) >> 4 >= 0xA, let range = checkedContents(number, width: referenceSize * width) else {
            return
        }
        let count = range.count / referenceSize
        try spend(count)
        for index in 0..<count { try checkNesting(reference(range.lowerBound, index), depth: depth + 1) }
    }
}
