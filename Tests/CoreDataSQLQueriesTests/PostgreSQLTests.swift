import CoreDataRowStorage
import MagicalRecordTestSupport
import PredicateFormat
import Testing

@testable import CoreDataSQLQueries

/// What PostgreSQL's SQL has of its own: names, patterns, groups.
@Suite("SQL of PostgreSQL")
struct PostgreSQLTests {
    private let tables = PostgreSQLTables(Shop().layouts)

    private func fetch(_ entity: String, _ format: String? = nil, _ change: (inout StoreFetch) -> Void = { _ in })
        throws -> StoreFetch
    {
        var fetch = StoreFetch(layout: try #require(tables.layouts.byName[entity]))
        if let format { fetch.predicate = try NSPredicate.parse(format) }
        change(&fetch)
        return fetch
    }

    @Test(arguments: [
        ("displayName", "display_name"), ("sourceURL", "source_url"), ("URLOfPage", "url_of_page"), ("pages", "pages"),
        ("is_read", "is_read"), ("Is_Read", "is_read"),
    ])
    func snakeCase(_ name: String, _ expected: String) {
        #expect(PostgreSQLName.snakeCase(name) == expected)
    }

    @Test(arguments: [
        ("pages", "pages"), ("order", "\"order\""), ("Größe", "\"Größe\""), ("1st", "\"1st\""), ("a\"b", "\"a\"\"b\""),
    ])
    func quotedNames(_ name: String, _ expected: String) {
        #expect(PostgreSQLName.quoted(name) == expected)
    }

    /// PostgreSQL cuts names after 63 bytes: two long names must differ before.
    @Test func longNames() {
        let names = ["a", "b"].map { PostgreSQLName.fitting(String(repeating: "ä", count: 60) + $0) }
        #expect(names.allSatisfy { $0.utf8.count <= 63 })
        #expect(names[0] != names[1])
        #expect(PostgreSQLName.fitting("short") == "short")
    }

    /// Entities of one hierarchy share a table, whose rows have the names of their entities.
    @Test(arguments: [
        ("Author", true, nil), ("Book", true, nil), ("Book", false, "t0.entity = 'Book'"),
        ("Novel", true, "t0.entity IN ('Novel', 'Saga')"),
    ])
    func entities(_ entity: String, _ includesSubentities: Bool, _ expected: String?) throws {
        let layout = try #require(tables.layouts.byName[entity])
        let condition = try tables.restriction(of: layout, includesSubentities: includesSubentities, alias: "t0")
        #expect(condition?.statement(in: tables.dialect).text == expected)
    }

    @Test(arguments: [
        ("entity == 'Novel'", "t0.entity = $1::text"),
        ("author.entity == 'Author'", "CASE WHEN t0.author IS NOT NULL THEN 'Author' END = $1::text"),
        ("cover == nil", "t0.cover IS NULL"),
        (
            "title.length == 1 AND pages CONTAINS '1'",
            """
            ((char_length(t0.title) + char_length(regexp_replace(t0.title, '[^\\U00010000-\\U0010FFFF]', '', 'g'))) \
            = $1::bigint) AND ((CAST(t0.pages AS text) IS NOT NULL AND strpos(CAST(t0.pages AS text), $2::text) > 0))
            """
        ),
        ("ANY tags.word == 'x'", "EXISTS (SELECT 1 FROM tag t1 WHERE t1.book_tags = t0.id AND (t1.word = $1::text))"),
    ])
    func conditions(_ format: String, _ condition: String) throws {
        let text = PostgreSQLTexts.noted(try FetchStatement(fetch("Book", format), .references, tables).text)
        #expect(text == "SELECT t0.id, t0.entity FROM book t0 WHERE (\(condition))")
    }

    @Test func limits() throws {
        let limited = try fetch("Author", "rating > 1") { ($0.limit, $0.offset) = (5, 2) }
        #expect(
            PostgreSQLTexts.noted(try FetchStatement(limited, .references, tables).text)
                == "SELECT t0.id FROM author t0 WHERE ((t0.rating > $1::double precision AND t0.rating <> 'NaN')) "
                + "LIMIT $2::bigint OFFSET $3::bigint")
        #expect(
            PostgreSQLTexts.noted(try FetchStatement(limited, .count, tables).text)
                == "SELECT COUNT(*) FROM (SELECT 1 FROM author t0 WHERE ((t0.rating > $1::double precision AND t0.rating <> 'NaN')) "
                + "LIMIT $2::bigint OFFSET $3::bigint) AS derived")
    }

    // MARK: Dictionaries

    private func dictionaries(_ columns: [(String, String)], by groups: [String], having: String? = nil)
        throws -> DictionaryQuery
    {
        var table = FetchTable()
        table.columns = try columns.map { name, format in
            FetchColumn(name: name, content: .expression(try NSExpression.parse(format).node, nil))
        }
        table.groups = groups.map { FetchColumn(name: $0, content: .path([$0])) }
        table.having = try having.map { try NSPredicate.parse($0) }
        var fetch = try fetch("Book")
        fetch.addTable(table, source: tables)
        fetch.limit = 3
        return try DictionaryQuery(fetch, tables)
    }

    @Test func groups() throws {
        let query = try dictionaries(
            [("title", "title"), ("sum", "sum:(pages)"), ("mean", "average:(pages)"), ("last", "max:(title)")],
            by: ["title"], having: "sum > 3")
        let sum = "COALESCE(CAST(SUM(CAST(t0.pages AS bigint)) AS bigint), 0)"
        #expect(
            PostgreSQLTexts.noted(query.text.statement(in: tables.dialect).text)
                == "SELECT t0.title, \(sum), "
                + "(CAST(CAST(SUM(CAST(t0.pages AS bigint)) AS bigint) AS double precision) / NULLIF(COUNT(t0.pages), 0)), "
                + "MAX(t0.title) FROM book t0 GROUP BY t0.title HAVING \(sum) > $1::bigint LIMIT 3")
    }

    /// SQLite takes the title of any book.
    @Test func sumsBesideOtherValuesAreRefused() throws {
        #expect(throws: (any Error).self) {
            try dictionaries([("title", "title"), ("sum", "sum:(pages)")], by: [])
        }
    }

    /// Foundation divides decimals to 38 digits: the engine divides the sum by the count.
    @Test func meansOfDecimalsAreSumsAndCounts() throws {
        let query = try dictionaries([("mean", "average:(price)")], by: [])
        let sql = query.text.statement(in: tables.dialect).text.lowercased()
        #expect(sql.contains("sum(") && sql.contains("count(") && !sql.contains("avg("), "\(sql)")
    }

    // MARK: Patterns

    @Test(arguments: [
        ("a*", "a%"), ("100%_*", "100\\%\\_%"), ("\\*", "*"), ("a\\\\", "a\\\\"), ("a\\", "a\\\\"), ("a?", "a_%"),
    ])
    func like(_ pattern: String, _ expected: String) {
        #expect(PostgreSQLPattern.like(pattern) == expected)
    }

    /// Only `?` needs a regular expression.
    @Test func characters() throws {
        #expect(PostgreSQLPattern.characters(in: "a*\\?") == nil)
        let expression = try #require(PostgreSQLPattern.characters(in: "a.?*"))
        #expect(expression.hasPrefix("^a\\..[\\u0300-"))
        #expect(expression.hasSuffix("]).*$"))
    }

    private static let dot = "[^\\n\\u000B\\u000C\\r\\u0085\\u2028\\u2029]"

    @Test(arguments: [
        ("a.*", "^(?:a\(dot)*)$"), ("(ab|c)+[a-z^]", nil), ("(ab|c)+[^a-z]", "^(?:(?:ab|c)+[^a-z])$"),
        ("a{2,3}", "^(?:a{2,3})$"), ("a{2,}", "^(?:a{2,})$"), ("a{300}", nil), ("a*?", nil), ("a*+", nil),
        ("\\d+", nil), ("\\.", "^(?:\\.)$"), ("a#", "^(?:a#)$"), ("^a", nil), ("(?i)a", nil), ("[[:alpha:]]", nil),
        ("(a", nil), ("a)", nil), ("[]", nil), ("\\bword", nil), ("[a\\]-]", nil), ("[a\\]]", "^(?:[a\\]])$"),
        ("a{,3}", nil), ("", nil),
    ])
    func regularExpressions(_ pattern: String, _ expected: String?) {
        #expect((try? PostgreSQLPattern.regularExpression(pattern)) == expected)
    }

    /// A parameter has one type: requests whose numbers differ in that must not share their text.
    @Test func shapesTellNumbersApart() throws {
        func shape(_ format: String, _ separatesNumbers: Bool) throws -> RequestShape {
            var writer = ShapeWriter(separatesNumbers: separatesNumbers)
            writer.add(try NSPredicate.parse(format).node)
            return writer.shape
        }
        #expect(try shape("pages > 1", true) != shape("pages > 1.5", true))
        #expect(try shape("pages > 1", true) == shape("pages > 2", true))
        #expect(try shape("pages > 1", false) == shape("pages > 1.5", false))
    }
}
