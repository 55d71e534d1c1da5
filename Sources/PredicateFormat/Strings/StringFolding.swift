import Foundation

/// Folds whole strings, so that a bytewise comparison of the results ignores case, diacritics or both.
public enum StringFolding {
    /// Returns the folded form of UTF-8 text.
    ///
    /// Text is decomposed, so canonically equivalent strings fold alike. Without `caseInsensitive` and `diacriticInsensitive`,
    /// or with `normalized`, the bytes are returned unchanged.
    ///
    /// - Parameters:
    ///   - utf8: the text; invalid bytes are kept.
    ///   - options: `caseInsensitive`, `diacriticInsensitive` or both. `localeSensitive` has no effect.
    public static func fold(_ utf8: UnsafeBufferPointer<UInt8>, _ options: StringComparisonOptions) -> [UInt8] {
        var result: [UInt8] = []
        fold(utf8, options, into: &result)
        return result
    }

    /// Returns the folded form of a string. See ``fold(_:_:)-(UnsafeBufferPointer<UInt8>,_)``.
    public static func fold(_ string: String, _ options: StringComparisonOptions) -> [UInt8] {
        withBytes(of: string) { fold($0, options) }
    }

    /// Appends the folded form of `utf8` to `result`, to reuse its capacity between calls.
    static func fold(
        _ utf8: UnsafeBufferPointer<UInt8>, _ options: StringComparisonOptions, into result: inout [UInt8]
    ) {
        let options = options.folding
        guard !options.isEmpty else {
            result.append(contentsOf: utf8)
            return
        }
        result.reserveCapacity(result.count + utf8.count)
        let lowers = options.contains(.caseInsensitive)
        var position = 0
        var lastExtended = false
        while position < utf8.count {
            let byte = utf8[position]
            if byte < 0x80 {
                result.append(lowers ? lowercaseASCII(byte) : byte)
                position += 1
                lastExtended = false
                continue
            }
            let (value, length) = decode(utf8, at: position)
            if value >= 0x300, FoldingTable.extendsCharacter(value) {
                // Two consecutive marks may be in either order; only their classes determine the canonical one.
                if lastExtended, !options.contains(.diacriticInsensitive) {
                    result.removeAll(keepingCapacity: true)
                    appendNormalized(utf8, options, to: &result)
                    return
                }
                lastExtended = true
            } else {
                lastExtended = false
            }
            append(value, utf8, position, length, options, to: &result)
            position += length
        }
    }

    private static func appendNormalized(
        _ utf8: UnsafeBufferPointer<UInt8>, _ options: StringComparisonOptions, to result: inout [UInt8]
    ) {
        var normalized: [UInt8] = []
        appendEach(utf8, [], to: &normalized)
        CanonicalOrder.sort(&normalized)
        normalized.withUnsafeBufferPointer { appendEach($0, options, to: &result) }
    }

    /// Appends the folded forms of single scalars; without options, their decompositions.
    private static func appendEach(
        _ utf8: UnsafeBufferPointer<UInt8>, _ options: StringComparisonOptions, to result: inout [UInt8]
    ) {
        var position = 0
        while position < utf8.count {
            let (value, length) = decode(utf8, at: position)
            append(value, utf8, position, length, options, to: &result)
            position += length
        }
    }

    @inline(__always)
    private static func append(
        _ value: UInt32, _ utf8: UnsafeBufferPointer<UInt8>, _ position: Int, _ length: Int,
        _ options: StringComparisonOptions, to result: inout [UInt8]
    ) {
        if value < FoldingTable.foldedScalars, length > 1 || value < 0x80 {
            FoldingTable.block(of: value, options).append(Int(value & 0xFF), to: &result)
        } else {
            for index in position..<(position + length) {
                result.append(utf8[index])
            }
        }
    }

    /// Decodes the scalar at `position`; an invalid byte counts as a separate scalar that does not fold.
    static func decode(_ utf8: UnsafeBufferPointer<UInt8>, at position: Int) -> (value: UInt32, length: Int) {
        let first = UInt32(utf8[position])
        let available = utf8.count - position
        func next(_ offset: Int) -> UInt32? {
            let byte = utf8[position + offset]
            return byte & 0xC0 == 0x80 ? UInt32(byte & 0x3F) : nil
        }
        switch first {
        case 0..<0x80:
            return (first, 1)
        case 0xC2..<0xE0 where available >= 2:
            if let a = next(1) { return ((first & 0x1F) << 6 | a, 2) }
        case 0xE0..<0xF0 where available >= 3:
            if let a = next(1), let b = next(2) { return ((first & 0x0F) << 12 | a << 6 | b, 3) }
        case 0xF0..<0xF5 where available >= 4:
            if let a = next(1), let b = next(2), let c = next(3) {
                return ((first & 0x07) << 18 | a << 12 | b << 6 | c, 4)
            }
        default:
            break
        }
        return (.max, 1)
    }

    @inline(__always)
    static func lowercaseASCII(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Calls `body` with the UTF-8 bytes of `string`.
    @inline(__always)
    static func withBytes<Result>(
        of string: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        if let result = try string.utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = string
        return try copy.withUTF8(body)
    }
}

extension StringComparisonOptions {
    /// The part of the options that changes characters.
    var folding: StringComparisonOptions {
        contains(.normalized) ? [] : intersection([.caseInsensitive, .diacriticInsensitive])
    }

    /// The same options for Foundation's comparisons.
    var foundationOptions: String.CompareOptions {
        var options: String.CompareOptions = []
        if folding.contains(.caseInsensitive) { options.insert(.caseInsensitive) }
        if folding.contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
        return options
    }
}
