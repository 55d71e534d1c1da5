import PredicateFormat
import Testing

/// What may follow a dot, and how missing values are written.
@Suite struct PathTests {
    private let shop: [String: Any] = [
        "items": [["price": 3, "kind": ["name": "a"]], ["price": 6, "kind": ["name": "b"]]], "owner": ["name": "Ann"],
    ]

    @Test func keyPathArguments() throws {
        #expect(NSPredicate(format: "owner.%K == 'Ann'", "name").evaluate(with: shop))
        #expect(
            NSPredicate(format: "SUBQUERY(items, $i, $i.%K == %@).@count == 1", "kind.name", "a").evaluate(with: shop))
        #expect(NSPredicate(format: "items.%K == 2", "@count").evaluate(with: shop))
    }

    @Test func arguments() throws {
        for _ in 0..<3 {
            let predicate = NSPredicate(format: "SELF.%@ == %@", "owner.name", "Ann")
            #expect(predicate.evaluate(with: shop) && predicate.description == "owner.name == \"Ann\"")
            #expect(!NSPredicate(format: "SELF.%@ == %@", "owner.age", "Ann").evaluate(with: shop))
        }
        let path = NSExpression(forKeyPath: "name")
        #expect(NSPredicate(format: "owner.%@ == 'Ann'", path).evaluate(with: shop))
        for bad in [3, NSNull(), "", "a..b", NSPredicate(value: true)] as [Any] {
            #expect(throws: PredicateFormatError.self) { try NSPredicate.parse("SELF.%@ == 1", arguments: [bad]) }
        }
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse("SELF.%@ == 1") }
    }

    @Test func variables() throws {
        let predicate = NSPredicate(format: "SUBQUERY(items, $i, $i.price > 1).$count == 2")
        #expect(predicate.description == "SUBQUERY(items, $i, $i.price > 1).$count == 2")
        #expect(NSPredicate(format: predicate.description) == predicate)
        #expect(predicate.evaluate(with: shop, substitutionVariables: ["count": "@count"]))
        #expect(throws: PredicateEvaluationError.self) { try predicate.evaluateThrowing(with: shop) }
        let bound = predicate.withSubstitutionVariables(["count": "@count"])
        #expect(bound == NSPredicate(format: "SUBQUERY(items, $i, $i.price > 1).@count == 2"))
        let value = try NSExpression.parse("owner.$key.length").expressionValueThrowing(
            with: shop, context: NSMutableDictionary(dictionary: ["key": "name"]))
        #expect(value as? Int == 3)
    }

    @Test func missingValuesPrintAsTheyWereGiven() throws {
        let null = NSPredicate(format: "a == %@ AND b IN %@", argumentArray: [NSNull(), [1, NSNull()] as [Any]])
        #expect(null.description == "a == <null> AND b IN {1, <null>}")
        #expect(NSPredicate(format: null.description) == null)
        #expect(NSPredicate(format: "a == nil").description == "a == nil")
        #expect(try NSPredicate.parse("a == %@", arguments: [nil]).description == "a == nil")
        #expect(NSExpression(forConstantValue: NSNull()).description == "<null>")
        #expect(NSExpression(forConstantValue: nil).description == "nil")
        #expect(NSPredicate(format: "a == <null>") == NSPredicate(format: "a == nil"))
        #expect(NSPredicate(format: "a == <NULL>").evaluate(with: [String: Any]()))
        for predicate in [null, NSPredicate(format: "a == nil")] {
            let data = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
            let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
            #expect(copy?.description == predicate.description)
        }
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse("a == <null") }
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse("a == <nil>") }
    }
}
