import CoreDataRowStorage
import CoreDataSQLQueries
import PredicateFormat
import Testing

/// The SQL that predicates become. Values are parameters throughout, numbered in the order they stand in.
@Suite("Conditions as SQL")
struct ConditionTests {
    private func check(_ entity: String, _ format: String, _ condition: String, joins: [String] = [])
        throws
    {
        let query = Query(entity)
        #expect(try query.condition(format) == condition)
        #expect(query.joins == joins)
    }

    @Test(arguments: [
        ("pages == 20", "t0.ZPAGES = ?1"), ("pages != 20", "t0.ZPAGES <> ?1"),
        ("20 <= pages", "?1 <= t0.ZPAGES"),
        ("title == nil", "t0.ZTITLE IS NULL"), ("nil != title", "t0.ZTITLE IS NOT NULL"),
        ("pages == nil OR NOT pages > 1", "(t0.ZPAGES IS NULL) OR (NOT (t0.ZPAGES > ?1))"),
        (
            "pages > 1 AND (pages < 5 AND title == 'a')",
            "(t0.ZPAGES > ?1) AND (t0.ZPAGES < ?2) AND (t0.ZTITLE = ?3)"
        ),
        ("published < now()", "t0.ZPUBLISHED < ?1"), ("TRUEPREDICATE", "1 = 1"),
        ("FALSEPREDICATE", "1 = 0"),
        ("entity == 'Novel'", "t0.Z_ENT = ?1"), ("chapters > 3", "t0.ZCHAPTERS > ?1"),
    ])
    func comparisons(_ format: String, _ condition: String) throws {
        try check("Book", format, condition)
    }

    @Test(arguments: [
        ("pages + 1 > 2", "(t0.ZPAGES + ?1) > ?2"), ("pages & 4 != 0", "(t0.ZPAGES & ?1) <> ?2"),
        ("price / 2 == 5", "CDDecimal((CAST(t0.ZPRICE AS REAL) / ?1)) = ?2"),
        ("length(title) > 3", "CDLength(t0.ZTITLE) > ?1"),
        ("title.length > 3", "CDLength(t0.ZTITLE) > ?1"),
        ("TERNARY(pages > 1, 1, 2) == 1", "CASE WHEN t0.ZPAGES > ?1 THEN ?2 ELSE ?3 END = ?4"),
    ])
    func computedValues(_ format: String, _ condition: String) throws {
        try check("Book", format, condition)
    }

    @Test(arguments: [
        ("title BEGINSWITH 'A'", "(t0.ZTITLE >= ?1 AND t0.ZTITLE < ?2)"),
        ("title BEGINSWITH ''", "1 = 0"),
        ("title BEGINSWITH[c] 'A'", "CDMatch(t0.ZTITLE, ?1)"),
        ("title LIKE 'a*'", "CDMatch(t0.ZTITLE, ?1)"),
        ("title ==[cd] 'a'", "CDMatch(t0.ZTITLE, ?1)"), ("title CONTAINS nil", "1 = 0"),
        ("title == \"'; DROP TABLE ZBOOK; --\"", "t0.ZTITLE = ?1"),
    ])
    func strings(_ format: String, _ condition: String) throws {
        try check("Book", format, condition)
    }

    @Test(arguments: [
        ("pages IN {1, 2}", "t0.ZPAGES IN (?1, ?2)"), ("title IN {}", "1 = 0"),
        ("title IN[c] {'a', 'b'}", "CDFold(t0.ZTITLE, 1) IN (CDFold(?1, 1), CDFold(?2, 1))"),
        ("pages BETWEEN {1, 2}", "t0.ZPAGES BETWEEN ?1 AND ?2"),
        ("pages BETWEEN {1, chapters}", "t0.ZPAGES BETWEEN ?1 AND t0.ZCHAPTERS"),
    ])
    func setsAndRanges(_ format: String, _ condition: String) throws {
        try check("Book", format, condition)
    }

