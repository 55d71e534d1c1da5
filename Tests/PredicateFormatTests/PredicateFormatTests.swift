import PredicateFormat
import Testing

@Suite struct FirstSteps {
    @Test func parsesPrintsAndEvaluates() {
        let predicate = NSPredicate(format: "age >= %d AND name BEGINSWITH[c] %@", 18, "an")
        #expect(predicate.predicateFormat == "age >= 18 AND name BEGINSWITH[c] \"an\"")
        #expect(predicate.evaluate(with: ["age": 20, "name": "Anna"]))
    }
}
