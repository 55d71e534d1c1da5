import PredicateFormat
import Testing

private class Counting: NSCompoundPredicate {
    let name: String

    init(name: String, _ subpredicates: [NSPredicate]) {
        self.name = name
        super.init(type: .and, subpredicates: subpredicates)
    }

    required init?(coder: NSCoder) { fatalError("not archived") }
}

private class Plain: NSCompoundPredicate {}

private final class Described: NSCompoundPredicate {
    override var description: String { "of its own" }
}

private class Adults: NSComparisonPredicate {
    convenience init(from age: Int) {
        self.init(
            leftExpression: NSExpression(forKeyPath: "age"), rightExpression: NSExpression(forConstantValue: age),
            modifier: .direct, type: .greaterThanOrEqualTo)
    }
}

private final class Never: NSComparisonPredicate {
    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool { false }
    override var description: String { "never \(leftExpression)" }
}

/// Programs' own classes of predicates.
@Suite struct SubclassTests {
    private let parts = [NSPredicate(format: "a == 1"), NSPredicate(format: "b == 2")]

    @Test func compounds() throws {
        let plain = Plain(type: .or, subpredicates: parts)
        #expect(type(of: plain) == Plain.self && plain.compoundPredicateType == .or)
        #expect(plain.evaluate(with: ["a": 1]) && !plain.evaluate(with: ["a": 2]))
        #expect(plain.node.predicateFormat == "a == 1 OR b == 2")
        #expect(plain.description == "a == 1 OR b == 2" && plain == NSPredicate(format: "a == 1 OR b == 2"))
        #expect(plain.hash == NSPredicate(format: "a == 1 OR b == 2").hash && plain.copy() as? Plain === plain)
        let counting = Counting(name: "n", parts)
        #expect(counting.node == NSPredicate(format: "a == 1 AND b == 2").node && counting.name == "n")
        #expect(counting.description == "a == 1 AND b == 2")
        #expect(try counting.evaluateThrowing(with: ["a": 1, "b": 2]))
        let described = Described(andPredicateWithSubpredicates: parts)
        #expect(described.node.predicateFormat == "a == 1 AND b == 2" && described.description == "of its own")
        let outer = NSCompoundPredicate(notPredicateWithSubpredicate: plain)
        #expect(outer.description == "NOT (a == 1 OR b == 2)")
    }

    @Test func comparisons() throws {
        weak var weakly: Adults?
        do {
            let adults = Adults(from: 18)
            weakly = adults
            #expect(type(of: adults) == Adults.self)
            #expect(adults.evaluate(with: ["age": 18]) && !adults.evaluate(with: ["age": 3]))
            #expect(try adults.evaluateThrowing(with: ["age": 20]))
            #expect(throws: PredicateEvaluationError.self) { try adults.evaluateThrowing(with: UUID()) }
            #expect(adults.leftExpression.keyPath == "age" && adults.predicateOperatorType == .greaterThanOrEqualTo)
            #expect(adults.description == "age >= 18" && adults == NSPredicate(format: "age >= 18"))
            #expect(adults.hash == NSPredicate(format: "age >= 18").hash)
            #expect(NSCompoundPredicate(notPredicateWithSubpredicate: adults).description == "NOT age >= 18")
            #expect(NSPredicate(format: "%@ AND b == 1", adults).description == "age >= 18 AND b == 1")
        }
        #expect(weakly == nil)
    }

    @Test func overriddenMethodsStay() {
        let never = Never(
            leftExpression: NSExpression(forKeyPath: "a"), rightExpression: NSExpression(forConstantValue: 1),
            modifier: .direct, type: .equalTo)
        #expect(!never.evaluate(with: ["a": 1]) && never.description == "never a")
        #expect(never.node.predicateFormat == "a == 1")
        #expect(!NSCompoundPredicate(andPredicateWithSubpredicates: [never]).evaluate(with: ["a": 1]))
    }
}
