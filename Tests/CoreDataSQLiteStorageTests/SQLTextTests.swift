import CoreDataSQLiteStorage
import CoreDataRowStorage
import CoreDataTestSupport
import Foundation
import PredicateFormat
import Testing

@testable import CoreData

/// The SQL that predicates and sort descriptors become. Values are parameters throughout.
@Suite struct SQLTextTests {
    private func sql(_ entity: String, _ predicate: NSPredicate?, _ sort: [NSSortDescriptor] = []) throws -> String {
        let library = try SQLiteLibrary()
        let engine = try #require(try (library.store as? SQLiteStore)?.engine)
        var fetch = StoreFetch(layout: try #require(engine.layouts.byName[entity]))
        fetch.predicate = predicate
        fetch.sortDescriptors = sort
        return try CompiledFetch(fetch, .references, engine).sql.text
    }

    @Test(arguments: [
        ("pages == 20", "t0.ZPAGES = ?1"), ("ANY pages == 20", "t0.ZPAGES = ?1"), ("pages != 20", "t0.ZPAGES <> ?1"),
        ("title == nil", "t0.ZTITLE IS NULL"),
        ("title != nil", "t0.ZTITLE IS NOT NULL"), ("NOT pages > 1", "NOT (t0.ZPAGES > ?1)"),
        ("pages BETWEEN {1, 2}", "t0.ZPAGES BETWEEN ?1 AND ?2"), ("pages IN {1, 2}", "t0.ZPAGES IN (?1, ?2)"),
        ("title IN {}", "1 = 0"), ("title BEGINSWITH 'A'", "(t0.ZTITLE >= ?1 AND t0.ZTITLE < ?2)"),
        ("title BEGINSWITH[c] 'A'", "CDMatch(t0.ZTITLE, ?1)"), ("title CONTAINS[cd] 'a'", "CDMatch(t0.ZTITLE, ?1)"),
        ("title LIKE 'a*'", "CDMatch(t0.ZTITLE, ?1)"), ("title MATCHES 'a.*'", "CDMatch(t0.ZTITLE, ?1)"),
        ("title ==[c] 'a'", "CDMatch(t0.ZTITLE, ?1)"), ("title == 'a'; DROP TABLE ZBOOK", ""),
        ("title == \"'; DROP TABLE ZBOOK; --\"", "t0.ZTITLE = ?1"), ("author == nil", "t0.ZAUTHOR IS NULL"),
        ("pages > 1 AND pages < 5 OR isbn == nil", "((t0.ZPAGES > ?1) AND (t0.ZPAGES < ?2)) OR (t0.ZISBN IS NULL)"),
        ("pages + 1 > 2", "(t0.ZPAGES + ?1) > ?2"), ("pages / 2 == 5", "(t0.ZPAGES / ?1) = ?2"),
        ("price / 2 == 5", "CDDecimal((CAST(t0.ZPRICE AS REAL) / ?1)) = ?2"),
        ("pages & 4 != 0", "(t0.ZPAGES & ?1) <> ?2"),
        ("length(title) > 3", "CDLength(t0.ZTITLE) > ?1"), ("published < now()", "t0.ZPUBLISHED < ?1"),
        ("TERNARY(pages > 1, 1, 2) == 1", "CASE WHEN t0.ZPAGES > ?1 THEN ?2 ELSE ?3 END = ?4"),
        ("noindex:(title) == 'a'", "+t0.ZTITLE = ?1"), ("FALSEPREDICATE", "1 = 0"),
    ])
    func ofAttributes(_ format: String, _ condition: String) throws {
        guard let predicate = try? NSPredicate.parse(format) else { return #expect(condition.isEmpty) }
        #expect(try sql("Book", predicate) == "SELECT t0.Z_PK FROM ZBOOK t0 WHERE (\(condition))")
    }

    @Test func ofToOneRelationships() throws {
        #expect(
            try sql("Book", NSPredicate(format: "author.name == 'Ann' AND author.rating > 2"))
                == "SELECT t0.Z_PK FROM ZBOOK t0 LEFT OUTER JOIN ZAUTHOR t1 ON t1.Z_PK = t0.ZAUTHOR "
                + "WHERE ((t1.ZNAME = ?1) AND (t1.ZRATING > ?2))")
    }

    /// Keys are the order of objects; a parameter that is no object of the hierarchy is NULL, which nothing compares with.
    @Test(arguments: [
        ("SELF > %@", "t0.Z_PK > ?1"), ("SELF <= %@", "t0.Z_PK <= ?1"), ("%@ >= SELF", "?1 >= t0.Z_PK"),
        ("objectID < %@", "t0.Z_PK < ?1"), ("author < %@", "t0.ZAUTHOR < ?1"), ("%@ < author", "?1 < t0.ZAUTHOR"),
        ("author.objectID >= %@", "t0.ZAUTHOR >= ?1"), ("SELF > nil", "t0.Z_PK > NULL"), ("SELF > author", "1 = 0"),
        ("author <= SELF.author", "t0.ZAUTHOR <= t0.ZAUTHOR"),
        ("SELF > %@ AND pages > 1", "(t0.Z_PK > ?1) AND (t0.ZPAGES > ?2)"),
    ])
    func ofObjectsInOrder(_ format: String, _ condition: String) throws {
        let library = try SQLiteLibrary()
        let author = library.context.insert("Author")
        for argument in [author, author.objectID] as [Any] {
            let predicate = NSPredicate(format: format, argumentArray: [argument])
            #expect(try sql("Book", predicate) == "SELECT t0.Z_PK FROM ZBOOK t0 WHERE (\(condition))")
        }
    }

    private static let books = "FROM ZBOOK t1 WHERE t1.ZAUTHOR = t0.Z_PK"

    @Test(arguments: [
        ("books.@count > 2", "(SELECT COUNT(*) \(books)) > ?1"),
        ("books.@sum.pages > 2", "(SELECT IFNULL(SUM(t1.ZPAGES), 0) \(books)) > ?1"),
        ("books.@max.pages > 2", "(SELECT MAX(t1.ZPAGES) \(books)) > ?1"),
        ("ANY books.pages > 3", "EXISTS (SELECT 1 \(books) AND (t1.ZPAGES > ?1))"),
        ("NONE books.pages > 3", "NOT (EXISTS (SELECT 1 \(books) AND (t1.ZPAGES > ?1)))"),
        (
            "ALL books.pages > 3",
            "NOT EXISTS (SELECT 1 \(books) AND (t1.ZPAGES IS NOT NULL AND (t1.ZPAGES > ?1) IS NOT TRUE))"
        ),
        ("books == nil", "NOT EXISTS (SELECT 1 \(books))"),
        (
            "SUBQUERY(books, $b, $b.pages > rating).@count == 0",
            "(SELECT COUNT(*) \(books) AND (t1.ZPAGES > t0.ZRATING)) = ?1"
        ),
    ])
    func ofToManyRelationships(_ format: String, _ condition: String) throws {
        #expect(
            try sql("Author", NSPredicate(format: format)) == "SELECT t0.Z_PK FROM ZAUTHOR t0 WHERE (\(condition))")
    }

