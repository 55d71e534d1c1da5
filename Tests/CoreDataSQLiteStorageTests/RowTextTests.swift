import CoreDataRowStorage
import CoreDataSQLQueries
import CoreDataSQLiteStorage
import CoreDataTestSupport
import MagicalRecordTestSupport
import PredicateFormat
import Testing

@testable import CoreData

/// The SQL by which rows are read and changed by their keys, and by those they belong to, in both dialects.
@Suite struct RowTextTests {
    private let engine: SQLiteEngine
    private let library: SQLiteLibrary

    init() throws {
        library = try SQLiteLibrary()
        engine = try #require(try (library.store as? SQLiteStore)?.engine)
    }

    private func layout(_ entity: String) throws -> EntityLayout { try #require(engine.layouts.byName[entity]) }

    private func relationship(_ name: String, of entity: String) throws -> EntityLayout.Relationship {
        try #require(layout(entity).relationships.first { $0.name == name })
    }

    private func check(
        _ sqlite: String?, _ postgresql: String?, _ make: (any TableNames) throws -> SQLStatement?
    ) rethrows {
        #expect(try make(engine)?.text == sqlite)
        #expect(try make(PostgreSQLTables(engine.layouts)).map { PostgreSQLTexts.noted($0.text) } == postgresql)
    }

    // MARK: Reading

    @Test func byKeys() throws {
        func query(_ tables: any TableNames) throws -> KeyQuery {
            try KeyQuery(selecting: "t0.\(tables.dialect.keyColumn)", of: layout("Tag"), tables)
        }
        try check("SELECT t0.Z_PK FROM ZTAG t0 WHERE t0.Z_PK = ?1", "SELECT t0.id FROM tag t0 WHERE t0.id = $1::bigint")
        { try query($0).one }
        try check(
            "SELECT t0.Z_PK FROM CDArray(?1) k CROSS JOIN ZTAG t0 ON t0.Z_PK = k.value",
            "SELECT t0.id FROM tag t0 WHERE t0.id = ANY ($1::bigint[])"
        ) { try query($0).many }
        try check(
            "SELECT t0.Z_PK FROM ZTAG t0 WHERE t0.Z_PK BETWEEN ?1 AND ?2 ORDER BY t0.Z_PK",
            "SELECT t0.id FROM tag t0 WHERE t0.id BETWEEN $1::bigint AND $2::bigint ORDER BY t0.id"
        ) { try query($0).range }
    }

    private func toMany(_ name: String, of entity: String, _ tables: any TableNames) throws -> ToManyQuery {
        let relationship = try relationship(name, of: entity)
        let destination = try #require(engine.layouts.byNumber[relationship.destinationNumber])
        return try ToManyQuery(
            #require(tables.columns(of: relationship, in: layout(entity))), to: destination, tables)
    }

    @Test(arguments: [
        (
            "Author", "books", "SELECT t0.Z_PK FROM ZBOOK t0 WHERE t0.ZAUTHOR = ?1",
            "SELECT t0.id FROM book t0 WHERE t0.author = $1::bigint"
        ),
        (
            "Shelf", "books", "SELECT t0.Z_PK FROM ZBOOK t0 WHERE t0.ZSHELF = ?1 ORDER BY t0.Z_FOK_SHELF, t0.Z_PK",
            "SELECT t0.id FROM book t0 WHERE t0.shelf = $1::bigint ORDER BY t0.shelf_order NULLS FIRST, t0.id"
        ),
        (
            "Book", "tags", "SELECT j.Z_5TAGS FROM Z_3TAGS j WHERE j.Z_3BOOKS = ?1",
            "SELECT j.tag FROM book_tags j WHERE j.book = $1::bigint"
        ),
    ])
    func referencesOfOne(_ entity: String, _ name: String, _ sqlite: String, _ postgresql: String) throws {
        try check(sqlite, postgresql) { try toMany(name, of: entity, $0).references() }
    }

    @Test(arguments: [
        (
            "Author", "books", "SELECT 1 FROM ZBOOK k CROSS JOIN ZBOOK t0 ON t0.Z_PK = k.Z_PK WHERE k.ZAUTHOR = ?1",
            "SELECT 1 FROM book t0 WHERE t0.author = $1::bigint"
        ),
        (
            "Shelf", "books", "SELECT 1 FROM ZBOOK t0 WHERE t0.ZSHELF = ?1 ORDER BY t0.Z_FOK_SHELF, t0.Z_PK",
            "SELECT 1 FROM book t0 WHERE t0.shelf = $1::bigint ORDER BY t0.shelf_order NULLS FIRST, t0.id"
        ),
        (
            "Book", "tags", "SELECT 1 FROM Z_3TAGS j CROSS JOIN ZTAG t0 ON t0.Z_PK = j.Z_5TAGS WHERE j.Z_3BOOKS = ?1",
            "SELECT 1 FROM book_tags j JOIN tag t0 ON t0.id = j.tag WHERE j.book = $1::bigint"
        ),
    ])
    func rowsOfOne(_ entity: String, _ name: String, _ sqlite: String, _ postgresql: String) throws {
        try check(sqlite, postgresql) {
            try toMany(name, of: entity, $0).rowsOfOne(selecting: "1", findsKeysFirst: $0 is SQLiteEngine)
        }
    }

    /// One owner's rows come together in SQLite, since the keys drive the join. PostgreSQL's are grouped by the client, unless
    /// they have an order.
    @Test(arguments: [
        (
            "Author", "books", "SELECT 1, t0.ZAUTHOR FROM CDArray(?1) k CROSS JOIN ZBOOK t0 ON t0.ZAUTHOR = k.value",
            "SELECT 1, t0.author FROM unnest($1::bigint[]) AS k(value) JOIN book t0 ON t0.author = k.value"
        ),
        (
            "Shelf", "books",
            """
            SELECT 1, t0.ZSHELF FROM CDArray(?1) k CROSS JOIN ZBOOK t0 ON t0.ZSHELF = k.value \
            ORDER BY k.value, t0.Z_FOK_SHELF, t0.Z_PK
            """,
            """
            SELECT 1, t0.shelf FROM unnest($1::bigint[]) AS k(value) JOIN book t0 ON t0.shelf = k.value \
            ORDER BY k.value, t0.shelf_order NULLS FIRST, t0.id
            """
        ),
        (
            "Book", "tags",
            """
            SELECT 1, j.Z_3BOOKS FROM CDArray(?1) k CROSS JOIN Z_3TAGS j ON j.Z_3BOOKS = k.value \
            CROSS JOIN ZTAG t0 ON t0.Z_PK = j.Z_5TAGS
            """,
            """
            SELECT 1, j.book FROM unnest($1::bigint[]) AS k(value) JOIN book_tags j ON j.book = k.value \
            JOIN tag t0 ON t0.id = j.tag
            """
        ),
    ])
    func rowsOfMany(_ entity: String, _ name: String, _ sqlite: String, _ postgresql: String) throws {
        try check(sqlite, postgresql) {
            try toMany(name, of: entity, $0).rowsOfMany(selecting: "1", selectsOwner: true)
        }
    }

    // MARK: Batches

    private func update(
        _ entity: String, _ tables: any TableNames,
        _ change: (inout UpdateQuery, EntityLayout, EntityColumns) throws -> Void
    ) throws -> SQLStatement {
        let layout = try layout(entity)
        var query = UpdateQuery(layout, tables)
        try change(&query, layout, tables.columns(of: layout))
        return try query.statement()
    }

    /// The parameters of constants for attributes stand behind those of expressions, whatever the order was.
    @Test func updates() throws {
        try check(
            """
            UPDATE ZBOOK AS t0 SET Z_OPT = IFNULL(Z_OPT, 0) + 1, ZPAGES = (t0.ZPAGES + ?1), ZTITLE = ?2, ZINPRINT = ?3 \
            WHERE Z_PK IN (SELECT value FROM CDArray(?4))
            """,
            """
            UPDATE book AS t0 SET version = version + 1, pages = (CAST(t0.pages AS bigint) + $1::bigint), \
            title = $2::text, in_print = $3::boolean WHERE id = ANY ($4::bigint[]) RETURNING id
            """
        ) { tables in
            try update("Book", tables) { query, layout, columns in
                for name in ["title", "pages", "inPrint"] {
                    guard case .cell(let cell)? = layout.members[name], let column = columns.cells[cell].column
                    else { throw UnsupportedQuery.keyPath(name, in: layout) }
                    if name == "pages" {
                        try query.set(layout.cells[cell], in: column, to: NSExpression.parse("pages + 1").node)
                    } else {
                        try query.set(layout.cells[cell], in: column)
                    }
                }
            }
        }
    }

    /// In memory, an integer attribute takes a number without its fraction; PostgreSQL would round it.
    @Test(arguments: [
        ("pages", "price", "ZPAGES = t0.ZPRICE", "pages = trunc(t0.price)"),
        ("price", "pages", "ZPRICE = t0.ZPAGES", "price = CAST(t0.pages AS numeric)"),
        ("title", "pages", "ZTITLE = t0.ZPAGES", nil), ("title", "title", "ZTITLE = t0.ZTITLE", "title = t0.title"),
    ])
    func assignments(_ name: String, _ format: String, _ sqlite: String, _ postgresql: String?) throws {
        let expression = try NSExpression.parse(format)
        func text(_ tables: any TableNames) throws -> String {
            try update("Book", tables) { query, layout, columns in
                guard case .cell(let cell)? = layout.members[name], let column = columns.cells[cell].column
                else { throw UnsupportedQuery.keyPath(name, in: layout) }
                try query.set(layout.cells[cell], in: column, to: expression.node)
            }.text
        }
        #expect(
            try text(engine)
                == "UPDATE ZBOOK AS t0 SET Z_OPT = IFNULL(Z_OPT, 0) + 1, \(sqlite) "
                + "WHERE Z_PK IN (SELECT value FROM CDArray(?1))")
        let made = try? PostgreSQLTexts.noted(text(PostgreSQLTables(engine.layouts)))
        #expect(
            made
                == postgresql.map {
                    "UPDATE book AS t0 SET version = version + 1, \($0) WHERE id = ANY ($1::bigint[]) RETURNING id"
                })
    }

