import Foundation

/// Decodes records: a header with the type of each value, and the values.
///
/// Used by one thread at a time.
final class RecordDecoder {
    /// The header of a record.
    struct Header {
        let columnCount: Int
        /// The number of bytes of the header.
        let size: Int
        /// The number of bytes of the values.
        let body: Int
    }

    /// SQLite's limits.
    private static let columnLimit = 32767
    private static let headerLimit = 98307

    var encoding = TextEncoding.utf8
    private let types = UnsafeMutablePointer<UInt64>.allocate(capacity: RecordDecoder.columnLimit)

    init() { types.initialize(repeating: 0, count: Self.columnLimit) }
    deinit { types.deallocate() }

    /// Reads the header of a record; nil if it is cut off or not possible.
    ///
    /// - Parameters:
    ///   - record: The bytes that are there.
    ///   - payload: The size of the whole record.
    ///   - isExact: Whether the header must agree with that size.
    @inline(__always)
    func header(_ record: PageBytes, payload: Int, isExact: Bool = false) -> Header? {
        let (size, sizeLength) = record.varint(0)
        guard sizeLength > 0, size > UInt64(sizeLength), size <= UInt64(min(payload, record.count, Self.headerLimit))
        else { return nil }
        let end = Int(size)
        var offset = sizeLength
        var count = 0
        var body = 0
        while offset < end {
            let (type, length) = record.varint(offset)
            offset += length
            guard length > 0, offset <= end, type <= UInt64(UInt32.max), type != 10, type != 11,
                count < Self.columnLimit
            else { return nil }
            types[count] = type
            count += 1
            let bytes = Self.length(type)
            // No record is longer than 2 GB.
            guard bytes <= Int(Int32.max) - end - body else { return nil }
            body += bytes
            if isExact, end + body > payload { return nil }
        }
        if isExact, end + body != payload { return nil }
        return Header(columnCount: count, size: end, body: body)
    }

    /// Returns the number of bytes of a value.
    @inline(__always)
    private static func length(_ type: UInt64) -> Int {
        if type >= 12 { return Int((type - 12) >> 1) }
        switch type {
        case 1, 2, 3, 4: return Int(type)
        case 5: return 6
        case 6, 7: return 8
        default: return 0
        }
    }

    /// Returns the values of the record with the header that was read last, up to the first that is not completely there.
    @inline(__always)
    func values(_ record: PageBytes, _ header: Header) -> [StoredValue] {
        [StoredValue](unsafeUninitializedCapacity: header.columnCount) { buffer, count in
            var offset = header.size
            for index in 0..<header.columnCount {
                let type = types[index]
                let length = Self.length(type)
                guard offset + length <= record.count else { break }
                (buffer.baseAddress! + index).initialize(to: value(record.base + offset, type, length))
                offset += length
                count = index + 1
            }
        }
    }

    /// Returns the start of the first text that reaches beyond an offset of the record; nil if there is none.
    func firstText(beyond limit: Int, _ header: Header) -> Int? {
        var offset = header.size
        for index in 0..<header.columnCount {
            let length = Self.length(types[index])
            if offset + length > limit, length > 0, types[index] & 1 == 1, types[index] >= 13 { return offset }
            offset += length
        }
        return nil
    }

    @inline(__always)
    private func value(_ bytes: UnsafeRawPointer, _ type: UInt64, _ length: Int) -> StoredValue {
        switch type {
        case 0: return .null
        case 1...6: return .integer(Self.integer(bytes, length))
        case 7:
            let number = Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
            return number.isNaN ? .null : .real(number)
        case 8: return .integer(0)
        case 9: return .integer(1)
        case _ where type & 1 == 1: return encoding.value(bytes, length)
        default: return .blob(length == 0 ? Data() : Data(bytes: bytes, count: length))
        }
    }

    /// Returns the signed big-endian number of some bytes.
    @inline(__always)
    private static func integer(_ bytes: UnsafeRawPointer, _ length: Int) -> Int64 {
        var value = Int64(bytes.load(as: Int8.self))
        for index in 1..<max(length, 1) {
            value = value << 8 | Int64(bytes.load(fromByteOffset: index, as: UInt8.self))
        }
        return value
    }

    /// Returns whether the values of the record with that header look as SQLite writes them: numbers in their
    /// shortest form, valid texts. Looks at those that are completely there.
    func isPlausible(_ record: PageBytes, _ header: Header) -> Bool {
        var offset = header.size
        for index in 0..<header.columnCount {
            let type = types[index]
            let length = Self.length(type)
            guard offset + length <= record.count else { return true }
            let bytes = record.base + offset
            switch type {
            case 2...6:
                let shorter = type == 6 ? 48 : type == 5 ? 32 : 8 * (Int(type) - 1)
                let number = Self.integer(bytes, length)
                if number >= -(1 << (shorter - 1)), number < 1 << (shorter - 1) { return false }
            case 7:
                let number = Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
                if number.isNaN { return false }
            case _ where type >= 13 && type & 1 == 1:
                if encoding.text(bytes, length) == nil { return false }
            default: break
            }
            offset += length
        }
        return true
    }
}
