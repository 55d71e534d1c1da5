import PredicateFormat
import Testing

@Suite struct ArgumentTests {
    @Test func variadicArgumentsOfEveryKind() {
        let date = Date(timeIntervalSinceReferenceDate: 100)
        let uuid = UUID()
        let object: [String: Any] = ["d": date, "u": uuid, "n": 5, "s": "x", "a": [1, 2], "b": Data([1])]
        #expect(NSPredicate(format: "d == %@", date as NSDate).evaluate(with: object))
        #expect(NSPredicate(format: "d == %@", date as CVarArg).evaluate(with: object))
        #expect(NSPredicate(format: "u == %@", uuid as CVarArg).evaluate(with: object))
        #expect(NSPredicate(format: "n == %@", NSNumber(value: 5)).evaluate(with: object))
        #expect(NSPredicate(format: "n == %d AND s == %@", 5, "x").evaluate(with: object))
        #expect(NSPredicate(format: "n IN %@", [4, 5]).evaluate(with: object))
        #expect(NSPredicate(format: "n IN %@", [4, 5] as NSArray).evaluate(with: object))
        #expect(NSPredicate(format: "n IN %@", Set([4, 5])).evaluate(with: object))
        #expect(NSPredicate(format: "b == %@", Data([1]) as NSData).evaluate(with: object))
        #expect(NSPredicate(format: "z == %@", NSNull()).evaluate(with: object))
        #expect(NSPredicate(format: "%K == %ld", "n", 5).evaluate(with: object))
    }

    @Test(arguments: ["%d", "%i", "%ld", "%lld", "%lu", "%llu", "%qd", "%u", "%x", "%X", "%o", "%hd", "%hhd", "%zd"])
    func integerSpecifier(_ specifier: String) {
        #expect(NSPredicate(format: "SELF == \(specifier)", 7).evaluate(with: 7))
        #expect(NSPredicate(format: "SELF == \(specifier)", argumentArray: [7]).evaluate(with: 7))
        withVaList([7]) {
            #expect(NSPredicate(format: "SELF == \(specifier)", arguments: $0).evaluate(with: 7))
        }
    }

    @Test(arguments: ["%f", "%e", "%g", "%a", "%lf"])
    func realSpecifier(_ specifier: String) {
        #expect(NSPredicate(format: "SELF == \(specifier)", 0.1).evaluate(with: 0.1))
        withVaList([0.1]) {
            #expect(NSPredicate(format: "SELF == \(specifier)", arguments: $0).evaluate(with: 0.1))
        }
    }

    @Test func argumentListOfMixedKinds() {
        let object: [String: Any] = ["name": "Anna", "age": 20, "height": 1.7, "id": UInt64.max]
        let arguments: [any CVarArg] = [NSString("name"), NSString("Anna"), 20, 1.7, UInt64.max]
        let predicate = withVaList(arguments) {
            NSPredicate(format: "%K == %@ AND age == %d AND height == %f AND id == %llu", arguments: $0)
        }
        #expect(predicate.evaluate(with: object))
        let date = Date()
        withVaList([date]) { #expect(NSPredicate(format: "SELF == %@", arguments: $0).evaluate(with: date)) }
        withVaList([[1, 2]]) { #expect(NSPredicate(format: "2 IN %@", arguments: $0).evaluate(with: nil)) }
    }

    @Test func cStringsAndCharacters() {
        "abc".withCString { text in
            #expect(NSPredicate(format: "SELF == %s", text).evaluate(with: "abc"))
        }
        #expect(NSPredicate(format: "SELF == %c", 65).evaluate(with: 65))
    }

    @Test func expressionsAndPredicatesAsArguments() {
        let path = NSExpression(forKeyPath: "a.b")
        #expect(text(NSPredicate(format: "%@ > 3", path)) == "a.b > 3")
        let inner = NSPredicate(format: "a == 1")
        #expect(text(NSPredicate(format: "%@ AND b == 2", inner)) == "a == 1 AND b == 2")
    }

    @Test func keyPathArguments() {
        #expect(text(NSPredicate(format: "%K.size > 1", "a")) == "a.#size > 1")
        #expect(text(NSPredicate(format: "x.%K > 1", "a.b")) == "x.a.b > 1")
        #expect(text(NSPredicate(format: "ANY %K == 1", "size")) == "ANY #size == 1")
        #expect(
            text(NSPredicate(format: "SUBQUERY(%K, $x, $x.%K == 1).@count > 0", "r", "k"))
                == "SUBQUERY(r, $x, $x.k == 1).@count > 0")
        #expect(text(NSPredicate(format: "name == %@", "a.b")) == "name == \"a.b\"")
    }

    @Test func wrongArguments() {
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse("a == %@") }
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse("a == %d", arguments: ["x"]) }
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse("%K == 1", arguments: [3]) }
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse("%K == 1", arguments: ["a..b"]) }
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse("a == %y", arguments: [3]) }
    }

    @Test func constantsPassThroughUntouched() throws {
        final class Thing {}
        let thing = Thing()
        let predicate = try NSPredicate.parse("owner == %@", arguments: [thing])
        guard case .comparison(let comparison) = predicate.node, case .constant(let value) = comparison.right else {
            Issue.record("a comparison with a constant")
            return
        }
        #expect(value as AnyObject === thing)
        #expect(predicate.evaluate(with: ["owner": thing]))
        #expect(!predicate.evaluate(with: ["owner": Thing()]))
    }

    @Test func stringFormattingStillWorks() {
        #expect(String(format: "%@ %d", "a", 3) == "a 3")
        #expect(String(format: "%@", NSNumber(value: 3)) == "3")
    }
}
