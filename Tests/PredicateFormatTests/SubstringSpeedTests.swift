import PredicateFormat
import Testing

/// Substring searches in texts that resemble the needle everywhere.
@Suite struct SubstringSpeedTests {
    @Test(arguments: ["", "[c]", "[d]", "[cd]"])
    func longNeedlesTakeLinearTime(_ options: String) throws {
        let text = String(repeating: "a", count: 100_000)
        let start = String(repeating: "a", count: 5_000)
        for (subject, needle, expected) in [
            (text, start + "b", false), (text, "b" + start, false), (text + "b", start + "b", true),
            (text + "é", start + "e", options.contains("d")), (text + "é", start + "ü", false),
        ] {
            let predicate = NSPredicate(format: "SELF CONTAINS\(options) %@", needle)
            let duration = ContinuousClock().measure { #expect(predicate.evaluate(with: subject) == expected) }
            // Comparing at each place takes several seconds without optimisation.
            #expect(duration < .seconds(1), "\(options) \(duration)")
        }
    }

    @Test func findsWhatIsThere() throws {
        // Two letters, so that needles overlap with themselves; long texts, so that every way of searching is taken.
        var state: UInt64 = 42
        func letters(_ count: Int, _ alphabet: [Character]) -> String {
            String(
                (0..<count).map { _ in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return alphabet[Int(state >> 33) % alphabet.count]
                })
        }
        for alphabet in [["a", "B"], ["a", "é"], ["a", "a", "a", "a", "b"]] as [[Character]] {
            for _ in 0..<30 {
                let text = letters(2_000, alphabet) + letters(30, ["a"]) + letters(600, alphabet)
                let begin = Int(state >> 40) % 2_000
                let there = String(text.dropFirst(begin).prefix(300 + begin % 200))
                let notThere = letters(12, ["a", "c"]) + "c"
                for options in ["", "[c]", "[cd]"] {
                    let format = "SELF CONTAINS\(options) %@"
                    #expect(NSPredicate(format: format, there).evaluate(with: text))
                    #expect(!NSPredicate(format: format, there + notThere).evaluate(with: text))
                }
            }
        }
        // A match counts only where a character ends, also after many that fail.
        let marks = String(repeating: "ae\u{301}", count: 4_000)
        let needle = String(repeating: "ae\u{301}", count: 200) + "ae"
        #expect(!NSPredicate(format: "SELF CONTAINS[c] %@", needle).evaluate(with: marks))
        #expect(NSPredicate(format: "SELF CONTAINS[cd] %@", needle).evaluate(with: marks))
        #expect(NSPredicate(format: "SELF CONTAINS[c] %@", needle).evaluate(with: marks + "ae"))
    }
}
