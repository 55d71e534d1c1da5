/// A number by which a compiled model is recognised as the file that its version hashes were written for.
///
/// It guards against mistakes, such as a model that was replaced without the list beside it, and against nothing else.
enum ArchiveChecksum {
    /// To be raised whenever ``Model/problems(lines:file:)`` learns to see something new, or version hashes are computed in
    /// another way: models that come with a checksum are not looked through again, and their hashes are believed.
    private static let rules: UInt64 = 1

    /// Differs for any two files of one length that differ in one word of eight bytes, and for almost any others.
    static func of(_ bytes: [UInt8]) -> Int64 {
        bytes.withUnsafeBytes { bytes in
            var sum = UInt64(bytes.count)
            add(rules, to: &sum)
            var position = 0
            while position + 8 <= bytes.count {
                add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)), to: &sum)
                position += 8
            }
            var rest: UInt64 = 0
            for byte in bytes[position...].reversed() { rest = rest << 8 | UInt64(byte) }
            add(rest, to: &sum)
            return Int64(bitPattern: sum)
        }
    }

    /// Each step can be undone, so that what differed before differs after it.
    @inline(__always)
    private static func add(_ word: UInt64, to sum: inout UInt64) {
        sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
        sum ^= sum >> 32
    }
}
