import PredicateFormat
import Testing

/// Decimal constants, whose hash in Foundation off Apple ends the process.
@Suite struct DecimalTests {
    private static let amount = Decimal(string: "12345678901234567890.123456789")!

    private static var predicates: [NSPredicate] {
        [
            NSPredicate(format: "price == %@", amount as NSDecimalNumber),
            NSPredicate(format: "price > %@", argumentArray: [amount]),
            NSPredicate(format: "price IN %@", [NSDecimalNumber(string: "1.5"), NSDecimalNumber(decimal: amount)]),
            NSPredicate(format: "price IN %@", argumentArray: [Set([amount, 2])]),
            NSPredicate(format: "price BETWEEN %@", argumentArray: [[Decimal(1), amount]]),
            NSPredicate(format: "%@[key] == price", argumentArray: [["a": amount, "b": 2] as [String: Any]]),
        ]
    }

    @Test(arguments: 0..<6)
    func archivesAndHashes(_ index: Int) throws {
        let predicate = Self.predicates[index]
        #expect(predicate.hash == predicate.hash && Set([predicate]).contains(predicate))
        let data = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data))
        copy.allowEvaluation()
        #expect(copy == predicate && copy.hash == predicate.hash)
        for price in [Self.amount, Self.amount + 1, 2] {
            let object: [String: Any] = ["price": price, "key": "a"]
            #expect(try copy.evaluateThrowing(with: object) == predicate.evaluateThrowing(with: object))
        }
    }

    @Test func equalNumbersHashAlike() {
        let predicates = [Decimal(1.5) as Any, NSDecimalNumber(string: "1.5"), 1.5].map {
            NSPredicate(format: "a == %@", argumentArray: [$0])
        }
        #expect(Set(predicates).count == 1)
    }
}
