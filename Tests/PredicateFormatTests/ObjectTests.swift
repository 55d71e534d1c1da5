import PredicateFormat
import Testing

@Suite struct ObjectTests {
    @Test func formatsMakeTheRightClasses() {
        #expect(NSPredicate(format: "a == 1") is NSComparisonPredicate)
        #expect(NSPredicate(format: "a == 1 AND b == 2") is NSCompoundPredicate)
        #expect(NSPredicate(format: "NOT a == 1") is NSCompoundPredicate)
        #expect(!(NSPredicate(format: "TRUEPREDICATE") is NSCompoundPredicate))
        let any: Any = NSExpression(forKeyPath: "a")
        #expect(any is NSExpression)
        #expect(any is NSObject)
        #expect(any as? NSPredicate == nil)
        let object: AnyObject = NSPredicate(format: "a == 1")
        #expect((object as? NSComparisonPredicate)?.leftExpression.keyPath == "a")
    }

    @Test func objectsOfPrivateClassesAreFreed() {
        final class Canary {}
        weak var inComparison: Canary?
        weak var inExpression: Canary?
        weak var predicate: NSPredicate?
        weak var expression: NSExpression?
        do {
            let (first, second) = (Canary(), Canary())
            (inComparison, inExpression) = (first, second)
            let comparison = NSPredicate(format: "a == %@", argumentArray: [first])
            let constant = NSExpression(forConstantValue: second)
            (predicate, expression) = (comparison, constant)
            #expect(comparison.evaluate(with: ["a": first]))
            #expect(constant.constantValue as AnyObject === second)
            withExtendedLifetime((comparison, constant)) {}
        }
        #expect(inComparison == nil && inExpression == nil)
        #expect(predicate == nil && expression == nil)
    }

