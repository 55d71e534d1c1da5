import PredicateFormat
import Testing

/// A method's name in the place of an operator.
@Suite struct SelectorOperatorTests {
    private class Animal: NSObject {}
    private final class Dog: Animal {}

    private func holds(_ format: String, _ arguments: [Any], _ object: Any?) throws -> Bool {
        try NSPredicate.parse(format, arguments: arguments).evaluateThrowing(with: object)
    }

    @Test func classesOfObjects() throws {
        #expect(try holds("SELF isKindOfClass: %@", [Animal.self], Dog()))
        #expect(try holds("SELF isKindOfClass: %@", [NSObject.self], Dog()))
        #expect(try !holds("SELF isKindOfClass: %@", [Dog.self], Animal()))
        #expect(try !holds("SELF isMemberOfClass: %@", [Animal.self], Dog()))
        #expect(try holds("SELF isMemberOfClass:%@", [Dog.self], Dog()))
        #expect(try holds("NOT (SELF isKindOfClass: %@)", [Dog.self], nil))
        #expect(
            try holds("pets[0] isKindOfClass: wanted", [], ["pets": [Dog()], "wanted": Animal.self] as [String: Any]))
        let animals = NSArray(array: [Animal(), Dog(), "text"])
        #expect(
            animals.filtered(using: NSPredicate(format: "SELF isKindOfClass: %@", argumentArray: [Dog.self])).count == 1
        )
        #expect(try holds("ANY SELF isKindOfClass: %@", [Dog.self], animals))
    }

    @Test func valuesAreOfFoundationsClasses() throws {
        let classes: [(value: Any, type: AnyClass)] = [
            ("a", NSString.self), (1, NSNumber.self), (true, NSNumber.self), (Decimal(1), NSDecimalNumber.self),
            (Date(), NSDate.self), (Data(), NSData.self), (UUID(), NSUUID.self), ([1], NSArray.self),
            (Set([1]), NSSet.self), (["k": 1], NSDictionary.self), (Decimal(1), NSNumber.self),
        ]
        for (value, type): (Any, AnyClass) in classes {
            #expect(try holds("v isKindOfClass: %@", [type], ["v": value]), "\(value)")
            #expect(try !holds("v isKindOfClass: %@", [NSURL.self], ["v": value]))
        }
    }

    @Test func otherSelectorsParseAndCannotBeEvaluated() throws {
        let predicate = try NSPredicate.parse("name sounds: 'like'")
        #expect(predicate.description == "name sounds: \"like\"")
        let error = #expect(throws: PredicateEvaluationError.self) {
            try predicate.evaluateThrowing(with: ["name": "x"])
        }
        #expect(error?.code == .unsupported && error?.message.contains("sounds:") == true)
        #expect(throws: PredicateEvaluationError.self) { try holds("SELF isKindOfClass: 'NSString'", [], "a") }
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse("a with:and: b") }
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse("a sounds:") }
    }

    @Test func printsAndArchives() throws {
        let text = "name sounds: \"like\" AND ANY pets.kind isEqual: \"dog\""
        let predicate = NSPredicate(format: text)
        #expect(predicate.description == text && NSPredicate(format: predicate.description) == predicate)
        #expect(predicate != NSPredicate(format: "name hears: 'like' AND ANY pets.kind isEqual: 'dog'"))
        let data = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data) == predicate)
        // A function with a colon stays a function, and an assignment an assignment.
        #expect(NSExpression(format: "sum: ({1, 2})").expressionValue(with: nil, context: nil) as? Int == 3)
        #expect(NSExpression(format: "$x:=3").expressionValue(with: nil, context: nil) as? Int == 3)
    }

    @Test func madeByCode() throws {
        let made = NSComparisonPredicate(
            leftExpression: .expressionForEvaluatedObject(), rightExpression: NSExpression(forConstantValue: Dog.self),
            customSelector: Selector("isKindOfClass:"))
        #expect(made.customSelector == Selector("isKindOfClass:"))
        #expect(made.evaluate(with: Dog()) && !made.evaluate(with: Animal()))
        let parsed = try #require(NSPredicate(format: "a == 1") as? NSComparisonPredicate)
        #expect(parsed.customSelector == nil)
    }
}
