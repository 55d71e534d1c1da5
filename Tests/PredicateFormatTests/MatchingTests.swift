import PredicateFormat
import Testing

@Suite struct MatchingTests {
    /// Expressions like these take time exponential in the length of the text; Apple's framework would not come back.
    @Test(arguments: ["(a+)+", "(a|a)*b", "(x+x+)+y", "([a-z]+)*\\d"])
    func slowExpressionsAreGivenUp(_ pattern: String) throws {
        let text = String(repeating: "a", count: 40) + String(repeating: "x", count: 40) + "!"
        let predicate = NSPredicate(format: "SELF MATCHES %@ OR SELF MATCHES %@", "[ax]+\(pattern)", pattern)
        #expect(!predicate.evaluate(with: text))
        do {
            #expect(try !predicate.evaluateThrowing(with: text))
        } catch let error as PredicateEvaluationError {
            #expect(error.code == .tooExpensive)
            #expect(error.message.contains("too many steps"))
        }
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
