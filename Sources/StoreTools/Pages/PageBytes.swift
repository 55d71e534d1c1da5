/// The bytes of a page or record, read with checks: what lies outside is 0.
struct PageBytes {
    let base: UnsafeRawPointer
    let count: Int

    init(_ base: UnsafeRawPointer, _ count: Int) {
        self.base = base
        self.count = count
    }

    /// Returns the byte at an offset.
    @inline(__always)
    func byte(_ offset: Int) -> UInt8 {
        UInt(bitPattern: offset) < UInt(bitPattern: count) ? base.load(fromByteOffset: offset, as: UInt8.self) : 0
    }

    /// Returns the big-endian number of two bytes at an offset.
    @inline(__always)
    func short(_ offset: Int) -> Int {
        guard offset >= 0, offset <= count - 2 else { return 0 }
        return Int(UInt16(bigEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }

    /// Returns the big-endian number of four bytes at an offset.
    @inline(__always)
    func long(_ offset: Int) -> UInt32 {
        guard offset >= 0, offset <= count - 4 else { return 0 }
        return UInt32(bigEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// Returns the number of a page, or of pages, at an offset.
    @inline(__always)
    func page(_ offset: Int) -> Int { Int(pages: long(offset)) }

    /// Returns the variable-length number at an offset, and the number of its bytes; 0 bytes if it is cut off.
    @inline(__always)
    func varint(_ offset: Int) -> (value: UInt64, length: Int) {
        guard offset >= 0, offset < count else { return (0, 0) }
        let first = base.load(fromByteOffset: offset, as: UInt8.self)
        return first < 0x80 ? (UInt64(first), 1) : longVarint(offset)
    }

    private func longVarint(_ offset: Int) -> (value: UInt64, length: Int) {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard offset + index < count else { return (0, 0) }
            let byte = base.load(fromByteOffset: offset + index, as: UInt8.self)
            if index == 8 { return (value << 8 | UInt64(byte), 9) }
            value = value << 7 | UInt64(byte & 0x7f)
            if byte < 0x80 { return (value, index + 1) }
        }
        return (0, 0)
    }

    /// True if all bytes are 0.
    var isZero: Bool {
        var offset = 0
        while offset + 8 <= count {
            if base.loadUnaligned(fromByteOffset: offset, as: UInt64.self) != 0 { return false }
            offset += 8
        }
        while offset < count {
            if base.load(fromByteOffset: offset, as: UInt8.self) != 0 { return false }
            offset += 1
        }
        return true
    }

    /// Returns the bytes from an offset to the end.
    func suffix(from offset: Int) -> PageBytes {
        let start = min(max(offset, 0), count)
        return PageBytes(base + start, count - start)
    }

    /// Returns the number of bytes that SQLite uses for a variable-length number.
    static func varintLength(_ value: UInt64) -> Int {
        value >= 1 << 56 ? 9 : max(1, (64 - value.leadingZeroBitCount + 6) / 7)
    }
}
