import CoreDataSQLiteStorage
import CoreDataSQLQueries
import CoreDataRowStorage
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import PredicateFormat
import Testing

@testable import CoreData

/// The SQL that predicates and sort descriptors become, in both dialects. Values are parameters throughout.
///
/// PostgreSQL's texts are checked by its own parser, too: ``PostgreSQLTexts``.
@Suite struct SQLTextTests {
    enum Dialect: CaseIterable { case sqlite, postgresql }

    /// Compiling changes nothing in a store, so all cases share one.
    private nonisolated(unsafe) static let library = Result {
        try SQLiteLibrary(in: TemporaryFolder.forTheWholeRun().url)
    }

    private func sql(
        _ entity: String, _ predicate: NSPredicate?, _ sort: [NSSortDescriptor] = [], in dialect: Dialect
    ) throws -> String {
        let engine = try #require(try (Self.library.get().store as? SQLiteStore)?.engine)
        var fetch = StoreFetch(layout: try #require(engine.layouts.byName[entity]))
        fetch.predicate = predicate
        fetch.sortDescriptors = sort
        if dialect == .sqlite { return try CompiledFetch(fetch, .references, engine).sql.text }
        return PostgreSQLTexts.noted(
            try FetchStatement(fetch, .references, PostgreSQLTables(engine.layouts)).text)
    }

    /// - Parameter postgresql: the condition in PostgreSQL's SQL; nil for a request that is refused there.
    private func check(_ entity: String, _ predicate: NSPredicate, _ sqlite: String, _ postgresql: String?) throws {
        #expect(
            try sql(entity, predicate, in: .sqlite)
                == "SELECT t0.Z_PK FROM Z\(entity.uppercased()) t0 WHERE (\(sqlite))")
        guard let postgresql else {
            let error = #expect(throws: (any Error).self) { try sql(entity, predicate, in: .postgresql) }
            return #expect(error?.localizedDescription.contains("PostgreSQL cannot answer") == true)
        }
        #expect(
            try sql(entity, predicate, in: .postgresql)
                == "SELECT t0.id FROM \(entity.lowercased()) t0 WHERE (\(postgresql))")
    }

    private static let attributeCases: [(String, sqlite: String, postgresql: String?)] = [
        ("pages == 20", "t0.ZPAGES = ?1", "t0.pages = $1::bigint"),
        ("pages == 2.5", "t0.ZPAGES = ?1", "t0.pages = $1::numeric"),
        ("ANY pages == 20", "t0.ZPAGES = ?1", "t0.pages = $1::bigint"),
        ("pages != 20", "t0.ZPAGES <> ?1", "t0.pages IS DISTINCT FROM $1::bigint"),
        ("inPrint == YES", "t0.ZINPRINT = ?1", "CAST(t0.in_print AS integer) = $1::bigint"),
        ("price == 1", "t0.ZPRICE = ?1", "t0.price = $1::numeric"),
        ("title == nil", "t0.ZTITLE IS NULL", "t0.title IS NULL"),
        ("title != nil", "t0.ZTITLE IS NOT NULL", "t0.title IS NOT NULL"),
        ("NOT pages > 1", "NOT (t0.ZPAGES > ?1)", "(t0.pages > $1::bigint) IS NOT TRUE"),
        ("pages BETWEEN {1, 2}", "t0.ZPAGES BETWEEN ?1 AND ?2", "t0.pages BETWEEN $1::bigint AND $2::bigint"),
        ("pages IN {1, 2}", "t0.ZPAGES IN (?1, ?2)", "t0.pages IN ($1::bigint, $2::bigint)"),
        ("title IN {}", "1 = 0", "1 = 0"),
        (
            "title IN[c] {'a'}", "CDFold(t0.ZTITLE, 1) IN (CDFold(?1, 1))",
            "coredata_fold(t0.title, 1) IN (coredata_fold($1::text, 1))"
        ),
        (
            "title BEGINSWITH 'A'", "(t0.ZTITLE >= ?1 AND t0.ZTITLE < ?2)", "starts_with(t0.title, $1::text)"
        ),
        (
            "title BEGINSWITH[c] 'A'", "CDMatch(t0.ZTITLE, ?1)",
            """
            (t0.title IS NOT NULL AND starts_with(coredata_fold(t0.title, 1), $1::text) \
            AND coredata_found(coredata_fold(t0.title, 1), $1::text, false))
            """
        ),
        (
            "title CONTAINS[cd] 'a'", "CDMatch(t0.ZTITLE, ?1)",
            """
            (t0.title IS NOT NULL AND strpos(coredata_fold(t0.title, 3), $1::text) > 0 \
            AND coredata_found(coredata_fold(t0.title, 3), $1::text, true))
            """
        ),
        (
            "title ENDSWITH 'a'", "CDMatch(t0.ZTITLE, ?1)",
            "(t0.title IS NOT NULL AND right(t0.title, char_length($1::text)) = $1::text)"
        ),
        ("title CONTAINS ''", "CDMatch(t0.ZTITLE, ?1)", "1 = 0"),
        ("title ==[l] 'a'", "CDMatch(t0.ZTITLE, ?1)", nil),
        (
            "title LIKE 'a*'", "CDMatch(t0.ZTITLE, ?1)",
            "(t0.title IS NOT NULL AND t0.title LIKE $1::text AND ($2::text IS NULL OR t0.title ~ $2::text))"
        ),
        ("title MATCHES 'a.*'", "CDMatch(t0.ZTITLE, ?1)", "(t0.title IS NOT NULL AND t0.title ~ $1::text)"),
        (
            "title ==[c] 'a'", "CDMatch(t0.ZTITLE, ?1)",
            "(t0.title IS NOT NULL AND coredata_fold(t0.title, 1) = $1::text)"
        ),
        (
            "title <[c] 'a'", "CDMatch(t0.ZTITLE, ?1)",
            "(t0.title IS NOT NULL AND coredata_fold(t0.title, 1) COLLATE \"C\" < $1::text)"
        ),
        ("title == 'a'; DROP TABLE ZBOOK", "", ""),
        ("title == \"'; DROP TABLE ZBOOK; --\"", "t0.ZTITLE = ?1", "t0.title = $1::text"),
        ("author == nil", "t0.ZAUTHOR IS NULL", "t0.author IS NULL"),
        (
            "pages > 1 AND pages < 5 OR isbn == nil",
            "((t0.ZPAGES > ?1) AND (t0.ZPAGES < ?2)) OR (t0.ZISBN IS NULL)",
            "((t0.pages > $1::bigint) AND (t0.pages < $2::bigint)) OR (t0.isbn IS NULL)"
        ),
        ("pages + 1 > 2", "(t0.ZPAGES + ?1) > ?2", "(CAST(t0.pages AS bigint) + $1::bigint) > $2::bigint"),
        (
            "pages / 2 == 5", "(t0.ZPAGES / ?1) = ?2",
            "(CAST(t0.pages AS bigint) / NULLIF($1::bigint, 0)) = $2::bigint"
        ),
        // Foundation and PostgreSQL give other digits of a quotient.
        ("price / 2 == 5", "CDDecimal((CAST(t0.ZPRICE AS REAL) / ?1)) = ?2", nil),
        (
            "price * 2 == 5", "CDDecimal((t0.ZPRICE * ?1)) = ?2",
            "coredata_decimal(t0.price * $1::numeric) = $2::numeric"
        ),
        (
            "pages & 4 != 0", "(t0.ZPAGES & ?1) <> ?2",
            "(CAST(t0.pages AS bigint) & $1::bigint) IS DISTINCT FROM $2::bigint"
        ),
        (
            "length(title) > 3", "CDLength(t0.ZTITLE) > ?1",
            "(char_length(t0.title) + char_length(regexp_replace(t0.title, '[^\\U00010000-\\U0010FFFF]', '', 'g'))) "
                + "> $1::bigint"
        ),
        ("uppercase(title) == 'A'", "CDUpper(t0.ZTITLE) = ?1", "coredata_upper(t0.title) = $1::text"),
        ("lowercase(title) == 'a'", "CDLower(t0.ZTITLE) = ?1", "coredata_lower(t0.title) = $1::text"),
        ("uppercase(pages) == 'A'", "CDUpper(t0.ZPAGES) = ?1", nil),
        (
            "sqrt(pages) > 2", "CDSqrt(t0.ZPAGES) > ?1",
            """
            (NULLIF(CASE WHEN CAST(t0.pages AS double precision) >= 0 THEN sqrt(CAST(t0.pages AS double precision)) END, \
            'NaN') > $1::double precision AND NULLIF(CASE WHEN CAST(t0.pages AS double precision) >= 0 \
            THEN sqrt(CAST(t0.pages AS double precision)) END, 'NaN') <> 'NaN')
            """
        ),
        ("published < now()", "t0.ZPUBLISHED < ?1", "t0.published < $1::timestamptz"),
        (
            "TERNARY(pages > 1, 1, 2) == 1", "CASE WHEN t0.ZPAGES > ?1 THEN ?2 ELSE ?3 END = ?4",
            "CASE WHEN t0.pages > $1::bigint THEN $2::bigint ELSE $3::bigint END = $4::bigint"
        ),
        ("noindex:(title) == 'a'", "+t0.ZTITLE = ?1", "t0.title = $1::text"),
        ("FALSEPREDICATE", "1 = 0", "1 = 0"),
    ]

    @Test(arguments: attributeCases.indices)
    func ofAttributes(_ index: Int) throws {
        let (format, sqlite, postgresql) = Self.attributeCases[index]
        guard let predicate = try? NSPredicate.parse(format) else { return #expect(sqlite.isEmpty) }
        try check("Book", predicate, sqlite, postgresql)
    }

    @Test func ofToOneRelationships() throws {
        let predicate = NSPredicate(format: "author.name == 'Ann' AND author.rating > 2")
        #expect(
            try sql("Book", predicate, in: .sqlite)
                == "SELECT t0.Z_PK FROM ZBOOK t0 LEFT OUTER JOIN ZAUTHOR t1 ON t1.Z_PK = t0.ZAUTHOR "
                + "WHERE ((t1.ZNAME = ?1) AND (t1.ZRATING > ?2))")
        #expect(
            try sql("Book", predicate, in: .postgresql)
                == "SELECT t0.id FROM book t0 LEFT OUTER JOIN author t1 ON t1.id = t0.author "
                + "WHERE ((t1.name = $1::text) AND ((t1.rating > $2::double precision AND t1.rating <> 'NaN')))")
    }

    /// Keys are the order of objects; a parameter that is no object of the hierarchy is NULL, which nothing compares with.
    @Test(arguments: [
        ("SELF > %@", "t0.Z_PK > ?1", "t0.id > $1::bigint"), ("SELF <= %@", "t0.Z_PK <= ?1", "t0.id <= $1::bigint"),
        ("%@ >= SELF", "?1 >= t0.Z_PK", "$1::bigint >= t0.id"),
        ("objectID < %@", "t0.Z_PK < ?1", "t0.id < $1::bigint"),
        ("author < %@", "t0.ZAUTHOR < ?1", "t0.author < $1::bigint"),
        ("%@ < author", "?1 < t0.ZAUTHOR", "$1::bigint < t0.author"),
        ("author.objectID >= %@", "t0.ZAUTHOR >= ?1", "t0.author >= $1::bigint"),
        ("SELF > nil", "t0.Z_PK > NULL", "t0.id > NULL"), ("SELF > author", "1 = 0", "1 = 0"),
        ("author <= SELF.author", "t0.ZAUTHOR <= t0.ZAUTHOR", "t0.author <= t0.author"),
        (
            "SELF > %@ AND pages > 1", "(t0.Z_PK > ?1) AND (t0.ZPAGES > ?2)",
            "(t0.id > $1::bigint) AND (t0.pages > $2::bigint)"
        ),
    ])
    func ofObjectsInOrder(_ format: String, _ sqlite: String, _ postgresql: String) throws {
        let context = try Self.library.get().makeContext(), author = context.insert("Author")
        defer { withExtendedLifetime(context) {} }
        for argument in [author, author.objectID] as [Any] {
            try check("Book", NSPredicate(format: format, argumentArray: [argument]), sqlite, postgresql)
        }
    }

    private static let books = "FROM ZBOOK t1 WHERE t1.ZAUTHOR = t0.Z_PK"
    private static let rows = "FROM book t1 WHERE t1.author = t0.id"

    @Test(arguments: [
        ("books.@count > 2", "(SELECT COUNT(*) \(books)) > ?1", "(SELECT COUNT(*) \(rows)) > $1::bigint"),
        (
            "books.@sum.pages > 2", "(SELECT IFNULL(SUM(t1.ZPAGES), 0) \(books)) > ?1",
            "(SELECT COALESCE(CAST(SUM(CAST(t1.pages AS bigint)) AS bigint), 0) \(rows)) > $1::bigint"
        ),
        (
            "books.@max.pages > 2", "(SELECT MAX(t1.ZPAGES) \(books)) > ?1",
            "(SELECT MAX(t1.pages) \(rows)) > $1::bigint"
        ),
        (
            "ANY books.pages > 3", "EXISTS (SELECT 1 \(books) AND (t1.ZPAGES > ?1))",
            "EXISTS (SELECT 1 \(rows) AND (t1.pages > $1::bigint))"
        ),
        (
            "NONE books.pages > 3", "NOT (EXISTS (SELECT 1 \(books) AND (t1.ZPAGES > ?1)))",
            "(EXISTS (SELECT 1 \(rows) AND (t1.pages > $1::bigint))) IS NOT TRUE"
        ),
        (
            "ALL books.pages > 3",
            "NOT EXISTS (SELECT 1 \(books) AND (t1.ZPAGES IS NOT NULL AND (t1.ZPAGES > ?1) IS NOT TRUE))",
            "NOT EXISTS (SELECT 1 \(rows) AND (t1.pages IS NOT NULL AND (t1.pages > $1::bigint) IS NOT TRUE))"
        ),
        ("books == nil", "NOT EXISTS (SELECT 1 \(books))", "NOT EXISTS (SELECT 1 \(rows))"),
        (
            "SUBQUERY(books, $b, $b.pages > rating).@count == 0",
            "(SELECT COUNT(*) \(books) AND (t1.ZPAGES > t0.ZRATING)) = ?1",
            "(SELECT COUNT(*) \(rows) AND (t1.pages > t0.rating)) = $1::bigint"
        ),
    ])
    func ofToManyRelationships(_ format: String, _ sqlite: String, _ postgresql: String) throws {
        try check("Author", NSPredicate(format: format), sqlite, postgresql)
    }

    /// What is asked of the elements of one relationship is asked in one sub-select.
    @Test(arguments: [
        (
            "ANY books.pages > 3 OR rating == 1 OR ANY books.pages == 0",
            "(EXISTS (SELECT 1 \(books) AND ((t1.ZPAGES > ?1) OR (t1.ZPAGES = ?2)))) OR (t0.ZRATING = ?3)",
            "(EXISTS (SELECT 1 \(rows) AND ((t1.pages > $1::bigint) OR (t1.pages = $2::bigint)))) "
                + "OR (t0.rating = $3::double precision)"
        ),
        (
            "NONE books.pages > 3 AND NONE books.pages < 1",
            "(NOT EXISTS (SELECT 1 \(books) AND ((t1.ZPAGES > ?1) OR (t1.ZPAGES < ?2))))",
            "(NOT EXISTS (SELECT 1 \(rows) AND ((t1.pages > $1::bigint) OR (t1.pages < $2::bigint))))"
        ),
        (
            "ALL books.pages > 3 AND ALL books.pages < 9",
            "(NOT EXISTS (SELECT 1 \(books) AND ((t1.ZPAGES IS NOT NULL AND (t1.ZPAGES > ?1) IS NOT TRUE) "
                + "OR (t1.ZPAGES IS NOT NULL AND (t1.ZPAGES < ?2) IS NOT TRUE))))",
            "(NOT EXISTS (SELECT 1 \(rows) AND ((t1.pages IS NOT NULL AND (t1.pages > $1::bigint) IS NOT TRUE) "
                + "OR (t1.pages IS NOT NULL AND (t1.pages < $2::bigint) IS NOT TRUE))))"
        ),
        (
            "ANY books.pages > 3 AND ANY books.pages < 9",
            "(EXISTS (SELECT 1 \(books) AND (t1.ZPAGES > ?1))) AND "
                + "(EXISTS (SELECT 1 FROM ZBOOK t2 WHERE t2.ZAUTHOR = t0.Z_PK AND (t2.ZPAGES < ?2)))",
            "(EXISTS (SELECT 1 \(rows) AND (t1.pages > $1::bigint))) AND "
                + "(EXISTS (SELECT 1 FROM book t2 WHERE t2.author = t0.id AND (t2.pages < $2::bigint)))"
        ),
    ])
    func ofSeveralConditionsOnOneRelationship(_ format: String, _ sqlite: String, _ postgresql: String) throws {
        try check("Author", NSPredicate(format: format), sqlite, postgresql)
    }

    /// One statement serves lists of every length.
    @Test func ofLists() throws {
        for list in [[1], [1, 2, 3], Array(0..<10_000)] {
            try check(
                "Book", NSPredicate(format: "pages IN %@", list), "t0.ZPAGES IN (SELECT value FROM CDArray(?1))",
                "t0.pages = ANY ($1::bigint[])")
        }
    }

    /// What compares as equal comes in the order of primary keys; nil comes first.
    @Test func ofSortDescriptors() throws {
        let name = NSSortDescriptor(key: "author.name", ascending: true)
        let title = NSSortDescriptor(key: "title", ascending: false, selector: .caseInsensitiveCompare)
        #expect(
            try sql("Book", nil, [name, title], in: .sqlite)
                == "SELECT t0.Z_PK FROM ZBOOK t0 LEFT OUTER JOIN ZAUTHOR t1 ON t1.Z_PK = t0.ZAUTHOR "
                + "ORDER BY t1.ZNAME, t0.ZTITLE COLLATE NSCollateNoCase DESC, t0.Z_PK")
        #expect(
            try sql("Book", nil, [name, title], in: .postgresql)
                == "SELECT t0.id FROM book t0 LEFT OUTER JOIN author t1 ON t1.id = t0.author "
                + "ORDER BY t1.name NULLS FIRST, coredata_fold(t0.title, 1) DESC NULLS LAST, t0.id")
        let own = [NSSortDescriptor(key: "self", ascending: false)]
        #expect(try sql("Book", nil, own, in: .sqlite) == "SELECT t0.Z_PK FROM ZBOOK t0 ORDER BY t0.Z_PK DESC")
        #expect(try sql("Book", nil, own, in: .postgresql) == "SELECT t0.id FROM book t0 ORDER BY t0.id DESC")
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
            for dialect in Dialect.allCases {
                let error = #expect(throws: (any Error).self) { try sql("Book", nil, [sort], in: dialect) }
                #expect(error?.localizedDescription.contains(text) == true, "\(error as Any)")
            }
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
        for dialect in Dialect.allCases {
            let error = #expect(throws: (any Error).self) {
                try sql("Book", NSPredicate(format: format), in: dialect)
            }
            #expect(error?.localizedDescription.contains(text) == true, "\(error as Any)")
        }
    }

    @Test func refusedBlocks() throws {
        let error = #expect(throws: (any Error).self) { try sql("Book", NSPredicate { _, _ in true }, in: .sqlite) }
        #expect(error?.localizedDescription.contains("Problem with subpredicate BLOCKPREDICATE") == true)
        let block = ExpressionNode.block(ExpressionBlock { _, _, _ in 1 }, [])
        let comparison = NSPredicate(node: .comparison(ComparisonNode(.path("pages"), .equalTo, block)))
        #expect(throws: (any Error).self) { try sql("Book", comparison, in: .sqlite) }
    }
}
