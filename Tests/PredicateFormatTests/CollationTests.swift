import Foundation
import PredicateFormat
import MagicalRecordTestSupport
import Testing

/// The orders of text. Each must be one: sorting gives what it gives by whatever way (the contract of every sort).
@Suite struct CollationTests {
    static let orders: [StringCollation] = [
        .binary, .folded(.caseInsensitive), .localized([]), .localized(.caseInsensitive),
        .localized([.caseInsensitive, .diacriticInsensitive]), .localizedStandard,
    ]

    /// Characters that stand for several, are written in several ways, or differ in case alone in one language only.
    private static let parts = [
        "ﬁ", "fi", "FI", "ﬀ", "ﬃ", "ﬅ", "f", "i", "s", "ß", "ẞ", "ss", "SS", "ſ", "é", "e\u{301}", "e", "E", "\u{301}",
        "\u{323}", "\u{345}", "ᾳ", "ΐ", "Å", "\u{212B}", "A", "a", "a\u{30A}", "İ", "I", "ı", "i\u{307}", "가",
        "\u{1100}",
        "\u{1161}", "ŉ", "ʼn", "ａ", "Ａ", "ｱ", "ｶﾞ", "ガ", "\u{3000}", "①", "½", "1", "01", "2", "10", "", " ", "-", "ǆ",
        "dž", "ς", "σ", "Σ", "\u{AD}", "あ", "😀",
    ]

    /// What one order contradicts itself in: two texts each before the other, or three in a circle.
    private static func contradiction(_ order: StringCollation, _ a: String, _ b: String, _ c: String) -> String? {
        let (ab, bc, ac) = (order.compare(a, b).rawValue, order.compare(b, c).rawValue, order.compare(a, c).rawValue)
        if order.compare(b, a).rawValue != -ab { return "\(a) \(b)" }
        guard ab <= 0, bc <= 0, ac > 0 || (ac == 0 && ab + bc < 0) else { return nil }
        return "\(a) \(b) \(c)"
    }

    @Test(.slow, arguments: orders) func noOrderContradictsItself(_ order: StringCollation) {
        var random = Seeded(state: 11)
        func text(_ most: Int) -> String {
            (0..<Int.random(in: 0...most, using: &random)).map { _ in Self.parts.randomElement(using: &random)! }
                .joined()
        }
        var found: [String] = []
        for most in [1, 2, 4] {
            for _ in 0..<LongForm.choose(1000, long: 4000) {
                if let mistake = Self.contradiction(order, text(most), text(most), text(most)) { found.append(mistake) }
            }
        }
        #expect(found.isEmpty)
        // Pairs that Foundation orders either way.
        for (a, b) in [
            ("ﬁ", "fΩ"), ("ﬀn", "fΩ"), ("ﬃ", "ﬀﬃ"), ("\u{1100}a\u{30A}", "가"), ("ſéω", "ß"), ("sñ", "ẞ"),
            ("sａÅ2", "ẞÅ1e"),
        ] {
            #expect(order.compare(a, b).rawValue == -order.compare(b, a).rawValue, "\(a) \(b)")
        }
    }

    /// Ligatures count as their letters, "ß" as "ss" where case does not matter. Plain text sorts as Foundation sorts it.
    @Test func charactersThatStandForSeveral() {
        #expect(StringCollation.localized(.caseInsensitive).compare("ﬁn", "FIN") == .orderedSame)
        #expect(StringCollation.localized(.caseInsensitive).compare("Straße", "STRASSE") == .orderedSame)
        for order in Self.orders.dropFirst() {
            let sorted = ["ﬁnch", "fig", "fjord", "fir", "fa"].sorted { order.compare($0, $1) == .orderedAscending }
            #expect(sorted == ["fa", "fig", "ﬁnch", "fir", "fjord"])
        }
        #expect(StringCollation.localizedStandard.compare("file9", "File10") == .orderedAscending)
        #expect(StringCollation.localizedStandard.compare("ﬁ", "fi") == .orderedDescending)
        #expect(StringCollation.localizedStandard.compare("a", "A") == "a".localizedStandardCompare("A"))
        let words = ["", "a", "A", "b", "É", "é", "Zoë", "zoo", "10", "9", "a-b", "a b", "日本"]
        for a in words {
            for b in words {
                #expect(StringCollation.localizedStandard.compare(a, b) == a.localizedStandardCompare(b), "\(a) \(b)")
                #expect(StringCollation.localized([]).compare(a, b) == a.localizedCompare(b), "\(a) \(b)")
                #expect(
                    StringCollation.localized(.caseInsensitive).compare(a, b) == a.localizedCaseInsensitiveCompare(b),
                    "\(a) \(b)")
            }
        }
    }
}

/// A generator with a fixed beginning, for repeatable tests.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
