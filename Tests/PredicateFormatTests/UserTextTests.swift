import PredicateFormat
import Testing

/// Text from users goes through functions that throw.
@Suite struct UserTextTests {
    private final class Guarded: KeyValueCoding {
        func value(forKey key: String) -> Any? {
            guard key == "name" else { fatalError("asked for \(key)") }
            return "Ann"
        }

        func valueThrowing(forKey key: String) throws -> Any? {
            guard key == "name" else { throw PredicateEvaluationError.undefinedKey(key, of: "Guarded") }
            return value(forKey: key)
        }

        func predicateValueThrowing(forKey key: PredicateKey) throws -> PredicateValue {
            PredicateValue(try valueThrowing(forKey: key.name))
        }
    }

    @Test(arguments: [
        "ghost == 1", "ghost.name == 1", "FUNCTION(SELF, 'valueForKey:', 'ghost') == 1", "SELF.ghost IN {1}",
        "FUNCTION(SELF, 'valueForKeyPath:', 'ghost.name') == 1", "SUBQUERY({SELF}, $x, $x.ghost == 1).@count == 1",
        "ANY SELF.ghost == 1", "TERNARY(ghost == 1, 1, 2) == 1", "{SELF}.@max.ghost == 1", "ghost == ghost",
    ])
    func undefinedKeys(_ format: String) throws {
        let predicate = try NSPredicate.parse(format)
        for object in [Guarded(), NSObject()] as [Any] {
            let error = #expect(throws: PredicateEvaluationError.self) { try predicate.evaluateThrowing(with: object) }
            #expect(error?.code == .undefinedKey && error?.message.contains("ghost") == true)
        }
        #expect(try NSPredicate.parse("name == 'Ann'").evaluateThrowing(with: Guarded()))
    }

    @Test func filtering() throws {
        let ages: [Any] = [10, 20, 30]
        let predicate = try NSPredicate.parse("SELF > 15")
        #expect(try NSArray(array: ages).filteredThrowing(using: predicate).count == 2)
        #expect(try NSSet(array: ages).filteredThrowing(using: predicate).count == 2)
        #expect(try NSOrderedSet(array: ages).filteredThrowing(using: predicate).array as? [Int] == [20, 30])
        let bad = try NSPredicate.parse("SELF CONTAINS 'x'")
        #expect(throws: PredicateEvaluationError.self) { try NSArray(array: ages).filteredThrowing(using: bad) }
        #expect(throws: PredicateEvaluationError.self) { try NSSet(array: ages).filteredThrowing(using: bad) }
        #expect(throws: PredicateEvaluationError.self) { try NSOrderedSet(array: ages).filteredThrowing(using: bad) }
    }

    @Test func keyPathsWithoutANameAreErrors() {
        #expect(throws: PredicateFormatError.self) {
            try NSPredicate.parse("%K == 1", arguments: [\[Int].[0] as AnyKeyPath])
        }
    }

    @Test func whatIsNoNumberIsNil() throws {
        for format in ["1 / 0", "1.5 / 0", "modulus:by:(5, 0)", "sqrt(-1)", "ln(-1)", "(-8) ** 0.5", "0.0 / 0"] {
            #expect(try NSExpression.parse(format).expressionValueThrowing(with: nil) == nil, "\(format)")
        }
        #expect(try !NSPredicate.parse("a / 0 > 1 OR a / 0 < 1").evaluateThrowing(with: ["a": 3]))
        let smallest = try NSExpression.parse("abs(-9223372036854775808)").expressionValueThrowing(with: nil)
        #expect(smallest as? Double == 0x1p63)
    }

    @Test func numbersAndTextsOfDictionariesKeepTheirKinds() {
        #expect(!NSPredicate(format: "a == 5").evaluate(with: ["a": "5"]))
        #expect(!NSPredicate(format: "a IN {5}").evaluate(with: ["a": "5"]))
        #expect(!NSPredicate(format: "a == '5'").evaluate(with: ["a": 5]))
        #expect(!NSPredicate(format: "a == nil").evaluate(with: ["a": [Int]()]))
    }

    @Test func pieceOfTextAndCharacters() {
        let piece = "xAnny".dropFirst()
        #expect(
            NSPredicate(format: "a == %@ AND a BEGINSWITH %@", argumentArray: [piece, Character("A")])
                .evaluate(with: ["a": "Anny"]))
        #expect(NSPredicate(format: "a IN %@", argumentArray: [[piece]]).evaluate(with: ["a": "Anny"]))
    }
}
