#if canImport(CoreDataSQLiteStorage)
import CoreData
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

@Suite struct QueryPredicateTests {
    private static var predicates: [(entity: String, format: String, arguments: [Any])] {
        [
            ("Book", "title == 'Book 3'", []),
            ("Book", "pages > %d", [150]),
            ("Book", "pages BETWEEN {100, 200}", []),
            ("Book", "title IN %@", [["Book 1", "Book 2", "None"]]),
            ("Book", "title BEGINSWITH[c] 'book' AND NOT title ENDSWITH '2'", []),
            ("Book", "title LIKE 'B*4'", []),
            ("Book", "title MATCHES '.*[56]'", []),
            ("Book", "author.name == 'Ann'", []),
            ("Book", "author.name CONTAINS[cd] %@", ["ANN"]),
            ("Book", "author == nil", []),
            ("Book", "author.rating > 4", []),
            ("Book", "ANY tags.word == 'red'", []),
            ("Book", "tags.@count > 1", []),
            ("Book", "SUBQUERY(tags, $t, $t.word == 'green' OR $t.word == 'blue').@count == 1", []),
            ("Book", "price > %@", [NSDecimalNumber(string: "2.5")]),
            ("Book", "inPrint == YES", []),
            ("Book", "published > %@", [Date(timeIntervalSinceReferenceDate: 200_000)]),
            ("Book", "%K < %@", ["pages", 100]),
            ("Book", "place.street == 'Road 2'", []),
            ("Book", "place.geo.lat >= 4", []),
            ("Book", "place == nil", []),
            ("Book", "entity == 'Novel'", []),
            ("Book", "genre == 'crime'", []),
            ("Book", "site == %@", [URL(string: "https://example.org/2")!]),
            ("Book", "cover == %@", [Data([1])]),
            ("Book", "author.books.@sum.pages > 500", []),
            ("Author", "books.@max.pages >= 150", []),
            ("Author", "ALL books.pages > 100", []),
            ("Author", "born != nil OR name == 'Bob'", []),
            ("Novel", "pages * 2 > 400", []),
            ("Book", "TRUEPREDICATE", []),
            ("Book", "FALSEPREDICATE", []),
        ]
    }

    @Test func resultsEqualThoseOfFetches() throws {
        let sample = try QuerySample()
        let store = try OpenStore(sample.url)
        try QuerySample.open(sample.url) { context in
            for (entity, format, arguments) in Self.predicates {
                var query = store.query(entity: entity)
                query.predicate = format
                query.arguments = arguments
                query.sortKeys = [.init(entity == "Author" ? "name" : "pages", ascending: false)]
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                request.predicate = NSPredicate(format: format, argumentArray: arguments)
                request.sortDescriptors = [NSSortDescriptor(key: query.sortKeys[0].keyPath, ascending: false)]
                let wanted = try context.fetch(request).map { $0.objectID.uriRepresentation() }
                let found = try query.rows().map(\.uri)
                #expect(found == wanted, "\(format)")
                let count = try query.count()
                #expect(count == wanted.count, "\(format)")
            }
        }
    }

    @Test func objectsAreComparedByTheirURIs() throws {
        let sample = try QuerySample()
        let store = try OpenStore(sample.url)
        var authors = store.query(entity: "Author")
        authors.predicate = "name == 'Ann'"
        let ann = try #require(try authors.rows().first).uri
        func titles(_ format: String, _ arguments: [Any] = [], of entity: String = "Book") throws -> [StoreQuery.Value]
        {
            var query = store.query(entity: entity)
            query.predicate = format
            query.arguments = arguments
            query.columns = ["title"]
            query.sortKeys = [.init("title")]
            return try query.rows().map { $0.values[0] }
        }
        let wanted: [StoreQuery.Value] = [.string("Book 1"), .string("Book 2"), .string("Book 3")]
        for found in [
            try titles("author == %@", [ann]), try titles("author == %@", [ann.absoluteString]),
            try titles("author == '\(ann.absoluteString)'"), try titles("author IN %@", [[ann]]),
            try titles("author IN {'\(ann.absoluteString)'}"), try titles("%@ == author", [ann]),
        ] { #expect(found == wanted) }
        let novels = try titles("author == %@", [ann], of: "Novel")
        #expect(novels == [.string("Book 3")])
        var same = store.query(entity: "Author")
        same.predicate = "SELF == %@"
        same.arguments = [ann]
        #expect(try same.rows().map(\.uri) == [ann])
        same.predicate = "ANY books.author == %@"
        #expect(try same.rows().map(\.uri) == [ann])
        same.predicate = "SELF IN %@"
        same.arguments = [[ann, ann.absoluteString]]
        #expect(try same.count() == 1)
    }

    @Test func datesMayBeTexts() throws {
        let sample = try QuerySample()
        var query = StoreQuery(sample.url, entity: "Book")
        query.columns = ["title"]
        // Book N was published N days after 2001-01-01.
        for (format, count) in [
            ("published > '2001-01-04'", 3), ("published >= '2001-01-04'", 4),
            ("published == '2001-01-04T00:00:00Z'", 1), ("published == '2001-01-04T02:00+02:00'", 1),
            ("published == '2001-01-03 22:30:00.0-0130'", 1), ("published BETWEEN {'2001-01-02', '2001-01-03'}", 2),
        ] {
            query.predicate = format
            #expect(try query.count() == count, "\(format)")
        }
        query.predicate = "published > 'yesterday'"
        let error = #expect(throws: StoreToolError.self) { try query.count() }
        #expect(error?.message == "\"yesterday\" is not a date.")
    }

    @Test func limitsOffsetsAndOrdersAreThoseOfFetches() throws {
        let sample = try QuerySample()
        var query = StoreQuery(sample.url, entity: "Book")
        query.columns = ["title"]
        query.sortKeys = [.init("author.name"), .init("title", ascending: false)]
        query.offset = 1
        query.limit = 2
        let titles = try query.rows().map { $0.values[0] }
        #expect(titles == [.string("Book 3"), .string("Book 2")])
        #expect(try query.count() == 2)
        query.limit = 0
        #expect(try query.rows().isEmpty)
        #expect(try query.count() == 0)
        query.limit = nil
        query.offset = 5
        #expect(try query.count() == 2)
        query.includesSubentities = false
        query.offset = 0
        #expect(try query.count() == 5)
    }
}
#endif
