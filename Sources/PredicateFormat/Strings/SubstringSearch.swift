import Foundation

/// Finds a folded needle in text.
struct SubstringSearch: Sendable {
    enum Position: Sendable {
        case start
        case end
        case anywhere
    }

    /// The needle, folded.
    private let needle: [UInt8]
    private let options: StringComparisonOptions
    private let needleIsASCII: Bool

    init(_ needle: String, _ options: StringComparisonOptions) {
        self.needle = StringFolding.fold(needle, options)
        self.options = options
        needleIsASCII = self.needle.allSatisfy { $0 < 0x80 }
    }

    /// Whether `text` is the needle.
    func equals(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        needle.withUnsafeBufferPointer { needle in
            if options.isEmpty {
                return text.count == needle.count && Self.hasBytes(needle, in: text, at: 0)
            }
            if needleIsASCII, Self.isASCII(text) {
                return text.count == needle.count && hasFoldedBytes(needle, in: text, at: 0)
            }
            return StringFolding.fold(text, options).elementsEqual(needle)
        }
    }

    /// Whether the needle stands in `text` at `position`. An empty needle is never found.
    func isFound(in text: UnsafeBufferPointer<UInt8>, _ position: Position) -> Bool {
        guard !needle.isEmpty else { return false }
        return needle.withUnsafeBufferPointer { needle in
            if options.isEmpty {
                return isFoundLiterally(needle, in: text, position)
            }
            if Self.isASCII(text) {
                return needleIsASCII && isFoundInASCII(needle, in: text, position)
            }
            return StringFolding.fold(text, options).withUnsafeBufferPointer { folded in
                isFoundFolded(needle, in: folded, position)
            }
        }
    }

    private func isFoundLiterally(
        _ needle: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, _ position: Position
    ) -> Bool {
        guard text.count >= needle.count else { return false }
        switch position {
        case .start: return Self.hasBytes(needle, in: text, at: 0)
        case .end: return Self.hasBytes(needle, in: text, at: text.count - needle.count)
        case .anywhere: return Self.find(needle, in: text, from: 0) != nil
        }
    }

    private func isFoundInASCII(
        _ needle: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, _ position: Position
    ) -> Bool {
        let last = text.count - needle.count
        guard last >= 0 else { return false }
        switch position {
        case .start: return hasFoldedBytes(needle, in: text, at: 0)
        case .end: return hasFoldedBytes(needle, in: text, at: last)
        case .anywhere: break
        }
        guard options.contains(.caseInsensitive) else {
            return Self.find(needle, in: text, from: 0) != nil
        }
        let first = needle[0]
        var start = 0
        while start <= last {
            if StringFolding.lowercaseASCII(text[start]) == first, hasFoldedBytes(needle, in: text, at: start) {
                return true
            }
            start += 1
        }
        return false
    }

    /// Searches folded text. A match counts only where a character ends: `e` is not in a decomposed `é`.
    private func isFoundFolded(
        _ needle: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, _ position: Position
    ) -> Bool {
        let last = text.count - needle.count
        guard last >= 0 else { return false }
        switch position {
        case .start:
            return Self.hasBytes(needle, in: text, at: 0) && Self.endsCharacter(text, needle.count)
        case .end:
            return Self.hasBytes(needle, in: text, at: last)
        case .anywhere:
            var start = 0
            while start <= last, let found = Self.find(needle, in: text, from: start) {
                if Self.endsCharacter(text, found + needle.count) { return true }
                start = found + 1
            }
            return false
        }
    }

    /// Where `needle`, which is not empty, is first found at or after `start`.
    private static func find(
        _ needle: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Int? {
        guard let base = text.baseAddress else { return nil }
        var start = start
        while start + needle.count <= text.count {
            let room = text.count - needle.count - start + 1
            guard let found = memchr(base + start, Int32(needle[0]), room) else { return nil }
            start = UnsafeRawPointer(found) - UnsafeRawPointer(base)
            if memcmp(base + start, needle.baseAddress!, needle.count) == 0 { return start }
            start += 1
        }
        return nil
    }

    private static func endsCharacter(_ text: UnsafeBufferPointer<UInt8>, _ end: Int) -> Bool {
        guard end < text.count, text[end] >= 0x80 else { return true }
        return !FoldingTable.extendsCharacter(StringFolding.decode(text, at: end).value)
    }

    private static func hasBytes(
        _ needle: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, at offset: Int
    ) -> Bool {
        guard !needle.isEmpty else { return true }
        return memcmp(text.baseAddress! + offset, needle.baseAddress!, needle.count) == 0
    }

    @inline(__always)
    private func hasFoldedBytes(
        _ needle: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, at offset: Int
    ) -> Bool {
        guard options.contains(.caseInsensitive) else { return Self.hasBytes(needle, in: text, at: offset) }
        var index = 0
        while index < needle.count {
            if StringFolding.lowercaseASCII(text[offset + index]) != needle[index] { return false }
            index += 1
        }
        return true
    }

    /// Whether every byte is ASCII, eight at a time.
    static func isASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = UnsafeRawBufferPointer(text)
        var index = 0
        while index + 8 <= bytes.count {
            if bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 {
                return false
            }
            index += 8
        }
        while index < bytes.count {
            if bytes[index] >= 0x80 { return false }
            index += 1
        }
        return true
    }
}
