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
}
