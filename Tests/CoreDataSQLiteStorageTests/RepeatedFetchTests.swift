import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Fetches that differ in their arguments only share what was compiled for the first. What kind of value an argument is may
/// change the SQL, so they are mixed here in every order.
@Suite("Fetches repeated with other arguments")
struct RepeatedFetchTests {
    let library: SQLiteLibrary

    init() throws {
        library = try SQLiteLibrary()
        for (number, title) in [nil, "", "a", "b", "ab", "B"].enumerated() {
            let values: [String: Any] = ["pages": number]
            library.context.insert("Book", title.map { values.merging(["title": $0]) { $1 } } ?? values)
        }
        library.context.insert("Tag", ["word": "a"])
        library.context.insert("Tag", ["word": "b"])
        try library.context.save()
    }

    private func pages(_ format: String, _ arguments: [Any], ascending: Bool? = nil, limit: Int = 0, offset: Int = 0)
        throws -> [Int]
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        if let ascending { request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: ascending)] }
        request.fetchLimit = limit
        request.fetchOffset = offset
        let found = try library.context.fetch(request).compactMap { $0.value(forKey: "pages") as? Int }
        return ascending == nil ? found.sorted() : found
    }

    @Test func kindsOfArgumentsMix() throws {
        for _ in 0..<3 {
            #expect(try pages("title == %@", ["a"]) == [2])
            #expect(try pages("title == %@", [NSNull()]) == [0])
            #expect(try pages("title == %@", [""]) == [1])
            #expect(try pages("title == %@", ["B"]) == [5])
            #expect(try pages("title != %@", ["a"]) == [1, 3, 4, 5])
            #expect(try pages("title BEGINSWITH %@", ["a"]) == [2, 4])
            #expect(try pages("title BEGINSWITH %@", [""]) == [])
            #expect(try pages("title IN %@", [["a", "b"]]) == [2, 3])
            #expect(try pages("title IN %@", [["ab"]]) == [4])
            #expect(try pages("pages == %@", [NSNumber(value: 3)]) == [3])
            #expect(try pages("pages == %@", [4]) == [4])
            #expect(try pages("pages == %@", [Int64(5)]) == [5])
            #expect(try pages("pages > %@ AND title == %@", [2, "b"]) == [3])
            #expect(try pages("pages > %@ AND title == %@", [3, "b"]) == [])
            #expect(try pages("pages BETWEEN {%@, %@}", [1, 3]) == [1, 2, 3])
        }
    }

    @Test func ordersAndLimitsMix() throws {
        for _ in 0..<3 {
            #expect(try pages("pages >= %@", [2], ascending: true) == [2, 3, 4, 5])
            #expect(try pages("pages >= %@", [2], ascending: false) == [5, 4, 3, 2])
            #expect(try pages("pages >= %@", [3], ascending: false, limit: 2) == [5, 4])
            #expect(try pages("pages >= %@", [3], ascending: true, limit: 1) == [3])
            #expect(try pages("pages >= %@", [3], ascending: true, limit: 1, offset: 1) == [4])
            #expect(try pages("pages >= %@", [3], ascending: false, offset: 2) == [3])
            #expect(try pages("pages >= %@", [3], ascending: true, limit: 2) == [3, 4])
            #expect(try pages("pages >= %@", [4]) == [4, 5])
        }
    }

    /// Constants in the format, and arguments in another order than they are compared in.
    @Test func constantsAndArgumentsMix() throws {
        for low in [1, 2, 3] {
            #expect(try pages("pages >= %@ AND pages < 5 AND title != %@", [low, "ab"]) == [Int](low..<4))
            #expect(try pages("%@ <= pages AND 4 > pages", [low]) == [Int](low..<4))
            #expect(try pages("title == %@ OR pages == %@", ["b", Double(low)]) == Set([3, low]).sorted())
        }
        #expect(try pages("pages == %@", [true]) == [1])
    }

    /// Whole numbers divide to a whole number, decimals do not: each is asked for first in a store of its own, then the other.
    @Test(arguments: [false, true], [false, true])
    func classesOfNumbersMix(_ isDecimalFirst: Bool, _ isFormat: Bool) throws {
        let divisors: [NSNumber] = [2, NSDecimalNumber(value: 2)]
        for divisor in isDecimalFirst ? divisors.reversed() : divisors {
            let quotient = NSExpression(
                forFunction: "divide:by:",
                arguments: [NSExpression(forKeyPath: "pages"), NSExpression(forConstantValue: divisor)])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate =
                isFormat
                ? NSPredicate(format: "pages / %@ == 2", divisor)
                : NSComparisonPredicate(
                    leftExpression: quotient, rightExpression: NSExpression(forConstantValue: 2), modifier: .direct,
                    type: .equalTo)
            let found = try library.context.fetch(request).compactMap { $0.value(forKey: "pages") as? Int }.sorted()
            let books = try library.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
            let inMemory = books.filter { request.predicate?.evaluate(with: $0) == true }
            #expect(found == inMemory.compactMap { $0.value(forKey: "pages") as? Int }.sorted())
            #expect(found == (divisor is NSDecimalNumber ? [4] : [4, 5]))
        }
    }

    /// The type that a value is cast to is a constant, too: as text, `007` is no 7.
    @Test(arguments: [["NSString", "NSNumber"], ["NSNumber", "NSString"]])
    func castsMix(_ names: [String]) throws {
        library.context.insert("Book", ["title": "007"])
        try library.context.save()
        for name in names {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "CAST(title, %@) == 7", name)
            #expect(try library.context.count(for: request) == (name == "NSNumber" ? 1 : 0))
        }
    }

    /// `%K` makes another predicate of the same format; the entity makes another fetch of the same predicate.
    @Test func keysAndEntitiesMix() throws {
        for _ in 0..<3 {
            for (key, entity) in [("title", "Book"), ("word", "Tag")] {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                request.predicate = NSPredicate(format: "%K == %@", key, "b")
                #expect(try library.context.fetch(request).map { $0.value(forKey: key) as? String } == ["b"])
                #expect(try library.context.count(for: request) == 1)
            }
        }
    }

    /// The tree is made when somebody looks at it: it must hold the arguments of this predicate.
    @Test func predicatesOfOneFormatAreApart() throws {
        let format = "title == %@ AND pages < %d"
        let predicates = ["a", "b"].map { NSPredicate(format: format, $0, 7) }
        #expect(predicates.map { "\($0)" } == [#"title == "a" AND pages < 7"#, #"title == "b" AND pages < 7"#])
        #expect(predicates[0] != predicates[1])
        #expect(predicates[0] == NSPredicate(format: format, "a", 7))
        #expect(predicates[0].hash == NSPredicate(format: format, "a", 7).hash)
        let book = try library.fetch("Book", "title == 'b'")[0]
        #expect(predicates.map { $0.evaluate(with: book) } == [false, true])
    }
}
