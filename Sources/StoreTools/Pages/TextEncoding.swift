import Foundation

/// The encoding of texts in a database.
enum TextEncoding: UInt32, CaseIterable {
    case utf8 = 1
    case utf16LittleEndian
    case utf16BigEndian

    /// Returns a text, or the bytes as a blob if they are not valid in this encoding.
    @inline(__always)
    func value(_ bytes: UnsafeRawPointer, _ count: Int) -> StoredValue {
        guard count > 0 else { return .text("") }
        return text(bytes, count).map { .text($0) } ?? .blob(Data(bytes: bytes, count: count))
    }

    /// Returns a text; nil if the bytes are not valid in this encoding.
    func text(_ bytes: UnsafeRawPointer, _ count: Int) -> String? {
        guard count > 0 else { return "" }
        guard self == .utf8 else { return wide(bytes, count) }
        let buffer = UnsafeRawBufferPointer(start: bytes, count: count)
        var text = String(decoding: buffer, as: UTF8.self)
        if Self.isASCII(bytes, count) { return text }
        // A repaired text has other bytes.
        let isValid = text.withUTF8 { $0.count == count && memcmp($0.baseAddress!, bytes, count) == 0 }
        return isValid ? text : nil
    }

    private static func isASCII(_ bytes: UnsafeRawPointer, _ count: Int) -> Bool {
        var offset = 0
        var bits: UInt64 = 0
        while offset + 8 <= count {
            bits |= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        while offset < count {
            bits |= UInt64(bytes.load(fromByteOffset: offset, as: UInt8.self))
            offset += 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    private func wide(_ bytes: UnsafeRawPointer, _ count: Int) -> String? {
        guard count % 2 == 0 else { return nil }
        let units = (0..<count / 2).map { index in
            let unit = bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
            return self == .utf16BigEndian ? UInt16(bigEndian: unit) : UInt16(littleEndian: unit)
        }
        let text = String(decoding: units, as: UTF16.self)
        return text.utf16.elementsEqual(units) ? text : nil
    }
}
