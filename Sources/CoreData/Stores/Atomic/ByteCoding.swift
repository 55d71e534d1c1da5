import Foundation

/// Puts numbers and texts one after the other: little-endian, texts as their UTF-8 length (32 bits) and bytes.
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

/// Takes apart what a ``ByteWriter`` put together, and throws ``StoreFileDamage`` where there is too little.
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

    /// A number of things that follow, each at least `size` bytes long; absurd numbers are damage.
    mutating func takeCount(ofAtLeast size: Int) throws -> Int {
        let count = Int(try take(UInt32.self))
        guard count * max(size, 1) <= remaining else { throw StoreFileDamage("The file ends too early.") }
        return count
    }
}
