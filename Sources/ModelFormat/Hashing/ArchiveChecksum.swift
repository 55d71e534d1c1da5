/// The checksum that identifies the compiled model for which version hashes were written.
///
/// It detects mistakes, such as a model that was replaced without its version list. It is not a cryptographic hash.
enum ArchiveChecksum {
    /// The version of the rules. Must be incremented whenever ``Model/problems(lines:file:)`` detects a new problem or version
    /// hashes are computed differently: models with a matching checksum are not validated again, and their hashes are trusted.
    private static let rules: UInt64 = 1

    /// Computes the checksum. It differs for any two files of the same length that differ in one eight-byte word, and for
    /// almost all others.
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

    /// Mixes a word into the sum. Each step is invertible, so that different inputs remain different.
    @inline(__always)
    private static func add(_ word: UInt64, to sum: inout UInt64) {
        sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
        sum ^= sum >> 32
    }
}