    @Test func comparisonPredicateProperties() throws {
        let predicate = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "items.name"),
            rightExpression: NSExpression(forConstantValue: "x"),
            modifier: .any, type: .contains, options: [.caseInsensitive, .diacriticInsensitive])
        #expect(predicate.leftExpression.keyPath == "items.name")
        #expect(predicate.rightExpression.constantValue as? String == "x")
        #expect(predicate.predicateOperatorType == .contains)
        #expect(predicate.comparisonPredicateModifier == .any)
        #expect(predicate.options == [.caseInsensitive, .diacriticInsensitive])
        #expect(text(predicate) == "ANY items.name CONTAINS[cd] \"x\"")
        #expect(predicate == NSPredicate(format: "ANY items.name CONTAINS[cd] 'x'"))
        #expect(predicate.evaluate(with: ["items": [["name": "aXb"]]]))
    }

    @Test func operatorsHaveApplesNumbers() {
        #expect(ComparisonOperator.contains.rawValue == 99)
        #expect(ComparisonOperator.between.rawValue == 100)
        #expect(ComparisonOperator.in.rawValue == 10)
        for comparison in ComparisonOperator.allCases where comparison != .customSelector {
            #expect(ComparisonOperator(comparison.foundationOperator) == comparison)
        }
    }

    @Test func compoundPredicates() throws {
        let (a, b) = (NSPredicate(format: "a == 1"), NSPredicate(format: "b == 2"))
        let and = NSCompoundPredicate(andPredicateWithSubpredicates: [a, b])
        #expect(text(and) == "a == 1 AND b == 2")
        #expect(and.evaluate(with: ["a": 1, "b": 2]))
        let or = NSCompoundPredicate(
            type: .or, subpredicates: [and, NSCompoundPredicate(notPredicateWithSubpredicate: a)])
        #expect(text(or) == "(a == 1 AND b == 2) OR (NOT a == 1)")
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: []).evaluate(with: nil))
        #expect(!NSCompoundPredicate(orPredicateWithSubpredicates: []).evaluate(with: nil))
        let parsed = try #require(NSPredicate(format: "a == 1 AND b == 2 AND c == 3") as? NSCompoundPredicate)
        #expect(parsed.compoundPredicateType == .and)
        #expect(parsed.subpredicates.count == 3)
        #expect(parsed.subpredicates[1] == b)
        #expect(NSPredicate(format: "a == 1 AND b == 2") == and)
    }

    @Test func foundationsCompoundsPrintCompareAndCopy() {
        let (a, b) = (NSPredicate(format: "a == 1"), NSPredicate(format: "b == 2"))
        let and = NSCompoundPredicate(andPredicateWithSubpredicates: [a, b])
        let or = NSCompoundPredicate(orPredicateWithSubpredicates: [a, b])
        #expect("\(and)" == "a == 1 AND b == 2")
        #expect(and != or)
        #expect(and == NSCompoundPredicate(andPredicateWithSubpredicates: [a, b]))
        #expect(and.hash == NSPredicate(format: "a == 1 AND b == 2").hash)
        #expect((and.copy() as? NSPredicate)?.evaluate(with: ["a": 1, "b": 2]) == true)
    }

    @Test func equalityHashingAndCopying() {
        let predicate = NSPredicate(format: "a == %@ AND b IN %@", "x", [1, 2])
        let same = NSPredicate(format: "(a = 'x') && b IN {1, 2}")
        #expect(predicate == same)
        #expect(predicate.hash == same.hash)
        #expect(predicate.copy() as? NSPredicate == predicate)
        #expect(predicate != NSPredicate(format: "a == 'y' AND b IN {1, 2}"))
        #expect("\(predicate)" == text(predicate))
        #expect(NSPredicate(format: "a == YES") == NSPredicate(format: "a == 1"))
        let block = NSPredicate { _, _ in true }
        #expect(block == block)
        #expect(block.node == block.node)
        #expect(NSPredicate(value: true).node == .constant(true))
    }

    @Test func treesAndBack() {
        let node = PredicateNode.and([
            .comparison(ComparisonNode(.path("a.b"), .greaterThan, .constant(3))),
            .not(.comparison(ComparisonNode(.path("c"), .like, .constant("x*"), options: .caseInsensitive))),
        ])
        let predicate = NSPredicate(node: node)
        #expect(predicate.node == node)
        #expect(text(predicate) == "a.b > 3 AND (NOT c LIKE[c] \"x*\")")
        let block = NSPredicate { object, _ in object as? Int == 3 }
        let mixed = NSCompoundPredicate(andPredicateWithSubpredicates: [block, NSPredicate(format: "SELF > 2")])
        #expect(NSPredicate(node: mixed.node).evaluate(with: 3))
        #expect(!NSPredicate(node: mixed.node).evaluate(with: 4))
    }

    @Test func substitutionVariables() throws {
        let predicate = NSPredicate(format: "$limit > a AND b == $b")
        #expect(predicate.evaluate(with: ["a": 3, "b": 1], substitutionVariables: ["limit": 5, "b": 1]))
        let bound = predicate.withSubstitutionVariables(["limit": 5])
        #expect(text(bound) == "5 > a AND b == $b")
        let path = predicate.withSubstitutionVariables(["limit": NSExpression(forKeyPath: "max"), "b": NSNull()])
        #expect(text(path) == "max > a AND b == <null>")
        let shadowed = NSPredicate(format: "SUBQUERY(r, $b, $b.x == 1).@count == $b")
        #expect(text(shadowed.withSubstitutionVariables(["b": 2])) == "SUBQUERY(r, $b, $b.x == 1).@count == 2")
    }

    @Test func filteringCollections() {
        let people: [[String: Any]] = [["age": 10], ["age": 40]]
        let adults = NSPredicate(format: "age >= 18")
        #expect(NSArray(array: people).filtered(using: adults).count == 1)
        #expect(NSSet(array: [1, 20, 30]).filtered(using: NSPredicate(format: "SELF > 18")).count == 2)
        #expect(NSOrderedSet(array: [1, 20, 30]).filtered(using: NSPredicate(format: "SELF > 18")).count == 2)
        let mutable = NSMutableArray(array: [1, 20, 30])
        mutable.filter(using: NSPredicate(format: "SELF > 18"))
        #expect(mutable.count == 2)
    }

    @Test func evaluatesObjectsOfEveryKind() {
        struct Pet {
            var name: String
            var age: Int?
        }
        class Animal { let legs = 4 }
        final class Dog: Animal { var owner: String? = "Ann" }
        struct Coded: KeyValueCoding {
            func value(forKey key: String) -> Any? { key == "a" ? 1 : nil }
        }
        #expect(NSPredicate(format: "name == 'Rex' AND age == nil").evaluate(with: Pet(name: "Rex", age: nil)))
        #expect(NSPredicate(format: "legs == 4 AND owner == 'Ann'").evaluate(with: Dog()))
        #expect(NSPredicate(format: "a == 1 AND b == nil").evaluate(with: Coded()))
        #expect(
            NSPredicate(format: "a.b == 1").evaluate(
                with: NSDictionary(dictionary: ["a": NSDictionary(dictionary: ["b": 1])])))
        #expect(NSPredicate(format: "k == 2").evaluate(with: ["k": 2] as [String: Int]))
    }

    @Test func anObjectEqualsWhatIdentifiesIt() {
        final class Row: NSObject, PredicateIdentifiable {
            let id: NSString
            init(_ id: NSString) { self.id = id }
            var predicateIdentity: AnyHashable { id }
        }
        final class Key: NSObject, PredicateIdentifiable {
            let id: NSString
            init(_ id: NSString) { self.id = id }
            var predicateIdentity: AnyHashable { id }
        }
        #expect(NSPredicate(format: "r == %@", Key("a")).evaluate(with: ["r": Row("a")]))
        #expect(!NSPredicate(format: "r == %@", Key("b")).evaluate(with: ["r": Row("a")]))
        #expect(NSPredicate(format: "r IN %@", [Key("b"), Key("a")]).evaluate(with: ["r": Row("a")]))
    }

    @Test func objectsMayHaveAnOrder() throws {
        final class Key: NSObject, PredicateOrdered {
            let number: Int
            init(_ number: Int) { self.number = number }
            /// Below zero there is no order.
            func predicateOrder(to other: any PredicateOrdered) -> ComparisonResult? {
                guard let other = other as? Key, number >= 0, other.number >= 0 else { return nil }
                return sortOrder(to: other)
            }
            func sortOrder(to other: any PredicateOrdered) -> ComparisonResult {
                ValueComparison.sortOrder(number, (other as? Key)?.number)
            }
        }
        final class Row: NSObject, PredicateIdentifiable {
            let key: Key
            init(_ number: Int) { key = Key(number) }
            var predicateIdentity: AnyHashable { key }
        }
        func found(_ format: String, _ right: Any) throws -> [Int] {
            let predicate = NSPredicate(format: format, argumentArray: [right])
            return try (-1...3).filter { try predicate.evaluateThrowing(with: ["r": Row($0)]) }
        }
        #expect(try found("r > %@", Row(1)) == [2, 3])
        #expect(try found("r <= %@", Key(1)) == [0, 1])
        #expect(try found("%@ < r", Key(1)) == [2, 3])
        #expect(try found("r >= %@", Row(-1)) == [])
        #expect(try found("r < %@", NSNull()) == [])
        // With what is no object there is nothing to compare.
        for other in ["text", 3, Date()] as [Any] {
            #expect(throws: PredicateEvaluationError.self) { try found("r < %@", other) }
            #expect(throws: PredicateEvaluationError.self) { try found("%@ >= r", other) }
            #expect(throws: PredicateEvaluationError.self) { try found("r BETWEEN %@", [other, other]) }
            #expect(try found("r == %@", other) == [])
        }
        #expect(throws: PredicateEvaluationError.self) { try found("r < %@", UUID()) }
        #expect(throws: PredicateEvaluationError.self) { try found("r < %@", NSObject()) }
        let rows = [2, -1, 3].map { Row($0) }
        let sorted = rows.sorted { ValueComparison.sortOrder($0, $1) == .orderedAscending }
        #expect(sorted.map(\.key.number) == [-1, 2, 3])
    }

    @Test func archiving() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1.25)
        let predicate = NSPredicate(
            format: "a.size > %d AND (b IN %@ OR d < %@) AND c LIKE[cd] 'x*'", 3, ["u", "v"], date as NSDate)
        for original in [predicate, NSPredicate(format: "a == nil"), NSPredicate(format: "TRUEPREDICATE")] {
            let data = try NSKeyedArchiver.archivedData(withRootObject: original, requiringSecureCoding: true)
            let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data))
            #expect(copy == original)
            #expect(throws: PredicateEvaluationError.self) { try copy.evaluateThrowing(with: ["a": 1]) }
            copy.allowEvaluation()
            #expect(try copy.evaluateThrowing(with: ["a": NSNull()]) == original.evaluate(with: ["a": NSNull()]))
        }
        let one = NSCompoundPredicate(orPredicateWithSubpredicates: [NSPredicate(format: "a == 1")])
        let oneData = try NSKeyedArchiver.archivedData(withRootObject: one, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSCompoundPredicate.self, from: oneData) == one)
        let sort = NSSortDescriptor(key: "name", ascending: false, selector: .localizedStandardCompare)
        let data = try NSKeyedArchiver.archivedData(withRootObject: sort, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSSortDescriptor.self, from: data) == sort)
    }

    @Test func manyThreadsShareAPredicate() async {
        nonisolated(unsafe) let predicate = NSPredicate(format: "name CONTAINS[cd] 'é' AND age > 3")
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<8 {
                group.addTask {
                    (0..<500).allSatisfy {
                        predicate.evaluate(with: ["name": "Renée", "age": $0 + 4 + index] as [String: Any])
                    }
                }
            }
            for await result in group { #expect(result) }
        }
    }
}
