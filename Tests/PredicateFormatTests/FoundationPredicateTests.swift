import PredicateFormat
import Testing

/// Predicates that Foundation's own initialisers make behave as Apple documents, though Foundation off Apple does not see
/// to it.
@Suite struct FoundationPredicateTests {
    private let a = NSPredicate(format: "a == 1")
    private let b = NSPredicate(format: "b == 2")

    @Test func valuesDoNotEqualCompounds() {
        let and = NSCompoundPredicate(andPredicateWithSubpredicates: [a, b])
        #expect(!NSPredicate(value: false).isEqual(and))
        #expect(!and.isEqual(NSPredicate(value: false)))
        #expect(!NSPredicate(value: false).isEqual(a))
        #expect(NSPredicate(value: false) == NSPredicate(value: false))
        #expect(NSPredicate(value: true) != NSPredicate(value: false))
        #expect(NSPredicate(value: true) == NSPredicate(format: "TRUEPREDICATE"))
        #expect(NSPredicate(value: true).hash == NSPredicate(format: "TRUEPREDICATE").hash)
        #expect(NSPredicate(format: "TRUEPREDICATE") == NSPredicate(value: true))
    }

    @Test func blocksEqualOnlyThemselves() {
        let block = NSPredicate { _, _ in true }
        #expect(block.isEqual(block))
        #expect(!block.isEqual(NSPredicate { _, _ in true }))
        #expect(!block.isEqual(a))
        #expect(text(block).hasPrefix("BLOCKPREDICATE(0x"))
    }

    @Test func compoundsAreWhatTheyHold() {
        let and = NSCompoundPredicate(andPredicateWithSubpredicates: [a, b])
        let or = NSCompoundPredicate(orPredicateWithSubpredicates: [a, b])
        let not = NSCompoundPredicate(notPredicateWithSubpredicate: a)
        #expect("\(and)" == "a == 1 AND b == 2" && "\(or)" == "a == 1 OR b == 2" && "\(not)" == "NOT a == 1")
        #expect(and != or && and != not)
        #expect(and == NSPredicate(format: "a == 1 AND b == 2") && NSPredicate(format: "a == 1 AND b == 2") == and)
        #expect(Set([and, NSCompoundPredicate(andPredicateWithSubpredicates: [a, b])]).count == 1)
        #expect((and.copy() as? NSPredicate)?.evaluate(with: ["a": 1, "b": 2]) == true)
        #expect("\(NSCompoundPredicate(andPredicateWithSubpredicates: []))" == "TRUEPREDICATE")
        #expect("\(NSCompoundPredicate(orPredicateWithSubpredicates: []))" == "FALSEPREDICATE")
    }

    @Test func compoundsPassVariablesOn() {
        let limited = NSPredicate(format: "a < $limit")
        let and = NSCompoundPredicate(andPredicateWithSubpredicates: [limited, b])
        #expect(and.evaluate(with: ["a": 1, "b": 2], substitutionVariables: ["limit": 5]))
        #expect("\(and.withSubstitutionVariables(["limit": 5]))" == "a < 5 AND b == 2")
    }

    @Test func subclassesOfTheProgramKeepTheirOwnWays() {
        final class Always: NSPredicate {
            override func evaluate(with object: Any?) -> Bool { true }
            override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool { true }
            override func isEqual(_ object: Any?) -> Bool { object is Always }
            override var hash: Int { 7 }
        }
        let always = Always(value: false)
        #expect(always.isEqual(Always(value: true)) && always.hash == 7)
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: [always, a]).evaluate(with: ["a": 1]))
        #expect(always.node == always.node && always.node != NSPredicate(value: false).node)
    }
}
