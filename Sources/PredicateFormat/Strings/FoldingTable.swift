import CoreDataRuntimeSupport
import Foundation

/// The folded forms of single Unicode scalars, with case or diacritics ignored, as UTF-8.
///
/// Entries are computed in blocks of 256 scalars on first use and are immutable. Above plane 1 no scalar folds.
package enum FoldingTable {
    /// The folded forms of 256 consecutive scalars.
    final class Block: Sendable {
        /// The end offset in `bytes` of each scalar; it starts at the end offset of its predecessor.
        let ends: [UInt16]
        let bytes: [UInt8]

        init(first: UInt32, options: StringComparisonOptions) {
            var ends: [UInt16] = []
            var bytes: [UInt8] = []
            for value in first..<(first + 256) {
                if let scalar = Unicode.Scalar(value) {
                    bytes.append(contentsOf: FoldingTable.fold(scalar, options).utf8)
                }
                ends.append(UInt16(bytes.count))
            }
            self.ends = ends
            self.bytes = bytes
        }

        @inline(__always)
        func append(_ index: Int, to result: inout [UInt8]) {
            var position = index == 0 ? 0 : Int(ends[index - 1])
            let end = Int(ends[index])
            while position < end {
                result.append(bytes[position])
                position += 1
            }
        }
    }

    package static let foldedScalars: UInt32 = 0x20000
    private static let blocksPerKind = Int(foldedScalars / 256)

    nonisolated(unsafe) private static let blocks: UnsafeMutablePointer<MadeOnce<Block>> = {
        let count = blocksPerKind * 4
        let pointer = UnsafeMutablePointer<MadeOnce<Block>>.allocate(capacity: count)
        for index in 0..<count {
            (pointer + index).initialize(to: MadeOnce())
        }
        return pointer
    }()

    /// Returns the block of `scalar`, which must be below ``foldedScalars``.
    static func block(of scalar: UInt32, _ options: StringComparisonOptions) -> Block {
        let number = Int(scalar >> 8)
        let slot = blocks + (Int(options.rawValue & 3) * blocksPerKind + number)
        if let block = slot.pointee.load() { return block }
        return slot.pointee.storeIfNil(Block(first: UInt32(number) << 8, options: options))
    }

    private static func fold(_ scalar: Unicode.Scalar, _ options: StringComparisonOptions) -> String {
        var result = String.UnicodeScalarView()
        for part in String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars {
            if options.contains(.diacriticInsensitive), isDiacritic(part) { continue }
            if options.contains(.caseInsensitive) {
                result.append(contentsOf: foldCase(part))
            } else {
                result.append(part)
            }
        }
        return String(result)
    }

    /// Returns the lowercase of the uppercase of `scalar`, which folds `ß` to `ss` and final sigma to sigma. The Turkish
    /// dotless `ı` remains distinct.
    private static func foldCase(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView {
        guard scalar.value != 0x131 else { return String(scalar).unicodeScalars }
        var result = String.UnicodeScalarView()
        for upper in scalar.properties.uppercaseMapping.unicodeScalars {
            result.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
        }
        return result
    }

    /// Returns whether `scalar` is a combining mark of the Latin, Greek or Cyrillic scripts. Marks of other scripts (vowel
    /// signs, voicing marks) are kept, as in Foundation.
    static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x300...0x36F, 0x483...0x487, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
        default: false
        }
    }

    /// Returns whether the scalar extends the preceding character: combining marks, and the later parts of Hangul syllables.
    package static func extendsCharacter(_ value: UInt32) -> Bool {
        guard value >= 0x300, let scalar = Unicode.Scalar(value) else { return false }
        if case 0x1160...0x11FF = value { return true }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return true
        default: return false
        }
    }
}