    /// What is asked of the elements of one relationship is asked in one sub-select.
    @Test(arguments: [
        (
            "ANY books.pages > 3 OR rating == 1 OR ANY books.pages == 0",
            "(EXISTS (SELECT 1 \(books) AND ((t1.ZPAGES > ?1) OR (t1.ZPAGES = ?2)))) OR (t0.ZRATING = ?3)"
        ),
        (
            "NONE books.pages > 3 AND NONE books.pages < 1",
            "(NOT EXISTS (SELECT 1 \(books) AND ((t1.ZPAGES > ?1) OR (t1.ZPAGES < ?2))))"
        ),
        (
            "ALL books.pages > 3 AND ALL books.pages < 9",
            "(NOT EXISTS (SELECT 1 \(books) AND ((t1.ZPAGES IS NOT NULL AND (t1.ZPAGES > ?1) IS NOT TRUE) "
                + "OR (t1.ZPAGES IS NOT NULL AND (t1.ZPAGES < ?2) IS NOT TRUE))))"
        ),
        (
            "ANY books.pages > 3 AND ANY books.pages < 9",
            "(EXISTS (SELECT 1 \(books) AND (t1.ZPAGES > ?1))) AND "
                + "(EXISTS (SELECT 1 FROM ZBOOK t2 WHERE t2.ZAUTHOR = t0.Z_PK AND (t2.ZPAGES < ?2)))"
        ),
    ])
    func ofSeveralConditionsOnOneRelationship(_ format: String, _ condition: String) throws {
        let text = try sql("Author", NSPredicate(format: format))
        #expect(text == "SELECT t0.Z_PK FROM ZAUTHOR t0 WHERE (\(condition))")
    }

