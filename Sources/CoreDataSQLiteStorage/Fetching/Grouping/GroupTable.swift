import CCoreDataSQLite
import Foundation

/// A hash table of groups, keyed by the values that the rows of a group share.
struct GroupTable {
    /// A value of a group's key.
    enum Value {
        case null
        case integer(Int64)
        case text([UInt8])
    }

    private(set) var count = 0
    /// A hash table of group indexes plus one; 0 marks an empty slot. Its size is a power of two.
    private var places = ContiguousArray<UInt32>(repeating: 0, count: 64)
    private var hashes: ContiguousArray<UInt64> = []
    /// The concatenated keys, and the start of each, with the end of the last. The byte order of keys is SQLite's order:
    /// NULL, numbers, then text in byte order.
    private var keys: ContiguousArray<UInt8> = []
    private var starts: ContiguousArray<Int> = [0]
    /// The key of the current row.
    private var current: ContiguousArray<UInt8> = []

    /// The maximum number of groups, and of bytes of their keys.
    private static let mostGroups = 1 << 14
    private static let mostBytes = 1 << 22

    private enum Tag {
        static let null: UInt8 = 0
        static let integer: UInt8 = 1
        static let text: UInt8 = 2
    }

    /// Returns the group of a row by its first `columns` columns, adding it if it is new; nil for values of other types, and
    /// when there are too many groups.
    mutating func group(of statement: OpaquePointer, columns: Int32) -> Int? {
        current.removeAll(keepingCapacity: true)
        for column in 0..<columns {
            switch sqlite3_column_type(statement, column) {
            case SQLITE_NULL: current.append(Tag.null)
            case SQLITE_INTEGER: append(sqlite3_column_int64(statement, column))
            case SQLITE_TEXT:
                let start = sqlite3_column_blob(statement, column)
                let count = start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))
                guard count <= Self.mostBytes else { return nil }
                append(UnsafeRawBufferPointer(start: start, count: count))
            default: return nil
            }
        }
        return find()
    }

    private mutating func append(_ number: Int64) {
        current.append(Tag.integer)
        withUnsafeBytes(of: (UInt64(bitPattern: number) ^ 1 << 63).bigEndian) { current.append(contentsOf: $0) }
    }

    /// Appends a text to the current key. Two zero bytes end a text; a zero byte inside is followed by 255.
    private mutating func append(_ text: UnsafeRawBufferPointer) {
        current.append(Tag.text)
        if let start = text.baseAddress, memchr(start, 0, text.count) != nil {
            for byte in text {
                current.append(byte)
                if byte == 0 { current.append(0xFF) }
            }
        } else {
            current.append(contentsOf: text)
        }
        current.append(0)
        current.append(0)
    }

    private mutating func find() -> Int? {
        let hash = Self.hash(current)
        var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
        while places[place] > 0 {
            let group = Int(places[place]) - 1
            if hashes[group] == hash, isCurrent(group) { return group }
            place = (place + 1) & (places.count - 1)
        }
        guard count < Self.mostGroups, keys.count + current.count <= Self.mostBytes else { return nil }
        keys.append(contentsOf: current)
        starts.append(keys.count)
        hashes.append(hash)
        count += 1
        places[place] = UInt32(count)
        if count * 2 > places.count { grow() }
        return count - 1
    }

    private func isCurrent(_ group: Int) -> Bool {
        let (start, length) = (starts[group], starts[group + 1] - starts[group])
        guard length == current.count else { return false }
        return keys.withUnsafeBytes { keys in
            current.withUnsafeBytes { memcmp(keys.baseAddress! + start, $0.baseAddress!, length) == 0 }
        }
    }

    private mutating func grow() {
        places = ContiguousArray(repeating: 0, count: places.count * 2)
        for group in 0..<count {
            var place = Int(truncatingIfNeeded: hashes[group]) & (places.count - 1)
            while places[place] > 0 { place = (place + 1) & (places.count - 1) }
            places[place] = UInt32(group) + 1
        }
    }

    private static func hash(_ bytes: ContiguousArray<UInt8>) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
            var place = 0
            while place + 8 <= bytes.count {
                mix(&hash, bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                place += 8
            }
            var rest: UInt64 = 1
            while place < bytes.count {
                rest = rest << 8 | UInt64(bytes[place])
                place += 1
            }
            mix(&hash, rest)
            return hash
        }
    }

    @inline(__always)
    private static func mix(_ hash: inout UInt64, _ word: UInt64) {
        let product = (hash ^ word).multipliedFullWidth(by: 0xBF58_476D_1CE4_E5B9)
        hash = product.high ^ product.low
    }

    // MARK: Results

    /// Returns the values that the rows of a group share.
    func values(of group: Int) -> ContiguousArray<Value> {
        var values: ContiguousArray<Value> = []
        var place = starts[group]
        while place < starts[group + 1] {
            let tag = keys[place]
            place += 1
            switch tag {
            case Tag.integer:
                let bits = keys[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) }
                values.append(.integer(Int64(bitPattern: bits ^ 1 << 63)))
                place += 8
            case Tag.text: values.append(.text(text(at: &place)))
            default: values.append(.null)
            }
        }
        return values
    }

    private func text(at place: inout Int) -> [UInt8] {
        var text: [UInt8] = []
        while keys[place] != 0 || keys[place + 1] != 0 {
            text.append(keys[place])
            place += keys[place] == 0 ? 2 : 1
        }
        place += 2
        return text
    }

    /// Returns the groups in the order of SQLite's `GROUP BY`.
    func sorted() -> [Int] {
        keys.withUnsafeBytes { keys in
            (0..<count).sorted { left, right in
                let (leftCount, rightCount) = (starts[left + 1] - starts[left], starts[right + 1] - starts[right])
                let start = keys.baseAddress.unsafelyUnwrapped
                let order = memcmp(start + starts[left], start + starts[right], min(leftCount, rightCount))
                return order == 0 ? leftCount < rightCount : order < 0
            }
        }
    }
}