    @Test func updatesOfRelationships() throws {
        let author = library.context.insert("Author")
        for (object, sqlite, postgresql) in [
            (author as Any?, "ZAUTHOR = ?1", "author = $1::bigint"), (nil, "ZAUTHOR = NULL", "author = NULL"),
        ] {
            let keys = object == nil ? 1 : 2
            try check(
                "UPDATE ZBOOK AS t0 SET Z_OPT = IFNULL(Z_OPT, 0) + 1, \(sqlite) "
                    + "WHERE Z_PK IN (SELECT value FROM CDArray(?\(keys)))",
                "UPDATE book AS t0 SET version = version + 1, \(postgresql) "
                    + "WHERE id = ANY ($\(keys)::bigint[]) RETURNING id"
            ) { tables in
                try update("Book", tables) { query, layout, columns in
                    let cell = try relationship("author", of: "Book").cell
                    #expect(
                        try query.relate(layout.cells[cell], in: columns.cells[cell], to: .constant(object)) == true)
                }
            }
        }
    }

    @Test(arguments: [
        (
            "Author", "books",
            "SELECT t0.Z_PK FROM ZBOOK t0 WHERE t0.Z_PK IN "
                + "(SELECT Z_PK FROM ZBOOK WHERE ZAUTHOR IN (SELECT value FROM CDArray(?1)))",
            "SELECT t0.id FROM book t0 WHERE t0.id IN (SELECT id FROM book WHERE author = ANY ($1::bigint[]))"
        ),
        (
            "Book", "author",
            "SELECT t0.Z_PK FROM ZAUTHOR t0 WHERE t0.Z_PK IN "
                + "(SELECT ZAUTHOR FROM ZBOOK WHERE Z_PK IN (SELECT value FROM CDArray(?1)))",
            "SELECT t0.id FROM author t0 WHERE t0.id IN (SELECT author FROM book WHERE id = ANY ($1::bigint[]))"
        ),
        (
            "Book", "tags",
            "SELECT t0.Z_PK FROM ZTAG t0 WHERE t0.Z_PK IN "
                + "(SELECT Z_5TAGS FROM Z_3TAGS WHERE Z_3BOOKS IN (SELECT value FROM CDArray(?1)))",
            "SELECT t0.id FROM tag t0 WHERE t0.id IN (SELECT tag FROM book_tags WHERE book = ANY ($1::bigint[]))"
        ),
    ])
    func relatedToDeleted(_ entity: String, _ name: String, _ sqlite: String, _ postgresql: String) throws {
        let relationship = try relationship(name, of: entity)
        let destination = try #require(engine.layouts.byNumber[relationship.destinationNumber])
        try check(sqlite, postgresql) {
            try DeletionQueries(layout(entity), $0).related(relationship, to: destination)
        }
    }

    @Test func deletions() throws {
        let cell = try relationship("shelf", of: "Book").cell
        try check(
            "UPDATE ZBOOK SET ZSHELF = NULL, Z_FOK_SHELF = NULL, Z_OPT = IFNULL(Z_OPT, 0) + 1 "
                + "WHERE ZSHELF IN (SELECT value FROM CDArray(?1))",
            "UPDATE book SET shelf = NULL, shelf_order = NULL, version = version + 1 WHERE shelf = ANY ($1::bigint[])"
        ) { try DeletionQueries(layout("Shelf"), $0).detachment(from: cell, of: layout("Book")) }
        let tags = try relationship("tags", of: "Book")
        try check(
            "DELETE FROM Z_3TAGS WHERE Z_3BOOKS IN (SELECT value FROM CDArray(?1))",
            "DELETE FROM book_tags WHERE book = ANY ($1::bigint[])"
        ) { try DeletionQueries(layout("Book"), $0).links(of: tags).first }
        try check(
            "DELETE FROM ZBOOK WHERE Z_PK IN (SELECT value FROM CDArray(?1))",
            "DELETE FROM book WHERE id = ANY ($1::bigint[]) RETURNING id"
        ) { try DeletionQueries(layout("Book"), $0).rows() }
    }
}
