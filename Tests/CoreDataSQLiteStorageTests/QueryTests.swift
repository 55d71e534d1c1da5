import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// What a fetch from SQLite finds, predicate by predicate: expectations follow Apple's documentation of predicates and the
/// behaviour developers report of its store (NULL never equals or differs from anything).
@Suite
struct QueryTests {
    /// Ann wrote A, B, C; Bob wrote D; Cid (no name details) wrote nothing. E has no author.
    private static func makeLibrary() throws -> SQLiteLibrary {
        let library = try SQLiteLibrary()
        let context = library.context
        func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            for (key, value) in values { object.setValue(value, forKey: key) }
            return object
        }
        let ann = make("Author", ["name": "Ann", "rating": 4.5, "born": Date(timeIntervalSinceReferenceDate: 1000)])
        let bob = make("Author", ["name": "Böb", "rating": 2.0])
        _ = make("Author", ["name": "cid"])
        let red = make("Tag", ["word": "red"])
        let blue = make("Tag", ["word": "blue"])
        let shelf = make("Shelf", ["label": "top"])
        let a = make("Book", ["title": "Alpha", "pages": 10, "author": ann, "price": NSDecimalNumber(string: "9.95")])
        let b = make("Book", ["title": "Beta", "pages": 20, "author": ann, "inPrint": false])
        let c = make("Book", ["title": "ÉCLAIR", "pages": 30, "author": ann])
        let d = make("Book", ["title": "delta", "pages": 40, "author": bob])
        let e = make("Book", ["pages": 50])
        a.setValue(NSSet(array: [red, blue]), forKey: "tags")
        b.setValue(NSSet(array: [red]), forKey: "tags")
        d.setValue(NSSet(array: [blue]), forKey: "tags")
        shelf.setValue(NSOrderedSet(array: [c, a, e]), forKey: "books")
        _ = make("Award", ["year": 1999, "winner": ann])
        _ = make("Award", ["year": 2005, "winner": ann])
        _ = make("Award", ["year": 2010, "winner": bob])
        try context.save()
        context.reset()
        return library
    }

    /// Pages of the books a predicate finds, which identify them.
    private func pages(_ predicate: NSPredicate, in library: SQLiteLibrary) throws -> [Int] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        let found = try library.context.fetch(request)
        request.resultType = .managedObjectResultType
        #expect(try library.context.count(for: request) == found.count)
        return found.compactMap { $0.value(forKey: "pages") as? Int }
    }

    private func names(_ predicate: NSPredicate, in library: SQLiteLibrary) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try library.context.fetch(request).compactMap { $0.value(forKey: "name") as? String }
    }

    @Test func attributes() throws {
        let library = try Self.makeLibrary()
        let cases: [(String, [Int])] = [
            ("pages == 20", [20]), ("pages != 20", [10, 30, 40, 50]), ("pages > 20 AND pages <= 40", [30, 40]),
            ("pages BETWEEN {20, 40}", [20, 30, 40]), ("pages IN {10, 50, 60}", [10, 50]),
            ("NOT (pages IN {10, 50})", [20, 30, 40]), ("title == nil", [50]), ("title != nil", [10, 20, 30, 40]),
            ("title == 'Alpha'", [10]), ("title != 'Alpha'", [20, 30, 40]), ("title ==[c] 'alpha'", [10]),
            ("title ==[cd] 'eclair'", [30]), ("title BEGINSWITH 'Be'", [20]), ("title BEGINSWITH[c] 'DE'", [40]),
            ("title ENDSWITH 'ta'", [20, 40]), ("title CONTAINS 'lph'", [10]), ("title CONTAINS[c] 'LPH'", [10]),
            ("title CONTAINS ''", []), ("title LIKE '?eta'", [20]), ("title LIKE[c] '*L*A*'", [10, 30, 40]),
            ("title LIKE[c] '*L*TA'", [40]), ("title MATCHES '[A-B].*'", [10, 20]), ("title < 'B'", [10]),
            ("title IN {'Alpha', 'delta', 'x'}", [10, 40]), ("title IN[c] {'ALPHA', 'DELTA'}", [10, 40]),
            ("inPrint == NO", [20]), ("inPrint == 1 AND title BEGINSWITH 'A'", [10]),
            ("price == 9.95", [10]), ("price > 9", [10]), ("isbn == nil AND pages > 30", [40, 50]),
            ("TRUEPREDICATE", [10, 20, 30, 40, 50]), ("FALSEPREDICATE", []),
            ("pages + 10 == 30", [20]), ("pages * 2 > 60", [40, 50]), ("pages / 4.0 == 2.5", [10]),
            ("pages / 4 == 2", [10]), ("price / 2 > 4.9", [10]),
            ("modulus:by:(pages, 20) == 0", [20, 40]), ("pages & 8 != 0", [10, 30, 40]),
            ("abs:(pages - 30) < 11", [20, 30, 40]),
            ("uppercase:(title) == 'ALPHA'", [10]), ("canonical:(title) == 'eclair'", [30]),
            ("length(title) == 4", [20]),
            ("title.length == 6", [30]), ("TERNARY(pages > 30, 1, 0) == 1", [40, 50]), ("sqrt:(pages + 6) == 4", [10]),
            ("pages ** 2 == 400", [20]), ("'Alpha' == title", [10]), ("30 < pages", [40, 50]),
        ]
        for (format, expected) in cases {
            #expect(try pages(NSPredicate(format: format), in: library) == expected, "\(format)")
        }
    }

    @Test func arguments() throws {
        let library = try Self.makeLibrary()
        let many = (0..<40_000).map { $0 * 20 }
        #expect(try pages(NSPredicate(format: "pages IN %@", many), in: library) == [20, 40])
        #expect(try pages(NSPredicate(format: "pages IN %@", [] as [Int]), in: library) == [])
        #expect(try pages(NSPredicate(format: "title IN %@", ["Beta", "o'hara"]), in: library) == [20])
        #expect(try pages(NSPredicate(format: "title == %@", "'; DROP TABLE ZBOOK; --"), in: library) == [])
        #expect(try pages(NSPredicate(format: "%K == %d", "pages", 30), in: library) == [30])
        #expect(
            try names(NSPredicate(format: "born == %@", Date(timeIntervalSinceReferenceDate: 1000)), in: library)
                == ["Ann"])
        #expect(try names(NSPredicate(format: "born < %@", Date()), in: library) == ["Ann"])
        #expect(try names(NSPredicate(format: "born < now()"), in: library) == ["Ann"])
    }

    @Test func relationships() throws {
        let library = try Self.makeLibrary()
        let cases: [(String, [Int])] = [
            ("author.name == 'Ann'", [10, 20, 30]), ("author.name ==[cd] 'bob'", [40]), ("author == nil", [50]),
            ("author != nil", [10, 20, 30, 40]), ("author.rating > 3 AND shelf.label == 'top'", [10, 30]),
            ("ANY tags.word == 'red'", [10, 20]), ("NONE tags.word == 'red'", [30, 40, 50]),
            ("ANY tags.word IN {'red', 'blue'}", [10, 20, 40]), ("ALL tags.word == 'red'", [20, 30, 50]),
            ("tags.@count == 2", [10]), ("tags.@count == 0", [30, 50]), ("tags == nil", [30, 50]),
            ("SUBQUERY(tags, $t, $t.word == 'blue').@count > 0", [10, 40]),
            ("author.books.@count == 3", [10, 20, 30]), ("ANY author.awards.year == 2005", [10, 20, 30]),
            ("shelf.books.@count == 3", [10, 30, 50]),
        ]
        for (format, expected) in cases {
            #expect(try pages(NSPredicate(format: format), in: library) == expected, "\(format)")
        }
        let authors: [(String, [String])] = [
            ("books.@count > 1", ["Ann"]), ("books.@sum.pages == 60", ["Ann"]), ("books.@max.pages == 40", ["Böb"]),
            ("books.@avg.pages == 20", ["Ann"]), ("books.@min.pages < 20", ["Ann"]),
            ("books.@count == 0", ["cid"]), ("ANY books.pages > 35", ["Böb"]),
            ("SUBQUERY(books, $b, $b.pages > 10 AND $b.title != nil).@count == 2", ["Ann"]),
            ("SUBQUERY(books, $b, SUBQUERY($b.tags, $t, $t.word == 'red').@count > 0).@count == 2", ["Ann"]),
            ("SUBQUERY(books, $b, $b.pages > rating * 15).@count == 1", ["Böb"]),
            ("SUBQUERY(books, $b, ANY $b.tags.word == 'blue' AND $b.pages < 20).@count == 1", ["Ann"]),
            ("ANY books.shelf.label == 'top'", ["Ann"]), ("ANY awards.year BETWEEN {2000, 2006}", ["Ann"]),
        ]
        for (format, expected) in authors {
            #expect(try names(NSPredicate(format: format), in: library) == expected, "\(format)")
        }
    }

    @Test func objects() throws {
        let library = try Self.makeLibrary()
        let context = library.context
        func first(_ entity: String, _ format: String) throws -> NSManagedObject {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: format)
            return try #require(try context.fetch(request).first)
        }
        let ann = try first("Author", "name == 'Ann'")
        let red = try first("Tag", "word == 'red'")
        let beta = try first("Book", "pages == 20")
        let unsaved = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
        #expect(try pages(NSPredicate(format: "author == %@", ann), in: library) == [10, 20, 30])
        #expect(try pages(NSPredicate(format: "author == %@", ann.objectID), in: library) == [10, 20, 30])
        #expect(try pages(NSPredicate(format: "author IN %@", [ann]), in: library) == [10, 20, 30])
        #expect(try pages(NSPredicate(format: "author == %@", unsaved), in: library) == [])
        #expect(try pages(NSPredicate(format: "author == %@", red), in: library) == [])
        #expect(try pages(NSPredicate(format: "ANY tags == %@", red), in: library) == [10, 20])
        #expect(try pages(NSPredicate(format: "tags CONTAINS %@", red), in: library) == [10, 20])
        #expect(try pages(NSPredicate(format: "%@ IN tags", red), in: library) == [10, 20])
        #expect(try pages(NSPredicate(format: "SELF == %@", beta), in: library) == [20])
        #expect(try pages(NSPredicate(format: "SELF IN %@", [beta.objectID]), in: library) == [20])
        #expect(try pages(NSPredicate(format: "objectID == %@", beta.objectID), in: library) == [20])
        #expect(try pages(NSPredicate(format: "NOT (SELF IN %@)", [beta]), in: library) == [10, 30, 40, 50])
        #expect(try names(NSPredicate(format: "ANY books == %@", beta), in: library) == ["Ann"])
        #expect(try names(NSPredicate(format: "books CONTAINS %@", beta), in: library) == ["Ann"])
    }

    /// The texts are those of Apple's exceptions; here they are thrown.
    private static let refused = [
        ("colour == 1", "keypath colour not found in entity Book"),
        ("author.colour == 1", "keypath author.colour not found in entity Book"),
        ("tags.word == 'red'", "to-many key not allowed here"),
        ("ANY author.books.tags.word == 'red'", "multiple to-many keys not allowed here"),
        ("pages == $unknown", "unbound variable"),
        ("FUNCTION(title, 'uppercaseString') == 'A'", "Unsupported function expression"),
        ("median:(tags) == 1", "Unsupported function expression"),
    ]

    /// The texts are those of Apple's exceptions; here they are thrown.
    @Test func unsupported() throws {
        let library = try Self.makeLibrary()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        for (format, text) in Self.refused {
            request.predicate = NSPredicate(format: format)
            do {
                _ = try library.context.fetch(request)
                Issue.record("\(format) was accepted")
            } catch {
                #expect(error.localizedDescription.contains(text), "\(format)")
            }
        }
    }

    @Test func sorting() throws {
        let library = try Self.makeLibrary()
        func order(_ descriptors: NSSortDescriptor...) throws -> [Int] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = descriptors
            return try library.context.fetch(request).compactMap { $0.value(forKey: "pages") as? Int }
        }
        #expect(try order(NSSortDescriptor(key: "pages", ascending: false)) == [50, 40, 30, 20, 10])
        #expect(try order(NSSortDescriptor(key: "title", ascending: true)) == [50, 10, 20, 40, 30])
        #expect(
            try order(
                NSSortDescriptor(key: "author.name", ascending: true), NSSortDescriptor(key: "pages", ascending: false))
                == [50, 30, 20, 10, 40])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "tags.word", ascending: true)]
        #expect(throws: (any Error).self) { try library.context.fetch(request) }
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        request.fetchLimit = 2
        request.fetchOffset = 1
        #expect(try library.context.fetch(request).compactMap { $0.value(forKey: "pages") as? Int } == [20, 30])
        #expect(try library.context.count(for: request) == 2)
    }
}
