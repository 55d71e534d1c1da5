import PredicateFormat
import Testing

@Suite struct ErrorTests {
    @Test(arguments: [
        "a ==", "a NOT IN {1}", "", "a", "a == 1 AND", "(a == 1", "a == 1)", "a == 'x", "AND a == 1", "a = = 1",
        "a == 1 b == 2", "size > 2", "a IS NULL", "a == $", "a == #", "ANY a", "a ==[q] 'x'", "a == {1, 2", "a[1 == 2",
        "SUBQUERY(a, x, b == 1).@count > 0", "TERNARY(a, 1, 2) == 1", "NOT 3", "a == 1 == 2", "(a == 1) + 2 == 3",
        "1a == 2",
        "0xZZ == 1", "'\\x1' == a", "a == 99999999999999999999999999x", "a UTI-CONFORMS-TO 'b'", "a. == 1",
        "a == \u{1}",
        "{a == 1} == 2", "(a == 1).b == 2", "-(a == 1) == 2", "CAST(1) == 2", "FETCH(1) == 2",
    ])
    func badFormat(_ format: String) {
        let error = #expect(throws: PredicateFormatError.self) { try NSPredicate.parse(format) }
        #expect(error?.description.hasPrefix("Unable to parse the format string \"\(format)\"") == true)
        #expect((0...format.utf8.count).contains(error?.utf8Offset ?? -1))
    }

    @Test func theCaretStandsUnderTheMistake() throws {
        let error = #expect(throws: PredicateFormatError.self) { try NSPredicate.parse("a == 1 AND é ** == 3") }
        let lines = try #require(error).description.split(separator: "\n")
        #expect(lines[1] == "a == 1 AND é ** == 3")
        #expect(lines[2] == "                ^")
    }

    @Test func deepAndLongFormatsAreRefused() throws {
        let deep = String(repeating: "(", count: 100_000) + "a == 1" + String(repeating: ")", count: 100_000)
        #expect(#expect(throws: PredicateFormatError.self) { try NSPredicate.parse(deep) }?.code == .tooComplex)
        let sum = Array(repeating: "1", count: 100_000).joined(separator: " + ")
        #expect(
            #expect(throws: PredicateFormatError.self) { try NSPredicate.parse(sum + " == 2") }?.code == .tooComplex)
        let negations = String(repeating: "!", count: 10_000) + "a == 1"
        #expect(#expect(throws: PredicateFormatError.self) { try NSPredicate.parse(negations) }?.code == .tooComplex)
        let minuses = String(repeating: "-", count: 10_000) + "a == 1"
        #expect(#expect(throws: PredicateFormatError.self) { try NSPredicate.parse(minuses) }?.code == .tooComplex)
        let long = String(repeating: " ", count: 2_000_000)
        #expect(#expect(throws: PredicateFormatError.self) { try NSPredicate.parse(long) }?.code == .tooComplex)
    }

    @Test func wideFormatsAreFine() throws {
        let wide = (0..<20_000).map { "a == \($0)" }.joined(separator: " OR ")
        #expect(try NSPredicate.parse(wide).evaluate(with: ["a": 19_999]))
        let list = (0..<50_000).map(String.init).joined(separator: ", ")
        #expect(try NSPredicate.parse("a IN {\(list)}").evaluate(with: ["a": 49_999]))
        let nested = String(repeating: "(", count: 150) + "a == 1" + String(repeating: ")", count: 150)
        #expect(try NSPredicate.parse(nested).evaluate(with: ["a": 1]))
    }

    @Test(arguments: [
        ("ANY a == 1", "The left hand side for an ALL or ANY operator must be either an NSArray or an NSSet."),
        ("n CONTAINS 'x'", "Can't use in/contains operator with collection 5 (not a collection)"),
        ("s CONTAINS 5", "Can't look for value (5) in string (abc); value is not a string"),
        ("n BEGINSWITH 'x'", "Can't do a substring operation with something that isn't a string (lhs = 5 rhs = x)"),
        ("n LIKE 'x'", "Can't do regex matching on object 5."),
        ("s MATCHES '['", "Can't do regex matching, reason: Can't open pattern ["),
        ("n IN 5", "Can't use in/contains operator with collection 5 (not a collection)"),
        ("$x == 1", "Can't get value for 'x' in bindings"),
        ("n BETWEEN {1}", "Invalid predicate"),
        ("d < d", "Values without an order cannot be compared"),
        ("n.foo == 1", "this class is not key value coding-compliant for the key foo"),
        ("a.@foo.b == 1", "@foo"),
    ])
    func evaluationErrors(_ format: String, _ message: String) throws {
        let object: [String: Any] = ["a": 1, "n": 5, "s": "abc", "d": Data([1])]
        let predicate = try NSPredicate.parse(format)
        let error = #expect(throws: PredicateEvaluationError.self) { try predicate.evaluateThrowing(with: object) }
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test func theInitializerTrapsWhereAppleRaises() async {
        await #expect(processExitsWith: .failure) { _ = NSPredicate(format: "a ==") }
        await #expect(processExitsWith: .failure) {
            _ = NSPredicate(format: "$limit > 1").evaluate(with: ["a": 3])
        }
    }
}
