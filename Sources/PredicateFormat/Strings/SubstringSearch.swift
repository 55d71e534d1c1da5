import CoreDataRuntimeSupport
import Foundation

/// Finds a folded needle in text. Unchecked because of the needle's buffer, which is never modified; reading it needs no retain
/// and release.
final class SubstringSearch: @unchecked Sendable {
    enum Position: Sendable {
        case start
        case end
        case anywhere
    }

    /// The needle, folded.
    private let needle: UnsafeBufferPointer<UInt8>
    private let options: StringComparisonOptions
    private let needleIsASCII: Bool
    /// The borders of the needle, computed for the first text on which the naive search takes too long.
    private let borders = MadeOnce<NeedleBorders>()

    init(_ needle: String, _ options: StringComparisonOptions) {
        let folded = StringFolding.fold(needle, options)
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: folded.count)
        _ = memory.initialize(from: folded)
        self.needle = UnsafeBufferPointer(memory)
        self.options = options
        needleIsASCII = folded.allSatisfy { $0 < 0x80 }
    }

    deinit { needle.deallocate() }

    /// Returns whether `text` equals the needle.
    func equals(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        if options.isEmpty {
            return text.count == needle.count && hasBytes(text, at: 0)
        }
        if needleIsASCII, Self.isASCII(text) {
            return text.count == needle.count && hasFoldedBytes(text, at: 0)
        }
        return StringFolding.fold(text, options).elementsEqual(needle)
    }

    /// Returns whether `text` contains the needle at `position`. An empty needle is never found.
    func isFound(in text: UnsafeBufferPointer<UInt8>, _ position: Position) -> Bool {
        guard !needle.isEmpty else { return false }
        if options.isEmpty { return isFoundLiterally(in: text, position) }
        if Self.isASCII(text) { return needleIsASCII && isFoundInASCII(text, position) }
        return StringFolding.fold(text, options).withUnsafeBufferPointer { isFoundFolded(in: $0, position) }
    }

    private func isFoundLiterally(in text: UnsafeBufferPointer<UInt8>, _ position: Position) -> Bool {
        guard text.count >= needle.count else { return false }
        switch position {
        case .start: return hasBytes(text, at: 0)
        case .end: return hasBytes(text, at: text.count - needle.count)
        case .anywhere: return contains(text) { _ in true }
        }
    }

    private func isFoundInASCII(_ text: UnsafeBufferPointer<UInt8>, _ position: Position) -> Bool {
        let last = text.count - needle.count
        guard last >= 0 else { return false }
        switch position {
        case .start: return hasFoldedBytes(text, at: 0)
        case .end: return hasFoldedBytes(text, at: last)
        case .anywhere: break
        }
        guard options.contains(.caseInsensitive) else { return contains(text) { _ in true } }
        guard let base = text.baseAddress else { return false }
        let first = needle[0]
        // In ASCII the cases of a letter differ in one bit, and setting it turns nothing else into a letter.
        let caseBit: UInt8 = first &- 0x61 < 26 ? 0x20 : 0
        var place = base
        let end = base + last
        var effort = 0
        while place <= end {
            if place.pointee | caseBit == first {
                let equal = foldedPrefix(text, at: place - base)
                if equal == needle.count { return true }
                effort += equal
                if effort > Self.effort(for: text) {
                    return automaton.contains(needle, in: text, from: place - base, lowers: true) { _ in true }
                }
            }
            place += 1
        }
        return false
    }

    /// Searches folded text. A match must end at a character boundary: `e` is not in a decomposed `é`.
    private func isFoundFolded(in text: UnsafeBufferPointer<UInt8>, _ position: Position) -> Bool {
        let last = text.count - needle.count
        guard last >= 0 else { return false }
        switch position {
        case .start:
            return hasBytes(text, at: 0) && Self.endsCharacter(text, needle.count)
        case .end:
            return hasBytes(text, at: last)
        case .anywhere:
            return contains(text) { Self.endsCharacter(text, $0) }
        }
    }

    /// Returns whether `text` contains the needle, which is not empty, with an end that `accept` approves.
    ///
    /// Compares at each occurrence of the first byte, which is fastest for most texts. If that exceeds its effort limit,
    /// because the worst case is the product of the lengths, the search continues with ``NeedleBorders``, which reads every
    /// byte once.
    private func contains(_ text: UnsafeBufferPointer<UInt8>, _ accept: (Int) -> Bool) -> Bool {
        guard let base = text.baseAddress, let pattern = needle.baseAddress else { return false }
        var (start, effort) = (0, 0)
        while start + needle.count <= text.count {
            let room = text.count - needle.count - start + 1
            guard let found = memchr(base + start, Int32(needle[0]), room) else { return false }
            start = UnsafeRawPointer(found) - UnsafeRawPointer(base)
            let head = min(needle.count, 16)
            if memcmp(base + start, pattern, head) == 0 {
                if memcmp(base + start, pattern, needle.count) == 0, accept(start + needle.count) { return true }
                effort += needle.count
                if effort > Self.effort(for: text) {
                    return automaton.contains(needle, in: text, from: start + 1, lowers: false, accept)
                }
            }
            start += 1
        }
        return false
    }

    /// Returns the limit of wasted byte comparisons, beyond the first few at a position.
    private static func effort(for text: UnsafeBufferPointer<UInt8>) -> Int { 1024 + 2 * text.count }

    private var automaton: NeedleBorders {
        borders.load() ?? borders.storeIfNil(NeedleBorders(needle))
    }

    /// Returns the number of bytes of the needle that match `text` at `offset`, ignoring case.
    @inline(__always)
    private func foldedPrefix(_ text: UnsafeBufferPointer<UInt8>, at offset: Int) -> Int {
        var index = 0
        while index < needle.count, StringFolding.lowercaseASCII(text[offset + index]) == needle[index] { index += 1 }
        return index
    }

    private static func endsCharacter(_ text: UnsafeBufferPointer<UInt8>, _ end: Int) -> Bool {
        guard end < text.count, text[end] >= 0x80 else { return true }
        return !FoldingTable.extendsCharacter(StringFolding.decode(text, at: end).value)
    }

    private func hasBytes(_ text: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
        guard !needle.isEmpty else { return true }
        return memcmp(text.baseAddress! + offset, needle.baseAddress!, needle.count) == 0
    }

    @inline(__always)
    private func hasFoldedBytes(_ text: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
        guard options.contains(.caseInsensitive) else { return hasBytes(text, at: offset) }
        var index = 0
        while index < needle.count {
            if StringFolding.lowercaseASCII(text[offset + index]) != needle[index] { return false }
            index += 1
        }
        return true
    }

    /// Returns whether every byte is ASCII. Tests eight bytes at a time; the last eight may overlap those before.
    @inline(__always)
    static func isASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = UnsafeRawBufferPointer(text)
        var seen: UInt64 = 0
        if bytes.count >= 8 {
            var index = 0
            let last = bytes.count - 8
            while index < last {
                seen |= bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                index += 8
            }
            seen |= bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self)
        } else {
            for byte in bytes { seen |= UInt64(byte) }
        }
        return seen & 0x8080_8080_8080_8080 == 0
    }
}
