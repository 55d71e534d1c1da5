import Foundation

/// An encoder that appends numbers and texts to a byte array: little-endian, texts as their UTF-8 length (32 bits) and bytes.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put<T: FixedWidthInteger>(_ value: T) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ buffer: UnsafeRawBufferPointer) {
        put(UInt32(buffer.count))
        bytes.append(contentsOf: buffer)
    }

    mutating func put(_ data: Data) { data.withUnsafeBytes { put($0) } }

    mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    mutating func putRaw(_ data: some Sequence<UInt8>) { bytes.append(contentsOf: data) }
}

/// A decoder for the output of ``ByteWriter``. Throws ``StoreFileDamage`` if the input is too short.
struct ByteReader {
    private let buffer: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

    var remaining: Int { buffer.count - position }

    mutating func take<T: FixedWidthInteger>(_ type: T.Type = T.self) throws -> T {
        let raw = try takeRaw(MemoryLayout<T>.size)
        return T(littleEndian: raw.loadUnaligned(as: T.self))
    }

    mutating func takeRaw(_ count: Int) throws -> UnsafeRawBufferPointer {
        guard count >= 0, count <= remaining else { throw StoreFileDamage("The file ends too early.") }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: buffer[position..<(position + count)])
    }

    mutating func takeBytes() throws -> UnsafeRawBufferPointer { try takeRaw(Int(try take(UInt32.self))) }

    mutating func takeText() throws -> String { String(decoding: try takeBytes(), as: UTF8.self) }

    /// Reads an element count and checks that as many elements, each at least `size` bytes long, fit into the rest of the file.
    ///
    /// - Throws: ``StoreFileDamage`` if they do not fit, before memory is allocated for them.
    mutating func takeCount(ofAtLeast size: Int) throws -> Int {
        let count = Int(try take(UInt32.self))
        guard count * max(size, 1) <= remaining else { throw StoreFileDamage("The file ends too early.") }
        return count
    }
}
