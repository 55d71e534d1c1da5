import Foundation
import PredicateFormat

/// The results of `StringFolding` for single scalars beyond ASCII, except Hangul syllables.
struct FoldingTables: Sendable {
    static let shared = FoldingTables()

    typealias Entry = (key: Unicode.Scalar, value: String)

    /// The decompositions of scalars.
    private(set) var decompositions: [Entry] = []
    /// The scalars that differ from their form without case, without those that are decomposed.
    private(set) var cases: [Entry] = []
    /// The combining classes of marks.
    private(set) var classes: [Entry] = []
    /// Scalars that are the folded form of others, and have another folded form themselves.
    private(set) var chains: [(String, String)] = []
    /// The ranges of diacritics, as content of a bracket expression.
    let diacritics: String

    /// The ranges of scalars that extend a character.
    static let marks: String = {
        var ranges = ScalarRanges()
        for value in 0x300..<FoldingTable.foldedScalars where FoldingTable.extendsCharacter(value) { ranges.add(value) }
        return ranges.content
    }()

    private init() {
        var diacritics = ScalarRanges()
        var folded: [Unicode.Scalar: String] = [:]
        for value in UInt32(0x80)..<FoldingTable.foldedScalars where !(0xAC00..<0xD7A4).contains(value) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(scalar)
            let isFolded = !Self.isSame(Self.folded(text, [.caseInsensitive, .diacriticInsensitive]), text)
            let combining = scalar.properties.canonicalCombiningClass.rawValue
            if combining > 0 { classes.append((scalar, String(combining))) }
            guard isFolded else { continue }
            let plain = Self.folded(text, .diacriticInsensitive)
            let lowered = Self.folded(text, .caseInsensitive)
            if plain.isEmpty { diacritics.add(value) }
            let decomposed = text.decomposedStringWithCanonicalMapping
            if !Self.isSame(decomposed, text) {
                decompositions.append((scalar, decomposed))
            } else if !Self.isSame(lowered, text) {
                cases.append((scalar, lowered))
                folded[scalar] = lowered
            }
        }
        self.diacritics = diacritics.content
        chains = Set(cases.flatMap { $0.value.unicodeScalars.map(String.init) }).sorted()
            .compactMap { text in text.unicodeScalars.first.flatMap { folded[$0] }.map { (text, $0) } }
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.unicodeScalars.elementsEqual(right.unicodeScalars)
    }

    private static func folded(_ text: String, _ options: StringComparisonOptions) -> String {
        String(decoding: StringFolding.fold(text, options), as: UTF8.self)
    }
}

/// Ranges of scalars, written as the content of a bracket expression.
private struct ScalarRanges {
    private var ranges: [ClosedRange<UInt32>] = []

    mutating func add(_ value: UInt32) {
        if let last = ranges.last, last.upperBound + 1 == value {
            ranges[ranges.count - 1] = last.lowerBound...value
        } else {
            ranges.append(value...value)
        }
    }

    var content: String {
        ranges.map { range in
            range.count == 1
                ? Self.escaped(range.lowerBound) : "\(Self.escaped(range.lowerBound))-\(Self.escaped(range.upperBound))"
        }.joined()
    }

    private static func escaped(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        let length = value > 0xFFFF ? 8 : 4
        return (length == 8 ? "\\U" : "\\u") + String(repeating: "0", count: length - digits.count) + digits
    }
}