    /// One statement serves lists of every length.
    @Test func ofLists() throws {
        for list in [[1], [1, 2, 3], Array(0..<10_000)] {
            #expect(
                try sql("Book", NSPredicate(format: "pages IN %@", list))
                    == "SELECT t0.Z_PK FROM ZBOOK t0 WHERE (t0.ZPAGES IN (SELECT value FROM CDArray(?1)))")
        }
    }

    /// What compares as equal comes in the order of primary keys.
    @Test func ofSortDescriptors() throws {
        let name = NSSortDescriptor(key: "author.name", ascending: true)
        let title = NSSortDescriptor(key: "title", ascending: false, selector: .caseInsensitiveCompare)
        #expect(
            try sql("Book", nil, [name, title])
                == "SELECT t0.Z_PK FROM ZBOOK t0 LEFT OUTER JOIN ZAUTHOR t1 ON t1.Z_PK = t0.ZAUTHOR "
                + "ORDER BY t1.ZNAME, t0.ZTITLE COLLATE NSCollateNoCase DESC, t0.Z_PK")
        #expect(
            try sql("Book", nil, [NSSortDescriptor(key: "self", ascending: false)])
                == "SELECT t0.Z_PK FROM ZBOOK t0 ORDER BY t0.Z_PK DESC")
    }

    @Test func refusedSortDescriptors() throws {
        let refused: [(NSSortDescriptor, String)] = [
            (NSSortDescriptor(key: "tags.word", ascending: true), "to-many key not allowed here"),
            (NSSortDescriptor(key: "tags.@count", ascending: true), "to-many key not allowed here"),
            (NSSortDescriptor(key: "colour", ascending: true), "keypath colour not found in entity Book"),
            (
                NSSortDescriptor(key: "title", ascending: true, selector: "myCompare:"),
                "unsupported NSSortDescriptor selector: myCompare:"
            ),
            (
                NSSortDescriptor(key: "title", ascending: true) { _, _ in .orderedSame },
                "unsupported NSSortDescriptor (comparator blocks are not supported)"
            ),
        ]
        for (sort, text) in refused {
            let error = #expect(throws: (any Error).self) { try sql("Book", nil, [sort]) }
            #expect(error?.localizedDescription.contains(text) == true, "\(error as Any)")
        }
    }

    /// The texts are those of Apple's exceptions, where they are known; each names what cannot be said in SQL.
    @Test(arguments: [
        ("colour == 1", "keypath colour not found in entity Book"), ("tags.word == 'red'", "tags.word"),
        ("pages == $x", "unbound variable $x"), ("title[FIRST] == 'a'", "title[FIRST]"),
        ("($y := pages) == 1", "$y := pages"), ("ANYKEY == 1", "ANYKEY"), ("tags UNION {1} == nil", "tags UNION {1}"),
        ("FUNCTION(title, 'uppercaseString') == 'A'", "FUNCTION(title, \"uppercaseString\")"),
        ("median:({1, pages}) == 1", "median:({1, pages})"), ("random() > pages", "random()"),
        ("pages BETWEEN 3", "pages BETWEEN 3"), ("pages IN 3", "pages IN 3"), ("author IN 'x'", "author IN \"x\""),
        ("author BEGINSWITH 'x'", "author BEGINSWITH \"x\""), ("author == 'x'", "author == \"x\""),
        ("ALL pages == 1", "ALL pages == 1"), ("ANY author.books.tags.word == 'x'", "author.books.tags.word"),
        ("SUBQUERY(pages, $x, $x == 1).@count == 1", "SUBQUERY(pages, $x, $x == 1)"),
        ("tags.@unionOfObjects.word == 'x'", "tags.@unionOfObjects.word"), ("pages.@count == 1", "pages.@count"),
        ("CAST(pages, 'NSUUID') == nil", "CAST(pages, \"NSUUID\")"),
        ("title.uppercaseString == 'A'", "title.uppercaseString"),
        ("FETCH(1, 2, NO) == 1", "FETCH(1, 2, 0)"), ("tags.@sum.books == 1", "tags.@sum.books"),
    ])
    func refusedPredicates(_ format: String, _ text: String) throws {
        let error = #expect(throws: (any Error).self) { try sql("Book", NSPredicate(format: format)) }
        #expect(error?.localizedDescription.contains(text) == true, "\(error as Any)")
    }

    @Test func refusedBlocks() throws {
        let error = #expect(throws: (any Error).self) { try sql("Book", NSPredicate { _, _ in true }) }
        #expect(error?.localizedDescription.contains("Problem with subpredicate BLOCKPREDICATE") == true)
        let block = ExpressionNode.block(ExpressionBlock { _, _, _ in 1 }, [])
        let comparison = NSPredicate(node: .comparison(ComparisonNode(.path("pages"), .equalTo, block)))
        #expect(throws: (any Error).self) { try sql("Book", comparison) }
    }
}