    /// One statement serves lists of every length.
    @Test func listsAreOneParameter() throws {
        for list in [[1], [1, 2, 3], Array(0..<1000)] {
            let query = Query("Book")
            #expect(
                try query.condition("pages IN %@", [list]) == "t0.ZPAGES IN (SELECT value FROM CDArray(?1))"
            )
            #expect(try query.condition("pages BETWEEN %@", [[1, 2]]) == "t0.ZPAGES BETWEEN ?1 AND ?2")
        }
    }

    /// A path through a to-one relationship joins its table, once for all the paths that lead there.
    @Test func pathsThroughToOneRelationships() throws {
        try check("Book", "author == nil", "t0.ZAUTHOR IS NULL")
        let join = "LEFT OUTER JOIN ZAUTHOR t1 ON t1.Z_PK = t0.ZAUTHOR"
        try check(
            "Book", "author.name == 'Ann' AND author.rating > 2", "(t1.ZNAME = ?1) AND (t1.ZRATING > ?2)",
            joins: [join])
        try check("Book", "author.objectID == nil", "t0.ZAUTHOR IS NULL")
    }

    private static let books = "FROM ZBOOK t1 WHERE t1.ZAUTHOR = t0.Z_PK"

    @Test(arguments: [
        ("ANY books.pages > 3", "EXISTS (SELECT 1 \(books) AND (t1.ZPAGES > ?1))"),
        ("NONE books.pages > 3", "NOT (EXISTS (SELECT 1 \(books) AND (t1.ZPAGES > ?1)))"),
        (
            "ALL books.pages > 3",
            "NOT EXISTS (SELECT 1 \(books) AND (t1.ZPAGES IS NOT NULL AND (t1.ZPAGES > ?1) IS NOT TRUE))"
        ),
        ("books == nil", "NOT EXISTS (SELECT 1 \(books))"),
        (
            "ANY books.pages > 3 OR ANY books.pages == 0",
            "(EXISTS (SELECT 1 \(books) AND ((t1.ZPAGES > ?1) OR (t1.ZPAGES = ?2))))"
        ),
    ])
    func toManyRelationships(_ format: String, _ condition: String) throws {
        try check("Author", format, condition)
    }

    @Test func relationshipsWithTablesOfTheirOwn() throws {
        try check(
            "Book", "ANY tags.word == 'red'",
            "EXISTS (SELECT 1 FROM Z_BOOKTAGS t1 LEFT OUTER JOIN ZTAG t2 ON t2.Z_PK = t1.Z_TAG "
                + "WHERE t1.Z_BOOK = t0.Z_PK AND (t2.ZWORD = ?1))")
        // What the table still names though its row is gone is not counted.
        try check(
            "Book", "tags.@count > 1",
            "(SELECT COUNT(*) FROM Z_BOOKTAGS t1 WHERE t1.Z_BOOK = t0.Z_PK "
                + "AND (t1.Z_TAG IN (SELECT Z_PK FROM ZTAG))) > ?1")
        // A relationship that is its own inverse is one in either direction.
        let both =
            "(SELECT Z_ONE, Z_OTHER FROM Z_RELATED UNION SELECT Z_OTHER, Z_ONE FROM Z_RELATED) t1"
        try check(
            "Book", "ANY related.pages == 1",
            "EXISTS (SELECT 1 FROM \(both) LEFT OUTER JOIN ZBOOK t2 ON t2.Z_PK = t1.Z_OTHER "
                + "WHERE t1.Z_ONE = t0.Z_PK AND (t2.ZPAGES = ?1))")
    }

    @Test(arguments: [
        (
            "SUBQUERY(books, $b, $b.pages > rating).@count == 0",
            "(SELECT COUNT(*) \(books) AND (t1.ZPAGES > t0.ZRATING)) = ?1"
        ),
        (
            "SUBQUERY(books, $b, ANY $b.tags.word == 'red').@sum.pages > 2",
            "(SELECT IFNULL(SUM(t1.ZPAGES), 0) \(books) AND (EXISTS (SELECT 1 FROM Z_BOOKTAGS t2 "
                + "LEFT OUTER JOIN ZTAG t3 ON t3.Z_PK = t2.Z_TAG WHERE t2.Z_BOOK = t1.Z_PK AND (t3.ZWORD = ?1)))) > ?2"
        ),
    ])
    func subqueries(_ format: String, _ condition: String) throws {
        try check("Author", format, condition)
    }

    @Test(arguments: [
        ("books.@count > 2", "(SELECT COUNT(*) \(books)) > ?1"),
        ("books.@sum.pages > 2", "(SELECT IFNULL(SUM(t1.ZPAGES), 0) \(books)) > ?1"),
        ("books.@avg.pages > 2", "(SELECT IFNULL(AVG(t1.ZPAGES), 0) \(books)) > ?1"),
        ("books.@max.pages > 2", "(SELECT MAX(t1.ZPAGES) \(books)) > ?1"),
    ])
    func aggregates(_ format: String, _ condition: String) throws {
        try check("Author", format, condition)
    }

    /// In memory nil differs from every value, and what is not true is false.
    @Test(arguments: [
        ("pages != 1", "t0.ZPAGES IS NOT ?1"), ("NOT pages == 1", "(t0.ZPAGES = ?1) IS NOT TRUE"),
        ("pages == chapters", "t0.ZPAGES IS t0.ZCHAPTERS"),
        ("title !=[c] 'a'", "(CDMatch(t0.ZTITLE, ?1)) IS NOT TRUE"),
    ])
    func withTwoTruthValues(_ format: String, _ condition: String) throws {
        let query = Query("Book")
        query.compiler.isTwoValued = true
        #expect(try query.condition(format) == condition)
    }

    /// SQLite limits how deep a tree may be: a hundred terms are two groups.
    @Test func longChainsAreGrouped() throws {
        let query = Query("Book")
        let terms = (0..<100).map { "pages > \($0)" }
        let parts = try query.condition(terms.joined(separator: " OR ")).components(
            separatedBy: ") OR (")
        #expect(parts.count == 100)
        #expect(parts.first == "((t0.ZPAGES > ?1" && parts[63] == "t0.ZPAGES > ?64)")
        #expect(parts[64] == "(t0.ZPAGES > ?65" && parts.last == "t0.ZPAGES > ?100))")
    }

    @Test func rowsOfOneEntityInASharedTable() throws {
        func restriction(_ entity: String, _ includesSubentities: Bool) throws -> String? {
            let shop = Shop()
            let layout = try #require(shop.layouts.byName[entity])
            let condition = try shop.restriction(
                of: layout, includesSubentities: includesSubentities, alias: "t0")
            return condition?.statement(in: shop.dialect).text
        }
        #expect(try restriction("Author", true) == nil && restriction("Author", false) == nil)
        #expect(try restriction("Book", true) == nil)
        #expect(try restriction("Book", false) == "t0.Z_ENT = 12")
        #expect(try restriction("Novel", true) == "t0.Z_ENT IN (13, 14)")
        #expect(try restriction("Saga", true) == "t0.Z_ENT = 14")
    }

    /// Each error names what cannot be said in SQL.
    @Test(arguments: [
        ("colour == 1", "keypath colour not found in entity Book"),
        ("author.age == 1", "keypath author.age not found"),
        ("mood == 'gay'", "keypath mood not found in entity Book"),
        ("ANY unkept.word == 'x'", "unkept.word"),
        ("form == 'x'", "keypath form has several meanings in entity Book"),
        ("tags.word == 'red'", "to-many key not allowed here: tags.word"),
        ("pages == $x", "unbound variable $x"),
        ("ANY author.books.tags.word == 'x'", "multiple to-many keys not allowed here"),
        ("pages BETWEEN 3", "BETWEEN"), ("author BEGINSWITH 'x'", "author BEGINSWITH \"x\""),
        ("random() > pages", "random()"), ("pages.@count == 1", "pages.@count"),
        ("ALL pages == 1", "ALL pages == 1"),
        ("tags.@unionOfObjects.word == 'x'", "@unionOfObjects"),
        ("sum:(pages) > 1", "to-many relationship"),
    ])
    func refused(_ format: String, _ text: String) throws {
        let query = Query("Book")
        let error = #expect(throws: (any Error).self) { try query.condition(format) }
        #expect(error?.localizedDescription.contains(text) == true, "\(error as Any)")
    }

    @Test func refusedBlocks() throws {
        let query = Query("Book")
        let error = #expect(throws: (any Error).self) {
            try query.condition(NSPredicate { _, _ in true })
        }
        #expect(error?.localizedDescription.contains("BLOCKPREDICATE") == true)
    }
}
