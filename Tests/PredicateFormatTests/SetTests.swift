import PredicateFormat
import Testing

/// Sets of values that cannot simply be hashed off Apple: numbers of several types, decimal numbers, collections.
@Suite struct SetTests {
    private final class Item: NSObject {
        let p: NSDecimalNumber
        init(_ price: String) { p = NSDecimalNumber(string: price) }
    }

    private let mixed: [String: Any] = [
        "numbers": [1, 1.0, NSNumber(value: 1), NSDecimalNumber(string: "1"), true, 2] as [Any],
        "prices": Set([Item("1.5"), Item("2.5")]),
        "lists": [[1, 2], [1, 2], [3]],
    ]

    @Test(arguments: [
        "numbers UNION {} == {1, 2} UNION {}", "(numbers UNION numbers).@count == 2",
        "numbers INTERSECT {1} == {1} UNION {}",
        "(numbers MINUS {2}).@count == 1", "numbers.@distinctUnionOfObjects.self == {1, 2}",
        "ANY prices.p == 1.5", "prices.@sum.p == 4", "prices.p CONTAINS 2.5", "prices.@max.p == 2.5",
        "lists.@distinctUnionOfObjects.self.@count == nil OR lists.@count == 3", "(lists UNION lists).@count == 2",
    ])
    func collections(_ format: String) throws {
        #expect(try NSPredicate(format: format).evaluateThrowing(with: mixed))
    }

    private final class Title: NSObject {
        let text: String
        init(_ text: String) { self.text = text }
    }

    /// Two strings of NSString, which Swift takes for equal.
    @Test func canonicallyEquivalentStringsAreDistinct() throws {
        let books = ["books": Set([Title("\u{130}"), Title("I\u{307}")])]
        for format in ["NOT (ALL books.text.length != 2)", "ANY books.text.length == 1", "books.text.@count == 2"] {
            #expect(try NSPredicate(format: format).evaluateThrowing(with: books), "\(format)")
        }
    }

    @Test func constantsOfDecimalNumbers() throws {
        let set = Set([Decimal(string: "1.5")!, Decimal(2)])
        #expect(NSPredicate(format: "SELF IN %@", set).evaluate(with: NSDecimalNumber(string: "1.5")))
        #expect(NSPredicate(format: "SELF IN %@", [NSDecimalNumber(string: "1.5"), 3] as [Any]).evaluate(with: 1.5))
    }
}
