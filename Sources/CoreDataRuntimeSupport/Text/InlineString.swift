import CCoreDataRuntime

/// Creates strings from the text in slabs.
///
/// Text of at most 15 bytes is stored inside the string: two words with the bytes, the count, and whether all are ASCII. Most
/// texts are names, codes and words, so ASCII text of that length is assembled here instead of being validated and copied by
/// the standard library. The form is part of Swift's stable ABI and the same on other platforms; it is verified once at run
/// time, with a fallback to the ordinary initializers.
@usableFromInline
package enum InlineString {
    @usableFromInline
    package static func string(_ bytes: UnsafeRawBufferPointer) -> String {
        guard bytes.count <= largestInline, isSupported, let string = inlineString(bytes) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        return string
    }

    private static let largestInline = 15
    private static let notASCII: UInt64 = 0x8080_8080_8080_8080

    /// Whether strings have the known form.
    package static var isSupported: Bool { MemoryAssumption.holds(CCoreDataRuntimeShortText, isAsDescribed) }

    private static func isAsDescribed() -> Bool {
        guard MemoryAssumption.allowsShortcuts, MemoryLayout<String>.size == 16, MemoryLayout<UInt>.size == 8,
            UInt16(1).littleEndian == 1
        else {
            return false
        }
        let text = Array("Straße 0123456789abcdef".utf8)
        return text.withUnsafeBytes { text in
            for count in 0...largestInline {
                // Tests ranges that include the non-ASCII letter, follow it, and extend to the end.
                for start in [0, 6, text.count - count] {
                    let bytes = UnsafeRawBufferPointer(rebasing: text[start..<start + count])
                    guard let made = words(bytes) else { continue }
                    let usual = unsafeBitCast(String(decoding: bytes, as: UTF8.self), to: (UInt64, UInt64).self)
                    guard made == usual else { return false }
                }
            }
            return true
        }
    }

    @inline(__always)
    private static func inlineString(_ bytes: UnsafeRawBufferPointer) -> String? {
        words(bytes).map { unsafeBitCast($0, to: String.self) }
    }

    /// Returns the two words of a string of at most 15 bytes; nil if they are not all ASCII. Reads no byte beyond them.
    @inline(__always)
    private static func words(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64)? {
        let count = bytes.count
        var low: UInt64 = 0
        var high: UInt64 = 0
        if count >= 8 {
            low = bytes.loadUnaligned(as: UInt64.self)
            high = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self) >> UInt64(128 - count * 8)
        } else if count >= 4 {
            low = UInt64(bytes.loadUnaligned(as: UInt32.self))
            low |= UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)) << UInt64(count * 8 - 32)
        } else if count > 0 {
            low = UInt64(bytes[0]) | UInt64(bytes[count / 2]) << UInt64(count / 2 * 8)
            low |= UInt64(bytes[count - 1]) << UInt64((count - 1) * 8)
        }
        guard (low | high) & notASCII == 0 else { return nil }
        return (low, high | (0xE0 | UInt64(count)) << 56)
    }
}
