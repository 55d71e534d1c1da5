import PredicateFormat
import Testing

@Suite struct MatchingTests {
    /// Apple's framework would not come back.
    @Test func anEndlessExpressionMatchesNothing() {
        #expect(!NSPredicate(format: "SELF MATCHES '(x+x+)+y'").evaluate(with: String(repeating: "x", count: 40)))
    }

    @Test func theClassicalSlowExpressionThrows() {
        let error = #expect(throws: PredicateEvaluationError.self) {
            try NSPredicate(format: "SELF MATCHES '(a+)+'").evaluateThrowing(
                with: String(repeating: "a", count: 40) + "!")
        }
        #expect(error?.code == .tooExpensive)
    }

    @Test func longTextsAreFine() throws {
        let text = String(repeating: "abc ", count: 20_000) + "end"
        #expect(try NSPredicate(format: "SELF MATCHES '(abc )*end'").evaluateThrowing(with: text))
        #expect(try NSPredicate(format: "SELF LIKE '*a*b*c*end'").evaluateThrowing(with: text))
    }

    @Test func matchersAreReusable() throws {
        let matcher = try StringMatcher(.matches, needle: "[a-c]+", options: .caseInsensitive)
        #expect(try matcher.matches("ABC"))
        #expect(try !matcher.matches("abd"))
        #expect(throws: PredicateEvaluationError.self) { try StringMatcher(.matches, needle: "(") }
        #expect(throws: PredicateEvaluationError.self) { try StringMatcher(.in, needle: "a") }
    }

    /// The right side may come from the object; it is compiled anew only when it changes.
    @Test func patternsFromTheObject() throws {
        let predicate = NSPredicate(format: "text MATCHES pattern")
        #expect(predicate.evaluate(with: ["text": "abc", "pattern": "a.c"]))
        #expect(predicate.evaluate(with: ["text": "aac", "pattern": "a.c"]))
        #expect(!predicate.evaluate(with: ["text": "abc", "pattern": "a"]))
        #expect(throws: PredicateEvaluationError.self) {
            try predicate.evaluateThrowing(with: ["text": "abc", "pattern": "("])
        }
    }

    /// Only letters have a case: `@` and the backtick, a bit apart as `A` and `a` are, stay different.
    @Test(arguments: [
        ("ANNA Karenina", "annak", false), ("ANNA Karenina", "a K", true), ("Z@home", "z@", true),
        ("Z@home", "z`", false),
        ("`", "@", false), ("a[1]", "A[1", true), ("a[1]", "A{1", false), ("xyz", "Z", true), ("xyz", "xyzz", false),
        ("12345678é", "8É", true), ("é12345678", "É1", true), ("1234567é", "8", false), ("cafe\u{301}", "CAFE", false),
    ])
    func caseIsIgnoredInLettersOnly(text: String, needle: String, isFound: Bool) throws {
        let matcher = try StringMatcher(.contains, needle: needle, options: .caseInsensitive)
        #expect(try matcher.matches(text) == isFound)
        #expect(NSPredicate(format: "SELF CONTAINS[c] %@", needle).evaluate(with: text) == isFound)
        for filler in 0..<20 {
            let long = String(repeating: "-", count: filler) + text + String(repeating: "-", count: 20 - filler)
            #expect(try matcher.matches(long) == isFound)
        }
        #expect(try StringMatcher(.beginsWith, needle: needle, options: .caseInsensitive).matches(needle + text))
        #expect(try StringMatcher(.endsWith, needle: needle, options: .caseInsensitive).matches(text + needle))
        #expect(try StringMatcher(.equalTo, needle: needle, options: .caseInsensitive).matches(needle))
        #expect(try !StringMatcher(.notEqualTo, needle: needle, options: .caseInsensitive).matches(needle))
    }
}
