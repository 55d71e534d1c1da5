import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// `FETCH(request, context, countOnly)`, in SQL and in memory, and predicates on managed objects.
@Suite struct FetchExpressionTests {
    private static func makeLibrary() throws -> SQLiteLibrary {
        let library = try SQLiteLibrary()
        let ann = library.context.insert("Author", ["name": "Ann", "rating": 4.5])
        let bob = library.context.insert("Author", ["name": "Bob", "rating": 1.5])
        library.context.insert(
            "Book", ["title": "A", "pages": 10, "author": ann, "price": NSDecimalNumber(string: "9.5")])
        library.context.insert(
            "Book", ["title": "B", "pages": 20, "author": bob, "price": NSDecimalNumber(string: "2")])
        library.context.insert("Book", ["title": "C", "pages": 30])
        try library.context.save()
        return library
    }

    private func titles(_ predicate: NSPredicate, in library: SQLiteLibrary) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        let all = try library.context.fetch(request)
        request.predicate = predicate
        let found = try library.context.fetch(request).compactMap { $0.value(forKey: "title") as? String }
        let kept = try all.filter { try predicate.evaluateThrowing(with: $0) }
        #expect(found.sorted() == kept.compactMap { $0.value(forKey: "title") as? String }.sorted())
        return found.sorted()
    }

    @Test func fetchedObjectsInAPredicate() throws {
        let library = try Self.makeLibrary()
        let authors = NSFetchRequest<NSManagedObject>(entityName: "Author")
        authors.predicate = NSPredicate(format: "rating > 2")
        let predicate = NSPredicate(format: "author IN FETCH(%@, %@, NO)", authors, library.context)
        #expect(try titles(predicate, in: library) == ["A"])
        let counting = NSPredicate(format: "pages > FETCH(%@, %@, YES) * 15", authors, library.context)
        #expect(try titles(counting, in: library) == ["B", "C"])
    }

    @Test func expressionsOfFetches() throws {
        let library = try Self.makeLibrary()
        let authors = NSFetchRequest<NSManagedObject>(entityName: "Author")
        let count = NSFetchRequestExpression.expression(
            forFetch: NSExpression(forConstantValue: authors), context: NSExpression(forConstantValue: library.context),
            countOnly: true)
        #expect(try count.expressionValueThrowing(with: nil) as? Int == 2)
        let all = NSFetchRequestExpression.expression(
            forFetch: NSExpression(forConstantValue: authors), context: NSExpression(forConstantValue: library.context),
            countOnly: false)
        #expect((try all.expressionValueThrowing(with: nil) as? [NSManagedObject])?.count == 2)
        #expect(throws: (any Error).self) {
            try NSExpression(format: "FETCH(%@, nil, NO)", authors).expressionValueThrowing(with: nil)
        }
        #expect(throws: (any Error).self) {
            try NSExpression(format: "FETCH(1, nil, NO)").expressionValueThrowing(with: nil)
        }
        #expect(throws: (any Error).self) { try NSExpression(format: "ANYKEY").expressionValueThrowing(with: nil) }
    }

    @Test func changedAndUnsavedObjectsEvaluateByTheirValues() throws {
        let library = try Self.makeLibrary()
        let book = library.context.insert("Book", ["title": "D", "pages": 40, "inPrint": false])
        let predicate = NSPredicate(format: "pages > 35 AND title == 'D' AND inPrint == NO AND price == nil")
        #expect(predicate.evaluate(with: book))
        book.setValue(30, forKey: "pages")
        #expect(!predicate.evaluate(with: book))
        book.setValue(nil, forKey: "pages")
        #expect(!predicate.evaluate(with: book))
        #expect(NSPredicate(format: "pages == nil").evaluate(with: book))
    }

    /// Decimal values of a set cannot be hashed off Apple.
    @Test func decimalValuesOfToManyRelationships() throws {
        let library = try Self.makeLibrary()
        let ann = try #require(try library.fetch("Author", "name == 'Ann'").first)
        library.context.insert("Book", ["title": "E", "author": ann, "price": NSDecimalNumber(string: "9.50")])
        #expect(NSPredicate(format: "ANY books.price == 9.5").evaluate(with: ann))
        #expect(NSPredicate(format: "books.@sum.price == 19").evaluate(with: ann))
        #expect(NSPredicate(format: "books.price.@count == 1").evaluate(with: ann))
    }

    /// One key of one predicate, asked of objects of several entities in turn.
    @Test func keysAreFoundInEveryEntity() throws {
        let library = try SQLiteLibrary(SameAnswerModel.make())
        let place = library.context.insert("Place", ["serial": 5])
        let person = library.context.insert("Person", ["serial": 5, "home": place])
        let worker = library.context.insert("Worker", ["serial": 6])
        let predicate = NSPredicate(format: "serial == 5")
        for _ in 0..<3 {
            #expect(
                predicate.evaluate(with: person) && predicate.evaluate(with: place) && !predicate.evaluate(with: worker)
            )
        }
    }

    /// A regular expression without end stops the fetch, not the program.
    @Test func endlessRegularExpressionsInAFetch() throws {
        let library = try Self.makeLibrary()
        library.context.insert("Book", ["title": String(repeating: "a", count: 40) + "!"])
        try library.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "title MATCHES '(a+)+'")
        #expect(throws: (any Error).self) { try library.context.fetch(request) }
    }
}
