/// The number of columns that texts take on terminals.
package enum DisplayWidth {
    /// Returns the columns of a text without control characters.
    package static func of(_ text: some StringProtocol) -> Int {
        if let count = text.utf8.withContiguousStorageIfAvailable(asciiCount) ?? nil { return count }
        return text.reduce(0) { $0 + of($1) }
    }

    private static func asciiCount(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        bytes.allSatisfy { $0 < 0x80 } ? bytes.count : nil
    }

    /// Returns the columns of a character: 0, 1 or 2.
    package static func of(_ character: Character) -> Int {
        if character.isASCII { return 1 }
        let scalars = character.unicodeScalars
        // A base with the emoji variation selector, a flag, or a sequence of joined emoji.
        let isEmoji = scalars.contains { $0.value == 0xfe0f } && scalars.first?.properties.isEmoji == true
        if isEmoji || scalars.first.map(isRegionalIndicator) == true && scalars.count > 1 { return 2 }
        return scalars.reduce(0) { max($0, of($1)) }
    }

    private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool { 0x1f1e6...0x1f1ff ~= scalar.value }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return value == 0xad ? 1 : (value < 0x20 || 0x7f..<0xa0 ~= value ? 0 : 1) }
        if scalar.properties.isEmojiPresentation, !isRegionalIndicator(scalar) { return 2 }
        // Vowels and final consonants of Hangul, which join the consonant before them.
        if 0x1160...0x11ff ~= value { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return isWide(value) ? 2 : 1
        }
    }

    /// Returns whether Unicode's East Asian width is wide or fullwidth.
    private static func isWide(_ value: UInt32) -> Bool {
        guard value >= 0x1100 else { return false }
        return wide.contains { $0.contains(value) }
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff,
        0xa000...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f,
        0xff01...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18cff, 0x1aff0...0x1b2ff, 0x1f200...0x1f265,
        0x20000...0x2fffd, 0x30000...0x3fffd,
    ]
}

/// Texts as they are shown on terminals.
package enum CellText {
    /// Returns a text with control characters, line separators and changes of direction as escapes, so that data can
    /// neither move the cursor nor hide text.
    package static func escaped(_ text: String, keepsNewlines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: needsEscape) else { return text }
        // Appending to a view of scalars would copy it.
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            guard needsEscape(scalar), !keepsNewlines || scalar != "\n" else {
                result += Unicode.UTF8.encode(scalar) ?? .init()
                continue
            }
            switch scalar {
            case "\n": result += "\\n".utf8
            case "\r": result += "\\r".utf8
            case "\t": result += "\\t".utf8
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                let isShort = scalar.value < 0x100
                let padding = String(repeating: "0", count: max(0, (isShort ? 2 : 4) - digits.count))
                result += "\\\(isShort ? "x" : "u")\(padding)\(digits)".utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069, 0xfeff: true
        default: false
        }
    }

    /// Returns a text in at most a number of columns, with … for what is cut off.
    package static func cut(_ text: String, to width: Int) -> String {
        guard DisplayWidth.of(text) > width else { return text }
        guard width > 1 else { return width == 1 ? "…" : "" }
        var result = ""
        var rest = width - 1
        for character in text {
            rest -= DisplayWidth.of(character)
            if rest < 0 { break }
            result.append(character)
        }
        return result + "…"
    }
}
